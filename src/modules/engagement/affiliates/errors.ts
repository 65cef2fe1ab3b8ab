import { errors } from '../../../platform/errors.ts';
export const affiliateErrors = errors({
  AFFILIATE_CODE_NOT_FOUND: [404, 'This affiliate code does not exist.'],
  AFFILIATE_CODE_TAKEN: [409, 'This code is taken or was used before. Choose another one.'],
  AFFILIATE_CODES_FULL: [409, 'This account has the maximum number of codes; see `details.most`.'],
  AFFILIATE_NOTHING_TO_CLAIM: [409, 'The claimable commission is below the minimum claim.'],
  AFFILIATE_CLAIM_LOCKED: [409, 'You need more referrals to claim; see `details.required`.'],
  AFFILIATES_DISABLED: [409, 'The affiliate program accepts no new codes at the moment.'],
  REPORT_TOO_LONG: [400, 'The report covers too many rows. Request fewer codes or fewer days.'],
});
