import { z } from 'zod';
import { count, hidden, optionalText, textOr } from './setting.ts';

export const crm = {
  CRM_API_KEY: hidden(optionalText(8)).describe(
    'What the CRM sends as `x-api-key` when it calls us. Default in `local` and `test`: the key of the sandbox. Absent elsewhere: its routes answer 401.',
  ),
  CRM_API_KEY_PREVIOUS: hidden(optionalText(8)).describe(
    'The former CRM_API_KEY while it is replaced: both are taken.',
  ),
  CRM_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Where the CRM takes events about players. Default in `local`: the sandbox. Absent elsewhere: nothing is sent. The worker alone needs it.',
    ),
  CRM_SECRET: hidden(textOr('sandbox-crm-secret')).describe('Secret that signs these events.'),
  CRM_FUNDS_PLAYER_USD: count(100, 0).describe(
    'What the CRM may credit to the cash of a player on a day (UTC), in US dollars.',
  ),
  CRM_FUNDS_TOTAL_USD: count(10_000, 0).describe('The same for all players together.'),
};
