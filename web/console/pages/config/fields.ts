/** A setting's input type and the limits that the server enforces. */
export type Setting = {
  name: string;
  label: string;
  kind: 'switch' | 'text' | 'long' | 'number' | 'dollars' | 'percent' | 'lines' | 'moment' | 'rows' | 'map';
  min?: number;
  max?: number;
  step?: string;
  maxLength?: number;
  pattern?: string;
  hint?: string;
  /** The effect on players when the switch is turned off. The confirmation shows it. */
  whenOff?: string;
  /** True if the field may be empty. An empty field removes the setting. */
  isOptional?: boolean;
  /** Columns of rows and maps, with their headings. A map has two columns: key and value. */
  columns?: readonly Column[];
};
export type Column = { name: string; label: string; kind: 'text' | 'number' | 'switch' };

export type Section = { title: string; under?: string; of: readonly Setting[] };
export type Code = 'COMMON' | 'WITHDRAWALS' | 'AFFILIATES' | 'BATTLES';

/** The tabs of the page. */
export const TABS: readonly { name: string; path: string; code: Code }[] = [
  { name: 'Site', path: '/configuration', code: 'COMMON' },
  { name: 'Withdrawals', path: '/configuration/withdrawals', code: 'WITHDRAWALS' },
  { name: 'Affiliates', path: '/configuration/affiliates', code: 'AFFILIATES' },
  { name: 'Battles', path: '/configuration/battles', code: 'BATTLES' },
];

const flag = (name: string, label: string, whenOff?: string): Setting => ({
  name,
  label,
  kind: 'switch',
  ...(whenOff && { whenOff }),
});
const dollars = (name: string, label: string, more: Partial<Setting> = {}): Setting => ({
  name,
  label,
  kind: 'dollars',
  ...more,
});
const whole = (
  name: string,
  label: string,
  min: number,
  max: number,
  more: Partial<Setting> = {},
): Setting => ({ name, label, kind: 'number', min, max, step: '1', ...more });
const address = (name: string, label: string): Setting => ({
  name,
  label,
  kind: 'text',
  maxLength: 500,
  pattern: 'https://.*',
  hint: 'Begins with https://',
  isOptional: true,
});
const byCountry = (name: string, label: string, value: Column): Setting => ({
  name,
  label,
  kind: 'map',
  columns: [{ name: 'key', label: 'Country, such as DE', kind: 'text' }, value],
});
const ON: Column = { name: 'value', label: 'On', kind: 'switch' };
const text = (name: string, label: string): Column => ({ name, label, kind: 'text' });
const count = (name: string, label: string): Column => ({ name, label, kind: 'number' });

const COMMON: readonly Section[] = [
  {
    title: 'Availability',
    of: [
      flag('isRegistrationOpen', 'Sign-up is open', 'No one can sign up until you turn it on again.'),
      flag(
        'isPlayOpen',
        'Players can bet',
        'No player can place a bet until you turn it on again. Open rounds finish.',
      ),
      flag(
        'isDepositOpen',
        'Players can deposit',
        'No player can start a deposit until you turn it on again.',
      ),
      flag('isChatEnabled', 'Chat is enabled', 'No player can read or write in the chat.'),
      {
        name: 'maintenanceMessage',
        label: 'Maintenance message (empty: none)',
        kind: 'long',
        maxLength: 500,
      },
    ],
  },
  {
    title: 'The site',
    of: [
      { name: 'languages', label: 'Languages, one per line, such as en', kind: 'lines' },
      { name: 'defaultLanguage', label: 'Default language', kind: 'text', maxLength: 10 },
      {
        name: 'supportEmail',
        label: 'Support email',
        kind: 'text',
        maxLength: 254,
        isOptional: true,
      },
      whole('minimumAge', 'Minimum age', 18, 25),
      address('termsUrl', 'URL of the terms'),
      address('privacyUrl', 'URL of the privacy policy'),
      address('responsibleGamblingUrl', 'URL about safer play'),
      {
        name: 'captchaSiteKey',
        label: 'Captcha site key',
        kind: 'text',
        maxLength: 200,
        pattern: '[\\w\\-]*',
      },
    ],
  },
  {
    title: 'Coming soon',
    under: 'comingSoon',
    of: [
      flag('enabled', 'Show the page “Coming soon”'),
      { name: 'launchAt', label: 'Opening time', kind: 'moment', isOptional: true },
      { name: 'features', label: 'Announced features, one per line, at most 20', kind: 'lines' },
    ],
  },
  {
    title: 'Bets',
    of: [
      whole('minBetIntervalMs', 'Min time between bets, in ms (0: none)', 0, 60_000),
      byCountry('minBetIntervalMsByCountry', 'Longer min time by country, in ms', count('value', 'In ms')),
      byCountry('seriesByCountry', 'Autoplay by country (default: on)', ON),
      {
        name: 'minStakes',
        label: 'Min bet on originals by currency',
        kind: 'map',
        columns: [text('key', 'Currency'), text('value', 'Min bet')],
      },
    ],
  },
  {
    title: 'VIP levels',
    under: 'vip',
    of: [
      {
        name: 'ladder',
        label: 'Levels, in order from 0',
        kind: 'rows',
        columns: [
          count('level', 'Level'),
          text('wageredUsd', 'Wagered in USD'),
          text('rewardUsd', 'Reward in USD'),
          count('boostPercent', 'Rakeback + %'),
        ],
      },
      whole('rewardTurnoverPercent', 'Wagering of a reward, in %', 0, 1000),
    ],
  },
  {
    title: 'Rakeback',
    under: 'rakeback',
    of: [
      whole('instantBp', 'Instant, in 0.01% of the house edge', 0, 10_000),
      whole('dailyBp', 'Daily, in 0.01% of the house edge', 0, 10_000),
      whole('weeklyBp', 'Weekly, in 0.01% of the house edge', 0, 10_000),
      whole('monthlyBp', 'Monthly, in 0.01% of the house edge', 0, 10_000),
      whole('expiryDays', 'Expires after days (empty: never)', 1, 3650, { isOptional: true }),
    ],
  },
  {
    title: 'Promotions',
    under: 'promo',
    of: [
      whole('depositHours', 'Hours to deposit for a deposit bonus', 1, 8760),
      whole('queueDays', 'Days that a grant waits behind another', 1, 3650),
      byCountry('maxWagerMultiplierByCountry', 'Max wagering multiplier by country', count('value', 'Times')),
    ],
  },
  {
    title: 'Leaderboards',
    under: 'leaderboards',
    of: [
      flag('paysAutomatically', 'Pay prizes automatically once ranks are final'),
      flag('movesPrizesUp', 'Pass the prize of a skipped rank to the next'),
    ],
  },
  {
    title: 'Tips between players',
    under: 'tips',
    of: [
      flag('isEnabled', 'Players can tip each other'),
      byCountry('byCountry', 'Tips by country (default: on)', ON),
      dollars('minUsd', 'Min tip (USD)'),
      dollars('dailyLimitUsd', 'Daily limit (USD)'),
      whole('dailyLimitWagerPercent', 'Or a daily limit in % of the VIP level’s wagering', 0, 100),
      whole('recipientTurnoverPercent', 'Wagering of a received tip, in %', 0, 1000),
    ],
  },
  {
    title: 'Adjustments by staff',
    under: 'adminTips',
    of: [
      dollars('maxUsd', 'Max per adjustment (USD)'),
      dollars('dailyMaxUsd', 'Daily limit per staff member (USD)'),
      whole('turnoverPercent', 'Wagering of credited money, in %', 0, 1000),
    ],
  },
  {
    title: 'Chat',
    under: 'chat',
    of: [
      {
        name: 'rooms',
        label: 'Rooms (the first one shows public tips)',
        kind: 'rows',
        columns: [text('id', 'ID: lower-case letters, digits, -'), text('name', 'Name')],
      },
      dollars('minWageredUsd', 'Min wagered to write (USD)'),
    ],
  },
];

const WITHDRAWALS: readonly Section[] = [
  {
    title: 'Withdrawals',
    of: [
      flag(
        'isEnabled',
        'Players can withdraw',
        'No player can request a withdrawal until you turn it on again.',
      ),
      dollars('minUsd', 'Minimum (USD)'),
      dollars('dailyLimitUsd', 'Daily limit per player (USD, empty: none)', { isOptional: true }),
      whole('maxOpenPerUser', 'Max open withdrawals per player', 1, 20),
      whole('newAddressDelayHours', 'Hours to wait for a new address', 0, 168),
      whole('depositTurnoverPercent', 'Wagering of a deposit, in %', 0, 1000),
      byCountry('cancelByCountry', 'Players can cancel, by country (default: on)', ON),
    ],
  },
  {
    title: 'Approval',
    of: [
      dollars('autoApproveLimitUsd', 'Approve automatically up to (USD, 0: never)'),
      whole('autoApproveMinAccountDays', 'Min account age for automatic approval, in days', 0, 3650),
      whole('autoApproveMaxRisk', 'Max risk score for automatic approval', 0, 100),
      dollars('fourEyesThresholdUsd', 'Second approver from (USD)'),
      dollars('adjustmentApprovalUsd', 'Value created by staff: second approver from (USD)'),
      dollars('staffValueLimitUsd', 'Value created by staff below superadmin: 24-hour limit (USD)'),
      dollars('depositReviewApprovalUsd', 'Deposits under review: second approver from (USD)'),
      dollars('depositWriteOffBelowUsd', 'Deposits under review: write-off below (USD)'),
    ],
  },
  {
    title: 'Verification',
    of: [
      dollars('kycThresholdUsd', 'Before a withdrawal, from total deposits of (USD)'),
      dollars('kycSingleThresholdUsd', 'From an amount in 30 days of (USD)'),
      dollars('kycDepositThresholdUsd', 'Before the next deposit, from (USD, empty: never)', {
        isOptional: true,
      }),
    ],
  },
];

const AFFILIATES: readonly Section[] = [
  {
    title: 'Affiliates',
    of: [
      flag('isEnabled', 'Affiliate programme is enabled', 'No affiliate earns or claims commission.'),
      { name: 'divisor', label: 'Commission divisor', kind: 'number', min: 1, max: 100, step: '0.01' },
      whole('holdDays', 'Days until commission can be claimed', 0, 90),
      dollars('minClaimUsd', 'Min claim (USD)'),
      whole('cookieDays', 'Days that a browser remembers a code', 1, 365),
      whole('activeDays', 'Days that a referral is active after a bet', 1, 365),
      { name: 'depositCommissionPercent', label: 'Share of referrals’ deposits, in %', kind: 'percent' },
    ],
  },
  {
    title: 'Codes',
    of: [
      whole('codeMinLength', 'Min length', 3, 20),
      whole('codeMaxLength', 'Max length', 3, 50),
      whole('maxCodesPerUser', 'Max codes per player', 1, 100),
    ],
  },
  {
    title: 'Levels',
    of: [
      {
        name: 'levels',
        label: 'Levels, in order from 1',
        kind: 'rows',
        columns: [
          count('id', 'Level'),
          text('name', 'Name'),
          text('commissionPercent', '% of the house edge'),
          text('minWageredUsdAmount', 'Wagered in USD'),
          count('minReferralCountForClaim', 'Referrals to claim'),
        ],
      },
    ],
  },
];

const BATTLES: readonly Section[] = [
  {
    title: 'Battles',
    of: [
      flag('isEnabled', 'Battles are enabled', 'No player can open or join a battle.'),
      whole('maxPlayers', 'Max players per battle', 2, 8),
      dollars('minEntryUsd', 'Min entry (USD)'),
      dollars('maxEntryUsd', 'Max entry (USD)'),
      whole('maxOpenPerUser', 'Max open battles per player', 1, 20),
      whole('lobbyMinutes', 'Minutes until a battle that is not full closes', 1, 1440),
    ],
  },
];

/** All settings of all configuration codes, as shown in the forms. */
export const SECTIONS: Readonly<Record<Code, readonly Section[]>> = {
  COMMON,
  WITHDRAWALS,
  AFFILIATES,
  BATTLES,
};
