import { ONE, type Units } from '../../../platform/money.ts';
import { type Deductions, deductionsOf, type GivenSum, ngrOf } from '../../money/rewards/rules.ts';

/** Play with the players' own money (without bonus money), in US dollars × 10^8. */
export type Play = { bets: bigint; staked: Units; paid: Units };

/** The ids of the games that the figures include. Undefined means all games. */
export type Games = readonly number[] | undefined;

export const NO_PLAY: Play = { bets: 0n, staked: 0n, paid: 0n };

export const addPlay = (a: Play, b: Play): Play => ({
  bets: a.bets + b.bets,
  staked: a.staked + b.staked,
  paid: a.paid + b.paid,
});

/** Gross gaming revenue: the amount of their own money that players have lost. */
export const ggrOf = ({ staked, paid }: Play): Units => staked - paid;

/** Play on one provider's games. */
export type ProviderPlay = { providerId: number; play: Play };
export type FeePpmOf = (providerId: number) => bigint;

export type Revenue = { turnover: Units; ggr: Units; ngr: Units; deductions: Deductions };

/** Returns the revenue of one range. Provider fees are computed from the total of each provider in the range. */
export function revenueOf(
  plays: readonly ProviderPlay[],
  given: readonly GivenSum[],
  feePpmOf: FeePpmOf,
): Revenue {
  const byProvider = new Map<number, Play>();
  for (const { providerId, play } of plays)
    byProvider.set(providerId, addPlay(byProvider.get(providerId) ?? NO_PLAY, play));
  const all = totalOf(plays.map(({ play }) => play));
  const providers = [...byProvider].map(([id, play]) => ({ ggr: ggrOf(play), feePpm: feePpmOf(id) }));
  const deductions = deductionsOf(given, providers);
  const ggr = ggrOf(all);
  return { turnover: all.staked, ggr, ngr: ngrOf(ggr, deductions), deductions };
}

export const totalOf = (plays: readonly Play[]): Play => plays.reduce(addPlay, NO_PLAY);

// ---------------------------------------------------------------- numbers
// Exact until the last step, which rounds towards zero. Amounts become numbers only here.

/** Returns part ÷ whole with this number of decimals. Returns 0 if the whole is 0. */
export function quotient(part: bigint, whole: bigint, decimals: number): number {
  if (whole === 0n) return 0;
  const scale = 10n ** BigInt(decimals);
  return Number((part * scale) / whole) / Number(scale);
}

/** Returns an amount in dollars with two decimals. */
export const dollars = (amount: Units): number => quotient(amount, ONE, 2);

export const percentOf = (part: bigint, whole: bigint): number => quotient(part * 100n, whole, 2);

/** Returns a ratio with four decimals. Neither argument may be negative. */
export const ratioOf = (part: bigint, whole: bigint): number => quotient(part, whole, 4);

/** Returns the change in percent. Returns null if the previous value was 0. */
export function changePercent(current: bigint, previous: bigint): number | null {
  if (previous === 0n) return null;
  return percentOf(current - previous, previous < 0n ? -previous : previous);
}

/** Returns an amount in dollars, divided by `of`. */
const each = (amount: Units, of: bigint): number => quotient(amount, of * ONE, 2);

/** GGR ÷ players, turnover ÷ players, bets ÷ players, turnover ÷ bets, and GGR in percent of turnover. */
export const arpu = (play: Play, players: bigint): number => each(ggrOf(play), players);
export const atpu = (play: Play, players: bigint): number => each(play.staked, players);
export const abcpu = ({ bets }: Play, players: bigint): number => quotient(bets, players, 2);
export const averageBet = ({ staked, bets }: Play): number => each(staked, bets);
export const margin = (play: Play): number => percentOf(ggrOf(play), play.staked);

/** Returns for each game type the margin with its share of the positive GGR, and the turnover with its share of the total. */
export function piesOf(types: ReadonlyMap<string, Play>) {
  const all = [...types].map(([key, play]) => ({ key, play, ggr: ggrOf(play) }));
  const won = (ggr: Units) => (ggr > 0n ? ggr : 0n);
  const ggr = all.reduce((sum, type) => sum + won(type.ggr), 0n);
  const turnover = all.reduce((sum, { play }) => sum + play.staked, 0n);
  return {
    gameTypeMarginPie: all.map((type) => ({
      key: type.key,
      value: margin(type.play),
      percent: percentOf(won(type.ggr), ggr),
    })),
    gameTypeTurnoverPie: all.map(({ key, play }) => ({
      key,
      value: dollars(play.staked),
      percent: percentOf(play.staked, turnover),
    })),
  };
}

/** The figures of a game in a time range. */
export type GameFigures = { id: number; name: string; play: Play; players: bigint };
export type GameOrder = 'ggr' | 'turnover' | 'betCount' | 'activePlayers' | 'margin' | 'name';

const compare = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The sort orders, ascending. Games with equal values are sorted by id. Margins are compared as exact fractions and not as the rounded
 * values that are shown.
 */
const ORDERS: Readonly<Record<GameOrder, (a: GameFigures, b: GameFigures) => number>> = {
  ggr: (a, b) => compare(ggrOf(a.play), ggrOf(b.play)),
  turnover: (a, b) => compare(a.play.staked, b.play.staked),
  betCount: (a, b) => compare(a.play.bets, b.play.bets),
  activePlayers: (a, b) => compare(a.players, b.players),
  margin: (a, b) => compare(...fractions(a.play, b.play)),
  name: (a, b) => compare(a.name, b.name),
};

/** Returns two margins as fractions with a common denominator. A margin without turnover is 0. */
function fractions(a: Play, b: Play): [bigint, bigint] {
  const [over, under] = [a.staked || 1n, b.staked || 1n];
  const of = (play: Play) => (play.staked === 0n ? 0n : ggrOf(play));
  return [of(a) * under, of(b) * over];
}

export function inOrder<G extends GameFigures>(
  games: readonly G[],
  { by, direction }: { by: GameOrder; direction: 'asc' | 'desc' },
): G[] {
  const sign = direction === 'asc' ? 1 : -1;
  return games.toSorted((a, b) => sign * ORDERS[by](a, b) || a.id - b.id);
}

/** Returns the users with the highest amounts. Skips zero and negative amounts. Users with equal amounts are sorted by id. */
export function createRanking(most: number) {
  const first: Placed[] = [];
  let least = 1n;
  return {
    first,
    see(userId: number, usdAmount: Units): void {
      if (usdAmount < least) return;
      const placed = { userId, usdAmount };
      const place = first.findIndex((other) => isAhead(placed, other));
      first.splice(place < 0 ? first.length : place, 0, placed);
      if (first.length > most) first.pop();
      if (first.length === most) least = first.at(-1)!.usdAmount;
    },
  };
}

export type Placed = { userId: number; usdAmount: Units };
const isAhead = (a: Placed, b: Placed): boolean =>
  a.usdAmount > b.usdAmount || (a.usdAmount === b.usdAmount && a.userId < b.userId);
