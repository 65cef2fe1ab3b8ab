import { errors } from '../../../platform/errors.ts';

export const userAdminErrors = errors({
  USER_ALREADY_BANNED: [409, 'This user is already banned.'],
  USER_NOT_BANNED: [409, 'This user is not banned.'],
  USER_WITHOUT_MFA: [409, 'This user has no second factor.'],
  STAFF_HAS_RIGHTS: [409, 'Remove the roles and permissions of this user first.'],
  ERASURE_REFUSED: [409, 'This account has open items. Settle everything in details.reasons first.'],
  ERASED_BY_NOBODY: [409, 'Pass the id of the responsible staff account with --by.'],
  PAGE_TOO_DEEP: [
    400,
    'Only the first and last pages of this list can be read. Narrow the filters or sort by id.',
  ],
});
