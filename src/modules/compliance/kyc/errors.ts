import { errors } from '../../../platform/errors.ts';

export const kycErrors = errors({
  KYC_UNDERAGE: [400, 'This person is too young to play here.'],
  KYC_BASIC_REQUIRED: [409, 'Say who you are first: POST /kyc/basic.'],
  KYC_ALREADY_APPROVED: [409, 'This tier is approved already.'],
  KYC_FINALLY_REJECTED: [409, 'This tier is closed: it was rejected for good. Support can tell more.'],
  KYC_UNDER_REVIEW: [409, 'This tier is being looked at; wait for the decision.'],
  KYC_PROVIDER_MISSING: [409, 'Documents are looked at by support here: no provider takes them.'],
  REASON_REQUIRED: [400, 'Say why, in `reason`.'],
});
