import { hidden, optionalText, percent, segment, textOr } from './setting.ts';

export const sportsbook = {
  SPORTSBOOK_SEGMENT: segment('sportsbook').describe(
    "Name of the sportsbook's provider. It is its slug in the catalogue and the path segment of its debug routes.",
  ),
  SPORTSBOOK_LOGIN: optionalText().describe(
    'Login with which the sportsbook requests its tokens. Default in `local` and `test`: the sandbox. Absent elsewhere: no tokens are issued.',
  ),
  SPORTSBOOK_PASSWORD: hidden(textOr('sandbox-sportsbook-password')).describe('Password of that login.'),
  SPORTSBOOK_FEE_PERCENT: percent.describe(
    "The sportsbook's share of its revenue in percent, for net revenue on dashboards.",
  ),
};
