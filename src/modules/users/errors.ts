import { errors } from '../../platform/errors.ts';

export const userErrors = errors({
  AUTH_USER_EXISTS: [409, 'This email or username is taken.'],
  USER_NOT_FOUND: [404, 'No such user.'],
});
