import { errors } from '../../../platform/errors.ts';

export const limitErrors = errors({
  EXCLUSION_CANNOT_BE_SHORTENED: [
    409,
    'An exclusion can only be extended: it lasts until details.expiresAt.',
  ],
  EXCLUSION_NOT_FOUND: [404, 'This user is not excluded.'],
  REASON_REQUIRED: [400, 'The user has excluded themselves: say in `reason` why this is lifted.'],
  LIMIT_NOT_FOUND: [404, 'There is no such limit to remove.'],
  LIMIT_CHANGE_PENDING: [409, 'A change of this limit already waits; confirm or cancel it first.'],
  LIMIT_CHANGE_NOT_FOUND: [
    404,
    'No such change waits; GET /user-limits/gambling-limits shows those that do.',
  ],
  LIMIT_CHANGE_TOO_EARLY: [409, 'This change can be confirmed from details.confirmableFrom.'],
  LIMIT_CHANGE_LAPSED: [409, 'This change was not confirmed in time; ask for it again.'],
  STAFF_LIMIT_ONLY_TIGHTENS: [409, 'Staff may only lower this limit; it is details.betLimit.'],
});
