import { list } from '../../kit/intl.ts';

type Words = Readonly<Record<string, string>>;

/** Texts of identity verification. */
export const kyc = {
  title: 'Verification',
  hint: 'We need to know who plays here. Only the people who check your documents can see them.',
  requiredFor: (what: readonly string[]) => `Complete the next step to make ${list(what)}.`,
  for: { WITHDRAW: 'withdrawals', DEPOSIT: 'deposits' } as Words,
  level: (level: number) => `Level ${level} of 4`,
  levelHint: 'Each step raises your level.',
  tiers: {
    BASIC: 'Personal details',
    IDENTITY: 'Identity document',
    ADDRESS: 'Proof of address',
    SOURCE_OF_FUNDS: 'Source of funds',
  },
  about: {
    BASIC: 'Your name, date of birth and address.',
    IDENTITY: 'A passport, identity card or driving licence, and a photo of you.',
    ADDRESS: 'A bill or an official letter with your address, no older than three months.',
    SOURCE_OF_FUNDS: 'Documents that show where the money you play with comes from.',
  },
  states: {
    NONE: 'Not started',
    PENDING: 'Under review',
    ON_HOLD: 'Under manual review',
    APPROVED: 'Verified',
    REJECTED: 'Rejected',
    RESUBMIT: 'Please submit again',
    EXPIRED: 'Expired',
  },
  submitted: 'Submitted',
  decided: 'Reviewed',
  expires: 'Valid until',
  basicFirst: 'Enter your personal details first.',
  upload: 'Upload documents',
  opened:
    'You can now upload your documents to our verification partner. The status here updates automatically.',
  provider: 'Partner',
  applicant: 'Applicant ID',
  levelName: 'Check',
  token: 'Access key for the partner’s app. Don’t share it with anyone.',
  copyToken: 'Copy access key',
  basicHint: 'Enter them exactly as in your documents.',
  firstName: 'First name',
  lastName: 'Last name',
  birthDate: 'Date of birth',
  country: 'Country',
  choose: 'Choose',
  city: 'City',
  address: 'Street and number',
  postalCode: 'Postal code',
  gender: 'Gender (optional)',
  genders: { FEMALE: 'Female', MALE: 'Male', OTHER: 'Other' },
  unsaid: 'Prefer not to say',
  phonePrefix: 'Country code (optional)',
  phone: 'Phone (optional)',
  send: 'Submit',
  sent: 'Personal details submitted',
};

export type VerificationWords = typeof kyc;
