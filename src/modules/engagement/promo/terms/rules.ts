import { formatUnits, parseNumber, parseUnits, type Units, units } from '../../../../platform/money.ts';
import type { GameTerms } from '../../../money/bonus/rules.ts';
import type { Conditions, Kind, WagerBase } from '../rules.ts';

export type Reward = {
  readonly kind: Kind;
  readonly currencyId: string;
  readonly amount?: string | null | undefined;
  readonly percent?: number | null | undefined;
  readonly maxAmount?: string | null | undefined;
  readonly freeSpins?: number | null | undefined;
  readonly freeSpinValueUsd?: string | null | undefined;
  readonly gameSlug?: string | null | undefined;
};

/** Terms of a promotion as staff set them. Amounts are decimal strings, and times are in ISO 8601. */
export type Terms = {
  readonly reward: Reward;
  readonly wagerMultiplier: number;
  readonly wagerBase: WagerBase;
  readonly maxBetUsd?: string | null | undefined;
  readonly maxWithdrawalMultiplier?: number | null | undefined;
  readonly validityHours?: number | null | undefined;
  readonly startAt?: string | null | undefined;
  readonly endAt?: string | null | undefined;
  readonly conditions?: Conditions | undefined;
  readonly budget?:
    | { readonly maxGrants?: number | null | undefined; readonly maxTotalUsd?: string | null | undefined }
    | undefined;
};

export type Problem = { path: string; message: string };

export type FreeSpins = { gameSlug: string; currencyId: string; valueUsd: Units };

/** Functions with which validation looks up currencies, games and countries. `decimalsOf` returns undefined for an unknown currency. */
export type Lookups = {
  decimalsOf: (currencyId: string) => number | undefined;
  /** Returns the reasons why the game's provider cannot give free spins. */
  freeSpinProblems: (spins: FreeSpins) => Problem[];
  isCountry: (code: string) => boolean;
};

const MAX = { wagerMultiplier: 1000, maxWithdrawalMultiplier: 100_000, percent: 1000 } as const;

/** Converts a number with at most two decimals to hundredths. Returns undefined for other numbers and numbers above `most`. */
export function hundredthsOf(value: number, most: number): number | undefined {
  const read = value <= most ? parseNumber(value) : undefined;
  return read === undefined || read % 1_000_000n !== 0n ? undefined : Number(read / 1_000_000n);
}

const problem = (path: string, message: string): Problem[] => [{ path, message }];
const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;
const upTo = (most: number) => `needs to be a number with two decimals at most, up to ${most}`;

/** Returns all problems with the terms. */
export function termsProblems(terms: Terms, lookups: Lookups): Problem[] {
  const {
    reward,
    wagerMultiplier,
    wagerBase,
    maxWithdrawalMultiplier: cap,
    conditions = {},
    budget = {},
  } = terms;
  return [
    ...rewardProblems(reward, lookups),
    ...(hundredthsOf(wagerMultiplier, MAX.wagerMultiplier) === undefined
      ? problem('wagerMultiplier', upTo(MAX.wagerMultiplier))
      : []),
    ...(wagerBase === 'DEPOSIT_AND_BONUS' && !given(reward.percent)
      ? problem('wagerBase', 'needs a percentage of a deposit as its reward')
      : []),
    ...(given(cap) && hundredthsOf(cap, MAX.maxWithdrawalMultiplier) === undefined
      ? problem('maxWithdrawalMultiplier', upTo(MAX.maxWithdrawalMultiplier))
      : []),
    ...dollarProblems('maxBetUsd', terms.maxBetUsd),
    ...dollarProblems('budget.maxTotalUsd', budget.maxTotalUsd),
    ...orderProblems('endAt', terms.startAt, terms.endAt),
    ...conditionProblems(conditions, lookups),
  ];
}

function rewardProblems(reward: Reward, lookups: Lookups): Problem[] {
  const { kind, currencyId } = reward;
  // No provider protocol supports ordering free bets.
  if (kind === 'FREE_BET') return problem('reward.kind', 'is not supported by any configured provider');
  if (kind === 'FREE_SPINS') return freeSpinsProblems(reward, lookups);
  const free = (['freeSpins', 'freeSpinValueUsd', 'gameSlug'] as const).filter((name) => given(reward[name]));
  const decimals = lookups.decimalsOf(currencyId);
  return [
    ...free.flatMap((name) => problem(`reward.${name}`, 'is allowed for free spins only')),
    ...(decimals === undefined
      ? problem('reward.currencyId', 'is not a currency')
      : amountProblems(reward, decimals)),
  ];
}

function freeSpinsProblems(reward: Reward, lookups: Lookups): Problem[] {
  const { currencyId, freeSpinValueUsd, gameSlug } = reward;
  const found = [
    ...(['freeSpins', 'freeSpinValueUsd', 'gameSlug'] as const)
      .filter((name) => !given(reward[name]))
      .flatMap((name) => problem(`reward.${name}`, 'is required for free spins')),
    ...(['amount', 'percent', 'maxAmount'] as const)
      .filter((name) => given(reward[name]))
      .flatMap((name) => problem(`reward.${name}`, 'is not allowed for free spins')),
    ...dollarProblems('reward.freeSpinValueUsd', freeSpinValueUsd),
  ];
  if (found.length > 0) return found;
  return lookups.freeSpinProblems({ gameSlug: gameSlug!, currencyId, valueUsd: units(freeSpinValueUsd!) });
}

function amountProblems({ kind, amount, percent, maxAmount }: Reward, decimals: number): Problem[] {
  if (given(amount) === given(percent))
    return problem('reward.amount', 'or percent is required, but not both');
  if (given(amount))
    return [
      ...(given(maxAmount) ? problem('reward.maxAmount', 'is allowed for a percentage only') : []),
      ...positiveProblems('reward.amount', amount, decimals),
    ];
  return [
    ...(kind === 'CASH'
      ? problem('reward.percent', 'is allowed for BONUS only: CASH is paid immediately, without a deposit')
      : []),
    ...(hundredthsOf(percent!, MAX.percent)
      ? []
      : problem('reward.percent', `${upTo(MAX.percent)}, and above 0`)),
    ...(given(maxAmount)
      ? positiveProblems('reward.maxAmount', maxAmount, decimals)
      : problem('reward.maxAmount', 'is required with a percentage')),
  ];
}

function conditionProblems(conditions: Conditions, { isCountry }: Lookups): Problem[] {
  const at = (name: string) => `conditions.${name}`;
  const amounts = (['minDepositUsd', 'depositSumUsd', 'turnoverUsd'] as const).flatMap((name) =>
    dollarProblems(at(name), conditions[name]),
  );
  const windows = (
    [
      ['depositWindowDays', 'depositSumUsd'],
      ['turnoverWindowDays', 'turnoverUsd'],
    ] as const
  ).flatMap(([days, sum]) =>
    given(conditions[days]) && !given(conditions[sum])
      ? problem(at(days), `is allowed with ${sum} only`)
      : [],
  );
  const { countriesAllow = [], countriesDeny = [] } = conditions;
  const unknown = (name: string, codes: readonly string[]) =>
    codes.filter((code) => !isCountry(code)).flatMap((code) => problem(at(name), `${code} is not a country`));
  return [
    ...amounts,
    ...windows,
    ...orderProblems(at('registeredTo'), conditions.registeredFrom, conditions.registeredTo),
    ...unknown('countriesAllow', countriesAllow),
    ...unknown('countriesDeny', countriesDeny),
    ...countriesAllow
      .filter((code) => countriesDeny.includes(code))
      .flatMap((code) => problem(at('countriesDeny'), `${code} is also allowed`)),
  ];
}

const positiveProblems = (path: string, amount: string, decimals: number): Problem[] =>
  parseUnits(amount, decimals) ? [] : problem(path, `needs to be above 0, with ${decimals} decimals at most`);

const dollarProblems = (path: string, amount: string | null | undefined): Problem[] =>
  given(amount) ? positiveProblems(path, amount, 8) : [];

const orderProblems = (
  path: string,
  from: string | null | undefined,
  to: string | null | undefined,
): Problem[] =>
  given(from) && given(to) && new Date(from) >= new Date(to)
    ? problem(path, 'needs to be later than the start')
    : [];

type Catalogue = {
  isSlug: (slug: string) => boolean;
  isProvider: (id: number) => boolean;
  isCategory: (name: string) => boolean;
};

const ALL_PERCENT = 100;

/** Returns unknown games, providers and categories, and invalid percentages. */
export function gamesProblems(games: GameTerms, { isSlug, isProvider, isCategory }: Catalogue): Problem[] {
  const { gameSlugs = [], providerIds = [], categories = [], contribution = {}, perGame = {} } = games;
  const at = (name: string) => `games.${name}`;
  const missing = <T>(name: string, all: readonly T[], what: string, exists: (one: T) => boolean) =>
    all.filter((one) => !exists(one)).flatMap((one) => problem(at(name), `${one} is not a ${what}`));
  const shares = (name: string, all: Readonly<Record<string, number>>) =>
    Object.entries(all).flatMap(([of, percent]) =>
      hundredthsOf(percent, ALL_PERCENT) === undefined
        ? problem(at(name), `of ${of} ${upTo(ALL_PERCENT)}`)
        : [],
    );
  return [
    ...missing('gameSlugs', gameSlugs, 'game', isSlug),
    ...missing('providerIds', providerIds, 'provider', isProvider),
    ...missing('categories', categories, 'category', isCategory),
    ...missing('contribution', Object.keys(contribution), 'category', isCategory),
    ...missing('perGame', Object.keys(perGame), 'game', isSlug),
    ...shares('contribution', contribution),
    ...shares('perGame', perGame),
  ];
}

/** Terms as they are stored: amounts in units, percentages in basis points, multipliers in hundredths. */
type StoredTerms = {
  kind: Kind;
  currency_id: string;
  amount: Units | null;
  percent_bp: number | null;
  max_amount: Units | null;
  free_spins: number | null;
  free_spin_value_usd: Units | null;
  game_slug: string | null;
  wager_multiplier_e2: number;
  wager_base: WagerBase;
  max_bet_usd: Units | null;
  max_withdrawal_multiplier_e2: number | null;
  validity_hours: number | null;
  start_at: Date | null;
  end_at: Date | null;
  max_grants: number | null;
  max_total_usd: Units | null;
};

/** Converts terms to their stored form. The terms must have no problems. */
export function toStored(terms: Terms): StoredTerms {
  const { reward, budget = {} } = terms;
  return {
    kind: reward.kind,
    currency_id: reward.currencyId,
    amount: amountOf(reward.amount),
    percent_bp: hundredthsOr(reward.percent),
    max_amount: amountOf(reward.maxAmount),
    free_spins: reward.freeSpins ?? null,
    free_spin_value_usd: amountOf(reward.freeSpinValueUsd),
    game_slug: reward.gameSlug ?? null,
    wager_multiplier_e2: hundredthsOr(terms.wagerMultiplier)!,
    wager_base: terms.wagerBase,
    max_bet_usd: amountOf(terms.maxBetUsd),
    max_withdrawal_multiplier_e2: hundredthsOr(terms.maxWithdrawalMultiplier),
    validity_hours: terms.validityHours ?? null,
    start_at: momentOf(terms.startAt),
    end_at: momentOf(terms.endAt),
    max_grants: budget.maxGrants ?? null,
    max_total_usd: amountOf(budget.maxTotalUsd),
  };
}

/** Converts stored terms back to the form in which staff set them. */
export function toTerms(stored: StoredTerms, conditions: Conditions): Terms {
  return {
    reward: {
      kind: stored.kind,
      currencyId: stored.currency_id,
      amount: textOf(stored.amount),
      percent: decimalOf(stored.percent_bp),
      maxAmount: textOf(stored.max_amount),
      freeSpins: stored.free_spins,
      freeSpinValueUsd: textOf(stored.free_spin_value_usd),
      gameSlug: stored.game_slug,
    },
    wagerMultiplier: stored.wager_multiplier_e2 / 100,
    wagerBase: stored.wager_base,
    maxBetUsd: textOf(stored.max_bet_usd),
    maxWithdrawalMultiplier: decimalOf(stored.max_withdrawal_multiplier_e2),
    validityHours: stored.validity_hours,
    startAt: stored.start_at?.toISOString() ?? null,
    endAt: stored.end_at?.toISOString() ?? null,
    conditions,
    budget: { maxGrants: stored.max_grants, maxTotalUsd: textOf(stored.max_total_usd) },
  };
}

const amountOf = (text: string | null | undefined): Units | null => (given(text) ? units(text) : null);
const textOf = (amount: Units | null): string | null => (amount === null ? null : formatUnits(amount));
const hundredthsOr = (value: number | null | undefined): number | null =>
  given(value) ? hundredthsOf(value, value)! : null;
const decimalOf = (hundredths: number | null): number | null =>
  hundredths === null ? null : hundredths / 100;
const momentOf = (text: string | null | undefined): Date | null => (given(text) ? new Date(text) : null);
