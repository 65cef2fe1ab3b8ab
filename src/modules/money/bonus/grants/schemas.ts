import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../../http/schemas.ts';
import { event, events } from '../../../base/events/schemas.ts';

export const GrantStatus = z.enum([
  'PENDING',
  'ACTIVE',
  'COMPLETED',
  'FORFEITED',
  'EXPIRED',
  'LOST',
  'CANCELLED',
]);

/** The states of a grant in events. PENDING waits for a deposit, CREATED has its amount, ONGOING is being wagered. */
export const GrantState = z.enum([
  'PENDING',
  'CREATED',
  'ONGOING',
  'COMPLETED',
  'FORFEITED',
  'EXPIRED',
  'LOST',
]);

export const bonusEvents = events({
  'promo.progress': event(
    'user',
    'The status or the wagered amount of a bonus changed.',
    z.strictObject({
      grantId: Id,
      status: GrantStatus,
      currencyId: CurrencyId,
      bonusBalance: Amount,
      wagerRequired: Amount,
      wagerDone: Amount,
      progressPercent: z.number().min(0).max(100),
    }),
  ),
  'promo.state': event(
    'internal',
    'The state of a grant changed. Cancelled grants are reported as FORFEITED.',
    z.strictObject({
      grantId: Id,
      promoId: Id,
      name: z.string(),
      type: z.string(),
      state: GrantState,
      currencyId: CurrencyId,
      amount: Amount,
      bonusBalance: Amount,
      wagerRequired: Amount,
      wagerDone: Amount,
    }),
  ),
});
