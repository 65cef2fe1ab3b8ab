import type { authEvents } from '../../../accounts/auth/schemas.ts';
import type { baseEvents } from '../../../base/events/schemas.ts';
import type { userEvents } from '../../../base/users/schemas.ts';
import type { kycEvents } from '../../../compliance/kyc/schemas.ts';
import type { bonusEvents } from '../../../money/bonus/grants/schemas.ts';
import type { depositEvents } from '../../../money/payments/deposits/schemas.ts';
import type { withdrawalEvents } from '../../../money/payments/withdrawals/schemas.ts';
import type { Trigger } from '../rules.ts';

type Events = typeof authEvents &
  typeof userEvents &
  typeof baseEvents &
  typeof kycEvents &
  typeof depositEvents &
  typeof withdrawalEvents &
  typeof bonusEvents;

/** The events from which messages are created. */
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
] as const satisfies readonly (keyof Events)[];
type Name = (typeof NAMES)[number];
type Data<N extends Name> = Events[N]['data']['_zod']['output'];

/** Additional data for messages: the current USD rate of a currency and the CRM trigger of a grant. Unknown values are null. */
export type Lookups = {
  rateOf: (currencyId: string) => string | null;
  triggerOf: (grantId: string) => Trigger | null;
};

/** The type and fields of a message, under the CRM's names. */
export type Content = { type: string } & Readonly<Record<string, unknown>>;

/**
 * Returns true for messages that report an exclusion, which are the only messages sent about excluded players. Others might encourage them
 * to return.
 */
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

const payment = (type: string, id: string, { status, amount, currencyId }: Payment, { rateOf }: Lookups) => [
  { type, payment_id: id, status, amount, currency: currencyId, exchange_rate: rateOf(currencyId) },
];

const CONTENTS: { [N in Name]: (data: Data<N>, lookups: Lookups) => readonly Content[] } = {
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
  // An exclusion withdraws all consents.
  'user.blocks': ({ block, isActive: active }) =>
    block === 'BANNED'
      ? [{ type: 'block', block: 'Blocked', active }]
      : [{ type: 'block', block: 'Excluded', active }, CONSENT],
  'deposit.status': ({ depositId, ...data }, lookups) => payment('deposit', depositId, data, lookups),
  'withdraw.status': ({ withdrawalId, ...data }, lookups) =>
    payment('withdrawal', withdrawalId, data, lookups),
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

/** Returns the messages for an event, in order. */
export const contentsOf = (name: string, data: unknown, lookups: Lookups): readonly Content[] =>
  (CONTENTS[name as Name] as (data: unknown, lookups: Lookups) => readonly Content[])(data, lookups);

/** The result of a delivery attempt. */
export type Verdict = { is: 'DONE' } | { is: 'HOPELESS' | 'AGAIN'; reason: string };

/** Classifies a response. Redirects and 5xx responses have already been handled in platform/net/outbound.ts. */
export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return { is: 'DONE' };
  const isHopeless = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { is: isHopeless ? 'HOPELESS' : 'AGAIN', reason: `the CRM returned ${status}` };
}

/** The number of attempts after which a message becomes a dead letter. */
export const MAX_ATTEMPTS = 10;

/** Returns the number of seconds until the next attempt: e, e², e³ …, as for queued tasks. */
export const pauseAfter = (attempts: number): number => Math.exp(attempts);
