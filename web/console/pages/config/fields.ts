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
  /** True if the field may be empty. An empty field removes the setting. */
  isOptional?: boolean;
  /** Columns of rows and maps, with their headings. A map has two columns: key and value. */
  columns?: readonly Column[];
};
export type Column = { name: string; label: string; kind: 'text' | 'number' | 'switch' };

export type Section = { title: string; under?: string; of: readonly Setting[] };
export type Code = 'COMMON' | 'WITHDRAWALS' | 'AFFILIATES' | 'BATTLES';

const flag = (name: string, label: string): Setting => ({ name, label, kind: 'switch' });
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
    title: 'Open and closed',
    of: [
      flag('isRegistrationOpen', 'New accounts are opened'),
      flag('isPlayOpen', 'New bets are taken; open rounds finish in any case'),
      flag('isDepositOpen', 'Deposits are taken'),
      flag('isChatEnabled', 'The chat is on'),
      {
        name: 'maintenanceMessage',
        label: 'Message on every page (empty: none)',
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
      whole('minimumAge', 'Least age of players', 18, 25),
      address('termsUrl', 'Address of the terms'),
      address('privacyUrl', 'Address of the privacy policy'),
      address('responsibleGamblingUrl', 'Address on responsible play'),
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
    title: 'Before the site opens',
    under: 'comingSoon',
    of: [
      flag('enabled', 'The page “coming soon” is shown'),
      { name: 'launchAt', label: 'Opening time', kind: 'moment', isOptional: true },
      { name: 'features', label: 'Announced features, one per line, 20 at most', kind: 'lines' },
    ],
  },
  {
    title: 'Bets',
    of: [
      whole('minBetIntervalMs', 'Least time between two bets, in ms; 0: none', 0, 60_000),
      byCountry('minBetIntervalMsByCountry', 'Where it is longer, in ms', count('value', 'In ms')),
      byCountry('seriesByCountry', 'Automatic play by country; not named: on', ON),
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
      whole('rewardTurnoverPercent', 'How much of a reward has to be wagered, in %', 0, 1000),
    ],
  },
  {
    title: 'Rakeback',
    under: 'rakeback',
    of: [
      whole('instantBp', 'At once, in 1/100 % of the edge', 0, 10_000),
      whole('dailyBp', 'Daily, in 1/100 % of the edge', 0, 10_000),
      whole('weeklyBp', 'Weekly, in 1/100 % of the edge', 0, 10_000),
      whole('monthlyBp', 'Monthly, in 1/100 % of the edge', 0, 10_000),
      whole('expiryDays', 'Lost after so many days; empty: never', 1, 3650, { isOptional: true }),
    ],
  },
  {
    title: 'Promotions',
    under: 'promo',
    of: [
      whole('depositHours', 'A deposit bonus waits so many hours', 1, 8760),
      whole('queueDays', 'A grant waits so many days behind another', 1, 3650),
      byCountry(
        'maxWagerMultiplierByCountry',
        'Most times a bonus is wagered, by country',
        count('value', 'Times'),
      ),
    ],
  },
  {
    title: 'Leaderboards',
    under: 'leaderboards',
    of: [
      flag('paysAutomatically', 'Prizes are paid by themselves once places are final'),
      flag('movesPrizesUp', 'The prize of a place that is skipped goes to the next'),
    ],
  },
  {
    title: 'Tips between players',
    under: 'tips',
    of: [
      flag('isEnabled', 'Players may tip each other'),
      byCountry('byCountry', 'By country; not named: on', ON),
      dollars('minUsd', 'Least tip in USD'),
      dollars('dailyLimitUsd', 'Most in a day in USD'),
      whole('dailyLimitWagerPercent', 'Or so many % of what their level asks for', 0, 100),
      whole('recipientTurnoverPercent', 'How much of it has to be wagered, in %', 0, 1000),
    ],
  },
  {
    title: 'What staff gives and takes',
    under: 'adminTips',
    of: [
      dollars('maxUsd', 'Most at once in USD'),
      dollars('dailyMaxUsd', 'Most in a day of one member of staff, in USD'),
      whole('turnoverPercent', 'How much of it has to be wagered, in %', 0, 1000),
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
        columns: [text('id', 'Id: small letters, digits, -'), text('name', 'Name')],
      },
      dollars('minWageredUsd', 'Who has wagered less does not write, in USD'),
    ],
  },
];

const WITHDRAWALS: readonly Section[] = [
  {
    title: 'Withdrawals',
    of: [
      flag('isEnabled', 'Withdrawals are taken'),
      dollars('minUsd', 'Least in USD'),
      dollars('dailyLimitUsd', 'Most in a day in USD; empty: no limit', { isOptional: true }),
      whole('maxOpenPerUser', 'Open ones of a player at most', 1, 20),
      whole('newAddressDelayHours', 'To a new address they wait so many hours', 0, 168),
      whole('depositTurnoverPercent', 'How much of a deposit has to be wagered, in %', 0, 1000),
      byCountry('cancelByCountry', 'Players may take them back, by country; not named: on', ON),
    ],
  },
  {
    title: 'Who approves',
    of: [
      dollars('autoApproveLimitUsd', 'Nobody has to up to here, in USD; 0: staff approves all'),
      whole('autoApproveMinAccountDays', 'Accounts younger than so many days: staff', 0, 3650),
      whole('autoApproveMaxRisk', 'More points of risk than this: staff', 0, 100),
      dollars('fourEyesThresholdUsd', 'Two of the staff from here on, in USD'),
      dollars('adjustmentApprovalUsd', 'Value created by staff: second approver from this amount, in USD'),
      dollars('staffValueLimitUsd', 'Value created by staff below superadmin: 24-hour limit, in USD'),
      dollars('depositReviewApprovalUsd', 'Deposits under review: second approver from this amount, in USD'),
      dollars('depositWriteOffBelowUsd', 'Deposits under review: write-off below this amount, in USD'),
    ],
  },
  {
    title: 'Proof of identity',
    of: [
      dollars('kycThresholdUsd', 'Before a withdrawal, from deposits of a lifetime in USD'),
      dollars('kycSingleThresholdUsd', 'From this amount in 30 days, in USD'),
      dollars('kycDepositThresholdUsd', 'Before the next deposit, in USD; empty: never', {
        isOptional: true,
      }),
    ],
  },
];

const AFFILIATES: readonly Section[] = [
  {
    title: 'Affiliates',
    of: [
      flag('isEnabled', 'The programme is on'),
      { name: 'divisor', label: 'Commission divisor', kind: 'number', min: 1, max: 100, step: '0.01' },
      whole('holdDays', 'It can be claimed after so many days', 0, 90),
      dollars('minClaimUsd', 'Least claim in USD'),
      whole('cookieDays', 'A browser knows its code for so many days', 1, 365),
      whole('activeDays', 'A referral is active for so many days after a bet', 1, 365),
      { name: 'depositCommissionPercent', label: 'Share of referrals’ deposits, in %', kind: 'percent' },
    ],
  },
  {
    title: 'Codes',
    of: [
      whole('codeMinLength', 'Shortest', 3, 20),
      whole('codeMaxLength', 'Longest', 3, 50),
      whole('maxCodesPerUser', 'Codes of a player at most', 1, 100),
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
          text('commissionPercent', '% of the edge'),
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
      flag('isEnabled', 'Players play against each other'),
      whole('maxPlayers', 'Players of one at most', 2, 8),
      dollars('minEntryUsd', 'Least entry in USD'),
      dollars('maxEntryUsd', 'Highest entry in USD'),
      whole('maxOpenPerUser', 'Open ones of a player at most', 1, 20),
      whole('lobbyMinutes', 'A lobby that is not full closes after so many minutes', 1, 1440),
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
