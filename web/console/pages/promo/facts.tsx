import type { ReactNode } from 'react';
import type { PromoAdmin } from '../../../../client/call.ts';
import { asChoice, type Choice } from '../../../kit/form/choice.tsx';
import { exactMoney, list, moment, number, percent, plural, unit } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { useCountries, useProviderIds } from '../choices.ts';
import type { Draft } from './cost.ts';
import { countedDeposit } from './deposit.ts';
import { Reward } from './reward.tsx';
import { wageringOf } from './wagering.ts';

type Facts = Readonly<Record<string, ReactNode>>;
type Conditions = PromoAdmin['conditions'];

/** True if a term is set. */
export const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0);

/** Returns the facts that are set. A zero is the same as no condition. */
const withoutUnset = (facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => isSet(value) && value !== 0));

const lengthOf = (hours: number): string =>
  hours % 24 === 0 ? unit(hours / 24, 'day', 'long') : unit(hours, 'hour', 'long');

/** The reward, what becomes of it, and the time of the promotion. */
export function termFacts(promo: PromoAdmin): Facts {
  const { reward, maxBetUsd, maxWithdrawalMultiplier: most, validityHours, startAt, endAt, budget } = promo;
  return {
    Reward: <Reward of={promo} isExact />,
    Wagering: wageringOf(promo),
    ...withoutUnset({
      'Max bet': maxBetUsd && exactMoney(maxBetUsd, 'USD'),
      'Becomes cash, at most':
        reward.kind === 'BONUS' && (most === null ? 'No limit' : `${number(most)} × the bonus`),
      'Valid for': validityHours && `${lengthOf(validityHours)} after it becomes active`,
    }),
    Starts: startAt ? moment(startAt) : 'When staff start it',
    Ends: endAt ? moment(endAt) : 'When staff pause it',
    'Grant limit': budget.maxGrants ? number(budget.maxGrants) : 'None',
    Budget: budget.maxTotalUsd ? exactMoney(budget.maxTotalUsd, 'USD') : 'None',
  };
}

/** Describes a minimum amount, such as “$50 or more in the last 30 days”. */
function within(amount: string | null | undefined, days: number | null | undefined): string | undefined {
  if (!amount) return undefined;
  const least = `${exactMoney(amount, 'USD')} or more`;
  return days ? `${least} in the last ${unit(days, 'day', 'long')}` : least;
}

function periodOf({ registeredFrom, registeredTo }: Conditions): string | undefined {
  const parts = [
    registeredFrom && `from ${moment(registeredFrom)}`,
    registeredTo && `until ${moment(registeredTo)}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : undefined;
}

type Conditional = Pick<Draft, 'conditions' | 'reward'>;

/** The conditions that a player must meet, in words by label. Empty if there are none. */
function conditionsOf({ conditions, reward }: Conditional, nameOf = (code: string) => code): Facts {
  const { minDepositUsd, minAccountAgeDays, minVipLevel, kycTier } = conditions;
  const named = (codes: readonly string[] | undefined) =>
    codes && codes.length > 0 && list(codes.map(nameOf));
  return withoutUnset({
    'Min deposit': minDepositUsd && `${exactMoney(minDepositUsd, 'USD')}, counting ${countedDeposit(reward)}`,
    'Total deposits': within(conditions.depositSumUsd, conditions.depositWindowDays),
    'Total wagered': within(conditions.turnoverUsd, conditions.turnoverWindowDays),
    'Signed up': periodOf(conditions),
    'Days since sign-up': minAccountAgeDays && `${number(minAccountAgeDays)} or more`,
    'VIP level from': minVipLevel && number(minVipLevel),
    Verification: kycTier && words(kycTier),
    'Referral codes': conditions.affiliateCodes?.join(', '),
    'Allowed countries': named(conditions.countriesAllow),
    'Excluded countries': named(conditions.countriesDeny),
    'Email address': conditions.emailVerified && 'Verified',
    'Per IP address': conditions.onePerIp && 'One player',
    'Per device': conditions.onePerDevice && 'One player',
  });
}

const AUDIENCES: Readonly<Record<Draft['type'], string>> = {
  WELCOME: 'New players, who see it in the lobby',
  DEPOSIT: 'All players, who see it in the lobby',
  CODE: 'Players with a code',
  MANUAL: 'Players to whom staff grant it',
};
const LIMITED_AUDIENCES: typeof AUDIENCES = {
  WELCOME: 'New players who meet the conditions',
  DEPOSIT: 'Players who meet the conditions',
  CODE: 'Players with a code who meet the conditions',
  MANUAL: 'Players who meet the conditions and get it from staff',
};

/** The players whom a promotion is for. Names conditions if there are any. */
export const audienceOf = (promo: Conditional & Pick<Draft, 'type'>): string =>
  (Object.keys(conditionsOf(promo)).length > 0 ? LIMITED_AUDIENCES : AUDIENCES)[promo.type];

type Names = { game: (slug: string) => string; provider: (id: number) => string };

const MOST_NAMES = 10;
function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return list(
    more > 0 ? [...names.slice(0, MOST_NAMES), plural(more, { one: '# other', other: '# others' })] : names,
  );
}

/** The games that count, and how much of their bets. */
function gamesOf({ reward, games }: PromoAdmin, names: Names): Facts {
  if (reward.kind === 'FREE_SPINS')
    return reward.gameSlug ? { 'Games that count': names.game(reward.gameSlug) } : {};
  const { gameSlugs = [], providerIds = [], categories = [], contribution = {}, perGame = {} } = games;
  const counting = [
    ...categories.map(words),
    ...providerIds.map((id) => names.provider(id)),
    ...gameSlugs.map((slug) => names.game(slug)),
  ];
  const shares = [
    ...Object.entries(contribution).map(([category, share]) => `${words(category)} ${percent(share)}`),
    ...Object.entries(perGame).map(([slug, share]) => `${names.game(slug)} ${percent(share)}`),
  ];
  return {
    'Games that count': counting.length > 0 ? some(counting) : 'All games',
    ...(shares.length > 0 && { 'Bets count with': some(shares) }),
  };
}

const labelIn = (choices: readonly Choice[], value: string): string | undefined =>
  choices.map(asChoice).find((choice) => choice.value === value)?.label;

/** Returns the conditions of a promotion and the games that count. */
export function useConditionFacts(): (promo: PromoAdmin) => Facts {
  const countries = useCountries();
  const providers = useProviderIds();
  return (promo) => {
    const conditions = conditionsOf(promo, (code) => labelIn(countries, code) ?? code);
    return {
      ...(Object.keys(conditions).length === 0 ? { Conditions: 'None' } : conditions),
      ...gamesOf(promo, {
        game: (slug) => promo.gameNames?.[slug] ?? slug,
        provider: (id) => labelIn(providers, String(id)) ?? `Provider #${id}`,
      }),
    };
  };
}
