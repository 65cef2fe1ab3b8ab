import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text. */
type Facts = { amount: string; currencyId: string };

const money = ({ amount, currencyId }: Facts) => `${amount} ${currencyId}`;

export const declares = {
  about: 'the CRM: its queries about players, its credits, and the events that it receives',
  tags: {
    'external-auth for a marketing integration': 'The owner of a session, for pages of the CRM.',
    'marketing integration': 'Reads player data and credits bonuses and cash, with the key of the CRM.',
  },
  kinds: { 'crm.funds': 'CRM_FUNDS' },
  messages: {
    'crm.funds': message<Facts>('PROMO', {
      en: { title: 'A gift for you', body: (f) => `${money(f)} have been added to your balance.` },
      de: { title: 'Ein Geschenk für Sie', body: (f) => `${money(f)} wurden Ihrem Guthaben gutgeschrieben.` },
      es: { title: 'Un regalo para usted', body: (f) => `Se han añadido ${money(f)} a su saldo.` },
    }),
  },
} as const;
