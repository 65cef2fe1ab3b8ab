import { errors } from '../../../platform/errors.ts';

export const deadLetterErrors = errors({
  DEAD_LETTER_NOT_FOUND: [404, 'No dead letter has this id. List the dead letters to see their ids.'],
  STAFF_UNKNOWN: [404, 'No staff account has this username. Pass the username of a staff account with --by.'],
});
