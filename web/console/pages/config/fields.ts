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
    title: 'Availability',
    of: [
      flag('isRegistrationOpen', 'Allow sign-ups'),
      flag('isPlayOpen', 'Accept new bets (open rounds can always finish)'),
      flag('isDepositOpen', 'Accept deposits'),
      flag('isChatEnabled', 'Enable the chat'),
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
      whole('minimumAge', 'Minimum age of players', 18, 25),
      address('termsUrl', 'URL of the terms'),
      address('privacyUrl', 'URL of the privacy policy'),
      address('responsibleGamblingUrl', 'URL of the responsible gambling page'),
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
      whole('minBetIntervalMs', 'Minimum time between bets, in ms (0: none)', 0, 60_000),
      byCountry('minBetIntervalMsByCountry', 'Longer minimum by country, in ms', count('value', 'In ms')),
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
      whole('rewardTurnoverPercent', 'Wagering requirement of rewards, in %', 0, 1000),
    ],
  },
  {
    title: 'Rakeback',
    under: 'rakeback',
    of: [
      whole('instantBp', 'Instant, in basis points of the house edge', 0, 10_000),
      whole('dailyBp', 'Daily, in basis points of the house edge', 0, 10_000),
      whole('weeklyBp', 'Weekly, in basis points of the house edge', 0, 10_000),
      whole('monthlyBp', 'Monthly, in basis points of the house edge', 0, 10_000),
      whole('expiryDays', 'Expires after, in days (empty: never)', 1, 3650, { isOptional: true }),
    ],
  },
  {
    title: 'Promotions',
    under: 'promo',
    of: [
      whole('depositHours', 'Time to make the deposit for a deposit bonus, in hours', 1, 8760),
      whole('queueDays', 'Maximum wait of a queued grant, in days', 1, 3650),
      byCountry(
        'maxWagerMultiplierByCountry',
        'Maximum wagering multiplier by country',
        count('value', 'Multiplier'),
      ),
    ],
  },
  {
    title: 'Leaderboards',
    under: 'leaderboards',
    of: [
      flag('paysAutomatically', 'Pay prizes automatically once ranks are final'),
      flag('movesPrizesUp', 'Give the prize of a skipped rank to the next rank'),
    ],
  },
  {
    title: 'Tips between players',
    under: 'tips',
    of: [
      flag('isEnabled', 'Players can tip each other'),
      byCountry('byCountry', 'By country (default: on)', ON),
      dollars('minUsd', 'Minimum tip in USD'),
      dollars('dailyLimitUsd', 'Daily limit in USD'),
      whole('dailyLimitWagerPercent', 'Daily limit in % of the VIP level’s wagering, if higher', 0, 100),
      whole('recipientTurnoverPercent', 'Wagering requirement of received tips, in %', 0, 1000),
    ],
  },
  {
    title: 'Adjustments by staff',
    under: 'adminTips',
    of: [
      dollars('maxUsd', 'Maximum per adjustment in USD'),
      dollars('dailyMaxUsd', 'Daily maximum per staff member, in USD'),
      whole('turnoverPercent', 'Wagering requirement of given money, in %', 0, 1000),
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
        columns: [text('id', 'ID (lowercase letters, digits, -)'), text('name', 'Name')],
      },
      dollars('minWageredUsd', 'Minimum wagered amount to write, in USD'),
    ],
  },
];

const WITHDRAWALS: readonly Section[] = [
  {
    title: 'Withdrawals',
    of: [
      flag('isEnabled', 'Accept withdrawals'),
      dollars('minUsd', 'Minimum amount in USD'),
      dollars('dailyLimitUsd', 'Daily limit in USD (empty: none)', { isOptional: true }),
      whole('maxOpenPerUser', 'Maximum open withdrawals per player', 1, 20),
      whole('newAddressDelayHours', 'Hold withdrawals to a new address, in hours', 0, 168),
      whole('depositTurnoverPercent', 'Wagering requirement of deposits, in %', 0, 1000),
      byCountry('cancelByCountry', 'Players can cancel withdrawals, by country (default: on)', ON),
    ],
  },
  {
    title: 'Approval',
    of: [
      dollars('autoApproveLimitUsd', 'Automatic approval up to, in USD (0: staff approve all)'),
      whole('autoApproveMinAccountDays', 'Minimum account age for automatic approval, in days', 0, 3650),
      whole('autoApproveMaxRisk', 'Maximum risk score for automatic approval', 0, 100),
      dollars('fourEyesThresholdUsd', 'Second approver from this amount, in USD'),
      dollars('adjustmentApprovalUsd', 'Value created by staff: second approver from this amount, in USD'),
      dollars('staffValueLimitUsd', 'Value created by staff below superadmin: 24-hour limit, in USD'),
      dollars('depositReviewApprovalUsd', 'Deposits under review: second approver from this amount, in USD'),
      dollars('depositWriteOffBelowUsd', 'Deposits under review: write-off below this amount, in USD'),
    ],
  },
  {
    title: 'Identity verification',
    of: [
      dollars('kycThresholdUsd', 'Required for withdrawals once lifetime deposits reach, in USD'),
      dollars('kycSingleThresholdUsd', 'Required once withdrawals in 30 days reach, in USD'),
      dollars('kycDepositThresholdUsd', 'Required for deposits once they reach, in USD (empty: never)', {
        isOptional: true,
      }),
    ],
  },
];

const AFFILIATES: readonly Section[] = [
  {
    title: 'Affiliates',
    of: [
      flag('isEnabled', 'Enable the affiliate programme'),
      { name: 'divisor', label: 'Commission divisor', kind: 'number', min: 1, max: 100, step: '0.01' },
      whole('holdDays', 'Days before commission can be claimed', 0, 90),
      dollars('minClaimUsd', 'Minimum claim in USD'),
      whole('cookieDays', 'Days before the referral cookie expires', 1, 365),
      whole('activeDays', 'Days a referral stays active after a bet', 1, 365),
      { name: 'depositCommissionPercent', label: 'Share of referrals’ deposits, in %', kind: 'percent' },
    ],
  },
  {
    title: 'Codes',
    of: [
      whole('codeMinLength', 'Minimum length', 3, 20),
      whole('codeMaxLength', 'Maximum length', 3, 50),
      whole('maxCodesPerUser', 'Maximum codes per player', 1, 100),
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
      flag('isEnabled', 'Enable battles'),
      whole('maxPlayers', 'Maximum players per battle', 2, 8),
      dollars('minEntryUsd', 'Minimum entry in USD'),
      dollars('maxEntryUsd', 'Maximum entry in USD'),
      whole('maxOpenPerUser', 'Maximum open battles per player', 1, 20),
      whole('lobbyMinutes', 'Minutes before a lobby that is not full closes', 1, 1440),
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
