import { errors } from '../../../platform/errors.ts';

export const botActivityErrors = errors({
  BOT_ACTIVITY_NOT_FOUND: [404, 'No such activity of a bot.'],
  BOT_ACTIVITY_DISABLED: [409, 'Activity of bots is switched off here (BOT_ACTIVITY): none can be active.'],
  BOT_ACCOUNT_IN_USE: [
    409,
    'This account is or was used: details.use says how. Only one without sign-in, deposit and bet becomes a bot.',
  ],
  BOT_ACCOUNT_NEEDED: [409, 'This account is no bot: PATCH /admin/bot-activity/bot-toggle makes it one.'],
});
