import { errors } from '../../../platform/errors.ts';
export const promoErrors = errors({
  PROMO_CODE_OR_ID_REQUIRED: [400, 'Send either code or promoId.'],
  PROMO_INVALID: [400, 'The terms of the promotion are invalid; see details.problems.'],
  PROMO_NOT_ELIGIBLE: [403, 'Your account is not eligible for this promotion; see details.rule.'],
  PROMO_NOT_FOUND: [404, 'Promotion or code not found.'],
  PROMO_EXPIRED: [409, 'This promotion has ended or has not started yet.'],
  PROMO_EXHAUSTED: [409, 'This promotion or code is used up.'],
  PROMO_ALREADY_USED: [409, 'You have already used this promotion.'],
  PROMO_HAS_GRANTS: [409, 'This promotion has grants or belongs to the platform. Archive it instead.'],
  PROMO_STATUS_CONFLICT: [
    409,
    'Status change not allowed. Use DRAFT to ACTIVE, ACTIVE to PAUSED and back, or PAUSED to ARCHIVED.',
  ],
  PROMO_CODE_TAKEN: [409, 'This code already exists. Choose another one.'],
  PROMO_TERMS_CHANGED: [
    409,
    'The terms changed during the grant. Check them, then grant the promotion to the remaining players.',
  ],
  PROMO_NOT_ACTIVE: [409, 'The promotion is not active. Start it first.'],
});
