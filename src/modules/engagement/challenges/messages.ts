import { message, messages } from '../../base/notifications/notify.ts';

/** `amount` is an exact decimal string. */
type Reward = { challengeId: string; title: string; amount: string; currencyId: string };

export const challengeMessages = messages({
  'challenge.won': message<Reward>('CHALLENGE', {
    en: {
      title: 'Challenge won',
      body: (f) =>
        `Your bet has won the challenge ${f.title}: ${f.amount} ${f.currencyId} have been added to your balance.`,
    },
    de: {
      title: 'Challenge gewonnen',
      body: (f) =>
        `Ihre Wette hat die Challenge ${f.title} gewonnen: ${f.amount} ${f.currencyId} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Desafío ganado',
      body: (f) =>
        `Su apuesta ha ganado el desafío ${f.title}: se han añadido ${f.amount} ${f.currencyId} a su saldo.`,
    },
  }),
  'challenge.rolled-back': message<Reward>('CHALLENGE', {
    en: {
      title: 'Challenge reward reversed',
      body: (f) =>
        `Your win in the challenge ${f.title} is no longer valid. ${f.amount} ${f.currencyId} have been deducted from your balance.`,
    },
    de: {
      title: 'Challenge-Prämie zurückgenommen',
      body: (f) =>
        `Ihr Gewinn der Challenge ${f.title} gilt nicht: ${f.amount} ${f.currencyId} wurden von Ihrem Guthaben abgezogen.`,
    },
    es: {
      title: 'Premio del desafío retirado',
      body: (f) =>
        `Su victoria en el desafío ${f.title} no es válida: se han retirado ${f.amount} ${f.currencyId} de su saldo.`,
    },
  }),
});
