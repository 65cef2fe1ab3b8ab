import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text. */
type Facts = { amount: string; currencyId: string };

const money = ({ amount, currencyId }: Facts) => `${amount} ${currencyId}`;

export const messages = {
  'crm.funds': message<Facts>('PROMO', {
    en: { title: 'A gift for you', body: (f) => `${money(f)} have been added to your balance.` },
    de: { title: 'Ein Geschenk für Sie', body: (f) => `${money(f)} wurden Ihrem Guthaben gutgeschrieben.` },
    es: { title: 'Un regalo para usted', body: (f) => `Se han añadido ${money(f)} a su saldo.` },
  }),
};
