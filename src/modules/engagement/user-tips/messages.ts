import { message } from '../../base/notifications/message.ts';

/** `amount` is exact decimal text; `from` is null where the sender hides their name. */
type Received = { tipId: string; amount: string; currencyId: string; from: string | null };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

export const messages = {
  'tip.received': message<Received>('TIP', {
    en: {
      title: 'Tip received',
      body: (f) => `${f.from ?? 'Another player'} has given you a tip of ${money(f)}.`,
    },
    de: {
      title: 'Trinkgeld erhalten',
      body: (f) => `${f.from ?? 'Jemand'} hat Ihnen ein Trinkgeld von ${money(f)} gegeben.`,
    },
    es: {
      title: 'Propina recibida',
      body: (f) => `${f.from ?? 'Otro jugador'} le ha dado una propina de ${money(f)}.`,
    },
  }),
};
