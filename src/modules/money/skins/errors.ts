import { errors } from '../../../platform/errors.ts';

export const skinErrors = errors({
  TRADE_LINK_REQUIRED: [
    409,
    'Sign in through the game platform, then save your trade link with PATCH /user/me.',
  ],
});
