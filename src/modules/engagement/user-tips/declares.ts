import { errors } from '../../../platform/errors.ts';
import { message } from '../../base/notifications/message.ts';

export const userTipErrors = errors({
  TIP_TO_SELF: [400, 'You cannot tip yourself. Choose another player.'],
  TIPS_DISABLED: [403, 'Tips are not available in your country.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  TIP_RECIPIENT_NOT_ELIGIBLE: [403, 'This player cannot receive tips.'],
  TIP_LIMIT_REACHED: [
    403,
    'The daily tip limit is reached. `details.side` names whose limit; GET /user-tips/limits shows yours.',
  ],
});

/** `amount` is exact decimal text; `from` is null if the sender hides their name. */
type Received = { tipId: string; amount: string; currencyId: string; from: string | null };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

const messages = {
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

export const declares = {
  about: 'tips between players, with daily limits',
  tags: { 'User tips': 'Tips between players.' },
  messages,
  kinds: { 'tip.sent': 'TIP_SENT', 'tip.received': 'TIP_RECEIVED' },
  checks: {
    'what players have tipped on a day is not the sum of their tips': `
      select user_id, day, d.sent_usd, t.sent_usd as sent_by_tips, d.received_usd, t.received_usd as received_by_tips from tip_days d
      full join (
        select user_id, (created_at at time zone 'UTC')::date as day, coalesce(sum(usd_amount) filter (where direction = 'SENT'), 0) as sent_usd,
          coalesce(sum(usd_amount) filter (where direction = 'RECEIVED'), 0) as received_usd
        from tip_sides group by 1, 2) t using (user_id, day)
      where (coalesce(d.sent_usd, 0), coalesce(d.received_usd, 0)) is distinct from (coalesce(t.sent_usd, 0), coalesce(t.received_usd, 0))`,
  },
} as const;
