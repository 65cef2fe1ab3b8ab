import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text. */
type Won = { leaderboardId: string; name: string; place: number; amount: string; currencyId: string };

export const messages = {
  'leaderboard.prize': message<Won>('LEADERBOARD', {
    en: {
      title: 'You have won a prize',
      body: (f) =>
        `Place ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} have been added to your balance.`,
    },
    de: {
      title: 'Sie haben einen Preis gewonnen',
      body: (f) =>
        `Platz ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Ha ganado un premio',
      body: (f) => `Puesto ${f.place} en ${f.name}: se han añadido ${f.amount} ${f.currencyId} a su saldo.`,
    },
  }),
};
