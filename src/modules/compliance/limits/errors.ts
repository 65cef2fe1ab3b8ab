import { errors } from '../../../platform/errors.ts';

export const limitErrors = errors({
  EXCLUSION_CANNOT_BE_SHORTENED: [
    409,
    'An exclusion cannot be shortened. It lasts at least until `details.expiresAt`.',
  ],
  EXCLUSION_NOT_FOUND: [404, 'This user is not excluded.'],
  REASON_REQUIRED: [400, 'The user chose this exclusion. Enter a `reason` for lifting it.'],
  LIMIT_NOT_FOUND: [404, 'This limit does not exist, so it cannot be removed.'],
  LIMIT_CHANGE_PENDING: [409, 'A change to this limit is pending. Confirm or cancel it first.'],
  LIMIT_CHANGE_NOT_FOUND: [
    404,
    'Pending change not found. GET /user-limits/gambling-limits lists pending changes.',
  ],
  LIMIT_CHANGE_TOO_EARLY: [
    409,
    'It is too early to confirm this change. Confirm it at or after `details.confirmableFrom`.',
  ],
  LIMIT_CHANGE_LAPSED: [409, 'This change was not confirmed in time. Request it again.'],
  STAFF_LIMIT_ONLY_TIGHTENS: [
    409,
    'Staff can only lower this limit. The current limit is in `details.betLimit`.',
  ],
});
