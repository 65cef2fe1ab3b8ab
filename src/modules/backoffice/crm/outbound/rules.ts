import type { EVENTS } from '../../../base/declared.ts';
import type { Trigger } from '../rules.ts';

/** The events that become messages. */
export const NAMES = [
  'user.registered',
  'session.used',
  'user.updated',
  'vip.level',
  'kyc.status',
  'user.consents',
  'user.blocks',
  'deposit.status',
  'withdraw.status',
  'promo.state',
] as const satisfies readonly (keyof typeof EVENTS)[];
type Name = (typeof NAMES)[number];
type Data<N extends Name> = (typeof EVENTS)[N]['data']['_zod']['output'];

/** What else a message says: the rate of a currency now, in dollars, and what has triggered a grant at the CRM; null: nothing is known. */
export type Known = {
  rateOf: (currencyId: string) => string | null;
  triggerOf: (grantId: string) => Trigger | null;
};

/** The type of a message and its own fields, by the CRM's names. */
export type Content = { type: string } & Readonly<Record<string, unknown>>;

/** These go out whatever keeps a player from play: they say so. Nothing else does, as it might draw them back. */
export const isAlwaysSent = (type: string): boolean => type === 'block' || type === 'consent';

const STATES = {
  PENDING: 'Pending',
  CREATED: 'Created',
  ONGOING: 'Ongoing',
  COMPLETED: 'Completed',
  FORFEITED: 'Forfeited',
  EXPIRED: 'Expired',
  LOST: 'Lost',
} as const satisfies Record<Data<'promo.state'>['state'], string>;

const UPDATE: readonly Content[] = [{ type: 'user_update' }];
const CONSENT: Content = { type: 'consent' };

type Payment = Omit<Data<'deposit.status'>, 'depositId'> | Omit<Data<'withdraw.status'>, 'withdrawalId'>;

const payment = (type: string, id: string, { status, amount, currencyId }: Payment, { rateOf }: Known) => [
  { type, payment_id: id, status, amount, currency: currencyId, exchange_rate: rateOf(currencyId) },
];

const CONTENTS: { [N in Name]: (data: Data<N>, known: Known) => readonly Content[] } = {
  'user.registered': ({ by, country }) => [{ type: 'registration', method: by, country }],
  'session.used': ({ by, usedAt, provider, country, device, deviceType, browser, os }) => [
    {
      type: 'login',
      by,
      at: usedAt,
      method: provider,
      country,
      device,
      device_type: deviceType,
      browser,
      os,
    },
  ],
  'user.updated': () => UPDATE,
  'vip.level': () => UPDATE,
  'kyc.status': () => UPDATE,
  'user.consents': () => [CONSENT],
  // Who is excluded agrees to nothing.
  'user.blocks': ({ block, isActive: active }) =>
    block === 'BANNED'
      ? [{ type: 'block', block: 'Blocked', active }]
      : [{ type: 'block', block: 'Excluded', active }, CONSENT],
  'deposit.status': ({ depositId, ...data }, known) => payment('deposit', depositId, data, known),
  'withdraw.status': ({ withdrawalId, ...data }, known) => payment('withdrawal', withdrawalId, data, known),
  'promo.state': (grant, { rateOf, triggerOf }) => [
    {
      type: 'bonus',
      user_bonus_id: grant.grantId,
      bonus_code: grant.promoId,
      name: grant.name,
      bonus_type: grant.type,
      status: STATES[grant.state],
      amount: grant.amount,
      balance: grant.bonusBalance,
      required_wagering_amount: grant.wagerRequired,
      wagered_amount: grant.wagerDone,
      currency: grant.currencyId,
      exchange_rate: rateOf(grant.currencyId),
      fasttrack_references: triggerOf(grant.grantId),
    },
  ],
};

/** What the CRM is told of an event, in order. */
export const contentsOf = (name: string, data: unknown, known: Known): readonly Content[] =>
  (CONTENTS[name as Name] as (data: unknown, known: Known) => readonly Content[])(data, known);

/** How a message is delivered next: what has become of an attempt. */
export type Verdict = { is: 'DONE' } | { is: 'HOPELESS' | 'AGAIN'; reason: string };

/** What an answer means. A redirect or a 5xx is none (platform/outbound.ts). */
export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return { is: 'DONE' };
  const isHopeless = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { is: isHopeless ? 'HOPELESS' : 'AGAIN', reason: `the CRM answered ${status}` };
}

/** Tries before a message is given up. */
export const MOST_ATTEMPTS = 10;

/** Seconds until the next try after so many: e, e², e³ …, as jobs of the queue are tried. */
export const pauseAfter = (attempts: number): number => Math.exp(attempts);
