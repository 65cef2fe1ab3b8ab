import { errors } from '../../../platform/errors.ts';
export const botActivityErrors = errors({
  BOT_ACTIVITY_NOT_FOUND: [404, 'Bot activity not found.'],
  BOT_ACTIVITY_DISABLED: [
    409,
    'Bot activity is disabled on this server (BOT_ACTIVITY), so no bot can be activated.',
  ],
  BOT_ACCOUNT_IN_USE: [
    409,
    'This account is or was in use; see details.use. Choose an account without sign-ins, deposits and bets.',
  ],
  BOT_ACCOUNT_NEEDED: [
    409,
    'This account is not a bot. Make it one with PATCH /admin/bot-activity/bot-toggle.',
  ],
});
