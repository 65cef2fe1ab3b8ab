import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { event, internalEvent } from '../../base/events/schemas.ts';
import { GrantState, GrantStatus } from './grants/schemas.ts';
import { messages } from './messages.ts';

export const declares = {
  about: 'what players were granted: money at once, or a bonus that is wagered',
  events: {
    'promo.progress': event(
      'user',
      'A bonus of the player moved on: its state, or what was wagered for it.',
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
      'A grant of a player has come to another state. Forfeited is also what was cancelled.',
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
