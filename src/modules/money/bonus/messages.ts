import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text. */
type Facts = { grantId: string; name: string; amount: string; currencyId: string };

const money = ({ amount, currencyId }: Facts) => `${amount} ${currencyId}`;

export const messages = {
  'promo.paid': message<Facts>('PROMO', {
    en: { title: 'Reward received', body: (f) => `${f.name}: ${money(f)} have been added to your balance.` },
    de: {
      title: 'Prämie erhalten',
      body: (f) => `${f.name}: ${money(f)} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: { title: 'Premio recibido', body: (f) => `${f.name}: se han añadido ${money(f)} a su saldo.` },
  }),
  'promo.started': message<Facts>('PROMO', {
    en: { title: 'Bonus active', body: (f) => `${f.name}: you now play with a bonus of ${money(f)}.` },
    de: {
      title: 'Bonus aktiv',
      body: (f) => `${f.name}: Sie spielen jetzt mit einem Bonus von ${money(f)}.`,
    },
    es: { title: 'Bono activo', body: (f) => `${f.name}: ahora juega con un bono de ${money(f)}.` },
  }),
  'promo.completed': message<Facts>('PROMO', {
    en: {
      title: 'Bonus completed',
      body: (f) => `${f.name} has been wagered: ${money(f)} have become part of your balance.`,
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
      body: (f) => `The time for ${f.name} is over: ${money(f)} of bonus money have expired.`,
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
  'promo.lost': message<Facts>('PROMO', {
    en: { title: 'Bonus used up', body: (f) => `${f.name}: nothing is left of your bonus of ${money(f)}.` },
    de: {
      title: 'Bonus aufgebraucht',
      body: (f) => `${f.name}: von Ihrem Bonus von ${money(f)} ist nichts mehr da.`,
    },
    es: { title: 'Bono agotado', body: (f) => `${f.name}: no queda nada de su bono de ${money(f)}.` },
  }),
};
