import { errors } from '../../../platform/errors.ts';

export const userTipErrors = errors({
  TIP_TO_SELF: [400, 'Nobody tips themselves: name another player.'],
  TIPS_DISABLED: [403, 'Tips between players are not possible here.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your e-mail address first.'],
  TIP_RECIPIENT_NOT_ELIGIBLE: [403, 'This player cannot receive tips.'],
  TIP_LIMIT_REACHED: [
    403,
    'More than may be sent or received in a day; details.side says whose limit it is, GET /user-tips/limits how much is left of yours.',
  ],
});
