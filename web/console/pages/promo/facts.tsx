import type { PromoAdmin } from '../../../../client/call.ts';
import { asChoice, type Choice } from '../../../kit/form/choice.tsx';
import { exactMoney, list, moment, number, percent, plural, unit } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { useCountries, useProviderIds } from '../choices.ts';
import { conditionsOf, type Facts, withoutUnset } from './audience.ts';
import { Reward } from './reward.tsx';
import { wageringOf } from './wagering.ts';

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
