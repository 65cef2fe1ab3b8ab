import { errors } from '../../platform/errors.ts';

export const betErrors = errors({
  BET_NOT_FOUND: [404, 'No such bet.'],
});
