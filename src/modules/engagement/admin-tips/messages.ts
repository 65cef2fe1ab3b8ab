import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text. */
type Received = { tipId: string; amount: string; currencyId: string };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

export const messages = {
  'admin-tip.received': message<Received>('TIP', {
    en: { title: 'Tip received', body: (f) => `${money(f)} have been added to your balance as a tip.` },
    de: {
      title: 'Trinkgeld erhalten',
      body: (f) => `${money(f)} Trinkgeld wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: { title: 'Propina recibida', body: (f) => `Se han añadido ${money(f)} de propina a su saldo.` },
  }),
};
