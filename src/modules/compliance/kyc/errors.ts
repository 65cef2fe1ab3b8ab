import { errors } from '../../../platform/errors.ts';

export const kycErrors = errors({
  KYC_UNDERAGE: [400, 'This person is below the minimum age.'],
  KYC_BASIC_REQUIRED: [409, 'Submit your basic identity details first: POST /kyc/basic.'],
  KYC_ALREADY_APPROVED: [409, 'This tier is already approved.'],
  KYC_FINALLY_REJECTED: [409, 'The rejection of this tier is final. Contact support.'],
  KYC_UNDER_REVIEW: [409, 'This tier is under review. Wait for the decision.'],
  KYC_PROVIDER_MISSING: [409, 'Documents cannot be uploaded here. Contact support to verify your identity.'],
  REASON_REQUIRED: [400, 'Enter a `reason`.'],
});
