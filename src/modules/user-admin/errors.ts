import { errors } from '../../platform/errors.ts';

export const userAdminErrors = errors({
  USER_ALREADY_BANNED: [409, 'This user is banned already.'],
  USER_NOT_BANNED: [409, 'This user is not banned.'],
  USER_WITHOUT_MFA: [409, 'This user has no second factor.'],
  STAFF_HAS_RIGHTS: [409, 'Take the roles and permissions of this user away first.'],
  ERASURE_REFUSED: [409, 'Settle what is open on this account first; see details.reasons.'],
  ERASED_BY_NOBODY: [409, 'Say who answers for it: --by with the id of an account of staff.'],
  PAGE_TOO_DEEP: [400, 'Only the ends of so long a list can be read: narrow the filters, or sort by id.'],
});
