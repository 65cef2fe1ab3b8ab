import { errors } from '../../../platform/errors.ts';

export const promoErrors = errors({
  PROMO_CODE_OR_ID_REQUIRED: [400, 'Send either code or promoId.'],
  PROMO_INVALID: [400, 'The promotion cannot be as it is described; see details.problems.'],
  PROMO_NOT_ELIGIBLE: [403, 'This promotion is not for this account; see details.rule.'],
  PROMO_NOT_FOUND: [404, 'No such promotion or code.'],
  PROMO_EXPIRED: [409, 'This promotion is over or has not begun.'],
  PROMO_EXHAUSTED: [409, 'Nothing is left of this promotion or code.'],
  PROMO_ALREADY_USED: [409, 'This promotion was used by this account before.'],
  PROMO_HAS_GRANTS: [409, 'Something was granted of this promotion, or the platform grants it: archive it.'],
  PROMO_STATUS_CONFLICT: [
    409,
    'A promotion goes from DRAFT to ACTIVE, from there to PAUSED and back, and from PAUSED to ARCHIVED.',
  ],
  PROMO_CODE_TAKEN: [409, 'There is such a code already.'],
  PROMO_NOT_ACTIVE: [409, 'Only an active promotion is granted.'],
});
