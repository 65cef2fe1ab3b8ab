import { errors } from '../../../platform/errors.ts';
export const userTipErrors = errors({
  TIP_TO_SELF: [400, 'You cannot tip yourself. Choose another player.'],
  TIPS_DISABLED: [403, 'Tips are not available in your country.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  TIP_RECIPIENT_NOT_ELIGIBLE: [403, 'This player cannot receive tips.'],
  TIP_LIMIT_REACHED: [
    403,
    'The daily tip limit is reached. `details.side` names whose limit; GET /user-tips/limits shows yours.',
  ],
});
