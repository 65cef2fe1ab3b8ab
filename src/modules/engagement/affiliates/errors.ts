import { errors } from '../../../platform/errors.ts';

export const affiliateErrors = errors({
  AFFILIATE_CODE_NOT_FOUND: [404, 'There is no such affiliate code.'],
  AFFILIATE_CODE_TAKEN: [409, 'This code is taken, or was before; choose another one.'],
  AFFILIATE_CODES_FULL: [409, 'This account has as many codes as it may have; see details.most.'],
  AFFILIATE_NOTHING_TO_CLAIM: [409, 'Less can be claimed at the moment than the least amount of a claim.'],
  AFFILIATE_CLAIM_LOCKED: [409, 'A claim needs more referrals; see details.required.'],
  AFFILIATES_DISABLED: [409, 'The affiliate programme takes no new codes at the moment.'],
  REPORT_TOO_LONG: [400, 'So long a report cannot be read at once: name fewer codes or fewer days.'],
});
