import { errors } from '../../../platform/errors.ts';

export const userAdminErrors = errors({
  USER_ALREADY_BANNED: [409, 'This user is banned already.'],
  USER_NOT_BANNED: [409, 'This user is not banned.'],
  USER_WITHOUT_MFA: [409, 'This user has no second factor.'],
  STAFF_HAS_RIGHTS: [409, 'Take the roles and permissions of this user away first.'],
  ERASURE_REFUSED: [409, 'Settle what is open on this account first; see details.reasons.'],
  ERASED_BY_NOBODY: [409, 'Say who answers for it: --by with the id of an account of staff.'],
  REASON_REQUIRED: [400, 'So much needs a second person, who has to know why: name a reason.'],
  APPROVAL_NEEDED: [
    409,
    'A second person has to ask for the same before details.expiresAt, while the balance is details.before; neither may have opened the account of the other.',
  ],
  PAGE_TOO_DEEP: [400, 'Only the ends of so long a list can be read: narrow the filters, or sort by id.'],
});
