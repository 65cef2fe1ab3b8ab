import { count, hidden, optionalText, optionalUrl, textOr } from './setting.ts';

export const crm = {
  CRM_API_KEY: hidden(optionalText(8)).describe(
    'Key that the CRM sends as `x-api-key` in its requests. Default in `local` and `test`: the key of the sandbox. Absent elsewhere: the CRM routes return 401.',
  ),
  CRM_API_KEY_PREVIOUS: hidden(optionalText(8)).describe(
    'The previous CRM_API_KEY, set during rotation. Both keys are accepted.',
  ),
  CRM_URL: optionalUrl.describe(
    'Address at which the CRM receives events about players. Only the worker needs it. Default in `local`: the sandbox. Absent elsewhere: no events are sent.',
  ),
  CRM_SECRET: hidden(textOr('sandbox-crm-secret')).describe('Secret that signs these events.'),
  CRM_FUNDS_PLAYER_USD: count(100, 0).describe(
    "Maximum amount that the CRM can credit to one player's cash per day (UTC), in US dollars.",
  ),
  CRM_FUNDS_TOTAL_USD: count(10_000, 0).describe(
    'Maximum amount that the CRM can credit to all players together per day (UTC), in US dollars.',
  ),
};
