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
};
