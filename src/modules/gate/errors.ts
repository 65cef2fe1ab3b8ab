import { errors } from '../../platform/errors.ts';

export const gateErrors = errors({
  USER_BANNED: [403, 'This account is banned.'],
});
