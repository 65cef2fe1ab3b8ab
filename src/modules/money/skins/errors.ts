import { errors } from '../../../platform/errors.ts';

export const skinErrors = errors({
  TRADE_LINK_REQUIRED: [
    409,
    'Sign in through the game platform once and store your trade link (PATCH /user/me) first.',
  ],
});
