import { message, messages, moment } from '../../base/notifications/notify.ts';

/** `amount` is an exact decimal string. */
type Facts = { grantId: string; name: string; amount: string; currencyId: string };
/** `until` is an ISO 8601 timestamp. */
type FreeSpins = { grantId: string; name: string; spins: number; game: string; until: string };

const money = ({ amount, currencyId }: Facts) => `${amount} ${currencyId}`;

export const bonusMessages = messages({
  'promo.paid': message<Facts>('PROMO', {
    en: { title: 'Reward received', body: (f) => `${f.name}: ${money(f)} have been added to your balance.` },
    de: {
      title: 'Prämie erhalten',
      body: (f) => `${f.name}: ${money(f)} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: { title: 'Premio recibido', body: (f) => `${f.name}: se han añadido ${money(f)} a su saldo.` },
  }),
  'promo.started': message<Facts>('PROMO', {
    en: { title: 'Bonus active', body: (f) => `${f.name}: you are now playing with a bonus of ${money(f)}.` },
    de: {
      title: 'Bonus aktiv',
      body: (f) => `${f.name}: Sie spielen jetzt mit einem Bonus von ${money(f)}.`,
    },
    es: { title: 'Bono activo', body: (f) => `${f.name}: ahora juega con un bono de ${money(f)}.` },
  }),
  'promo.completed': message<Facts>('PROMO', {
    en: {
      title: 'Bonus completed',
      body: (f) => `${f.name}: wagering is complete. ${money(f)} have been added to your balance.`,
    },
    de: {
      title: 'Bonus umgesetzt',
      body: (f) => `${f.name} ist umgesetzt: ${money(f)} gehören jetzt zu Ihrem Guthaben.`,
    },
    es: {
      title: 'Bono completado',
      body: (f) => `${f.name} se ha apostado por completo: ${money(f)} forman ya parte de su saldo.`,
    },
  }),
  'promo.expired': message<Facts>('PROMO', {
    en: {
      title: 'Bonus expired',
      body: (f) => `${f.name} has ended: ${money(f)} of bonus money have expired.`,
    },
    de: {
      title: 'Bonus abgelaufen',
      body: (f) => `Die Zeit für ${f.name} ist vorbei: ${money(f)} Bonusguthaben sind verfallen.`,
    },
    es: {
      title: 'Bono caducado',
      body: (f) => `El plazo de ${f.name} ha terminado: han caducado ${money(f)} de saldo de bono.`,
    },
  }),
  'promo.lapsed': message<Facts>('PROMO', {
    en: { title: 'Offer expired', body: (f) => `${f.name} was not used in time.` },
    de: { title: 'Angebot abgelaufen', body: (f) => `${f.name} wurde nicht rechtzeitig genutzt.` },
    es: { title: 'Oferta caducada', body: (f) => `${f.name} no se ha aprovechado a tiempo.` },
  }),
  'promo.free-spins': message<FreeSpins>('PROMO', {
    en: {
      title: 'Free spins',
      body: (f) => `${f.name}: you have ${f.spins} free spins on ${f.game}, valid until ${moment(f.until)}.`,
    },
    de: {
      title: 'Freispiele',
      body: (f) => `${f.name}: Freispiele bei ${f.game} für Sie: ${f.spins}, bis ${moment(f.until)}.`,
    },
    es: {
      title: 'Tiradas gratis',
      body: (f) => `${f.name}: tiradas gratis en ${f.game} para usted: ${f.spins}, hasta ${moment(f.until)}.`,
    },
  }),
  'promo.free-spins-played': message<Facts>('PROMO', {
    en: { title: 'Free spins played', body: (f) => `${f.name}: your free spins won ${money(f)}.` },
    de: {
      title: 'Freispiele gespielt',
      body: (f) => `${f.name}: Ihre Freispiele haben ${money(f)} gewonnen.`,
    },
    es: {
      title: 'Tiradas gratis jugadas',
      body: (f) => `${f.name}: sus tiradas gratis han ganado ${money(f)}.`,
    },
  }),
  'promo.lost': message<Facts>('PROMO', {
    en: { title: 'Bonus used up', body: (f) => `${f.name}: your bonus of ${money(f)} is used up.` },
    de: {
      title: 'Bonus aufgebraucht',
      body: (f) => `${f.name}: von Ihrem Bonus von ${money(f)} ist nichts mehr da.`,
    },
    es: { title: 'Bono agotado', body: (f) => `${f.name}: no queda nada de su bono de ${money(f)}.` },
  }),
});
