import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { event, internalEvent } from '../../base/events/schemas.ts';
import { GrantState, GrantStatus } from './grants/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about: 'grants to players: cash, or bonus money that must be wagered',
  events: {
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
    'promo.state': internalEvent(
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
  },
  kinds: {
    'promo.grant': 'PROMO_GRANT',
    'promo.conversion': 'PROMO_CONVERSION',
    'promo.conversion.back': 'PROMO_CONVERSION',
    'promo.forfeit': 'PROMO_FORFEIT',
    'promo.forfeit.back': 'PROMO_FORFEIT',
    'promo.write-off': 'PROMO_GRANT',
  },
  messages,
} as const;
