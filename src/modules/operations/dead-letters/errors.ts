import { errors } from '../../../platform/errors.ts';

export const deadLetterErrors = errors({
  DEAD_LETTER_NOT_FOUND: [404, 'There is no dead letter with this id; list them.'],
  STAFF_UNKNOWN: [404, 'Say who does it: --by with the user name of an account of staff.'],
});
