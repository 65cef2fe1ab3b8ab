import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usualMinStake } from '../../src/modules/base/site-config/rules.ts';
import {
  payoutsOf,
  type Return,
  shownRange,
  stakeOf,
  usdDecimals,
} from '../../src/modules/games/betting/rules.ts';
import { fixedSource } from '../../src/modules/money/currencies/source.ts';
import { parseUnits, type Rate, type Units, units } from '../../src/platform/money.ts';
import type { ReturningGame } from '../games.ts';
import { diceBets } from './dice.ts';
import { extremes, type Fraction, sum } from './fraction.ts';
import { limboBets } from './limbo.ts';
import { minesBets, monkeyRunBets } from './rounds.ts';
import { kenoBets, plinkoBets, rouletteBets } from './tables.ts';

/** A bet's prizes, and how many of the `whole` equally likely cases win each prize. Losing cases are omitted. */
export type Prizes = { whole: bigint; prizes: readonly (Return & { ways: bigint })[] };

/** Speed-roulette and blackjack are omitted, because they pay only whole multiples of the stake, or halves of an even stake. */
const BETS: Partial<Record<ReturningGame, () => Iterable<Prizes>>> = {
  dice: diceBets,
  limbo: limboBets,
  keno: kenoBets,
  plinko: plinkoBets,
  mines: minesBets,
  'monkey-run': monkeyRunBets,
  roulette: rouletteBets,
};

type Currency = { id: string; decimals: number; rate: Rate };
/** A game's lowest return over all bets, before rounding and at the smallest stake. */
export type Lowest = {
  game: ReturningGame;
  exact: Fraction;
  rounded: Fraction;
  /** True if rounding reduces the return of no bet by more than a hundredth of the stake. */
  isFair: boolean;
};
export type SmallestStake = { currencyId: string; stake: Units; betUsd: Units; games: Lowest[] };

/** Default minimum betAmount of every house game. */
const MIN_BET = units('0.01');
const NO_LIMIT = units('1000000000');

/** Returns the smallest stake in each currency of a new platform, with each game's lowest return before and after rounding. */
export async function smallestStakes(slugs: readonly ReturningGame[]): Promise<SmallestStake[]> {
  const games = slugs.flatMap((game) => {
    const bets = BETS[game];
    return bets ? [{ game, bets: [...bets()] }] : [];
  });
  return (await currencies()).map((currency) => {
    const { id, rate, decimals } = currency;
    const minStake = usualMinStake(decimals);
    const limits = { minBet: MIN_BET, maxBet: NO_LIMIT };
    const range = shownRange({ currencyId: id, rate, decimals, minStake, ...limits });
    const betUsd = parseUnits(range.minBet, usdDecimals(decimals))!;
    const stake = stakeOf(betUsd, rate, decimals);
    if (stake < minStake) throw new Error(`${id}: ${range.minBet} dollars are less than its minimum stake`);
    const terms = { betUsd, stake, rate, decimals, maxProfitUsd: NO_LIMIT };
    const returned = ({ whole, prizes }: Prizes): Fraction => ({
      value: sum(prizes.map((prize) => payoutsOf({ ...terms, ...prize }).payout * prize.ways)),
      whole: stake * whole,
    });
    return {
      currencyId: id,
      stake,
      betUsd,
      games: games.map(({ game, bets }) => ({
        game,
        exact: lowest(bets, exactly),
        rounded: lowest(bets, returned),
        isFair: bets.every((bet) => isFair(exactly(bet), returned(bet))),
      })),
    };
  });
}

const isFair = (exact: Fraction, rounded: Fraction): boolean =>
  // Tests `rounded >= exact - 1/100` without a division.
  (rounded.value * exact.whole - exact.value * rounded.whole) * 100n >= -(rounded.whole * exact.whole);

const exactly = ({ whole, prizes }: Prizes): Fraction => {
  const scale = prizes[0]!.scale;
  return { value: sum(prizes.map(({ multiplier, ways }) => multiplier * ways)), whole: scale * whole };
};

function lowest(bets: readonly Prizes[], of: (bet: Prizes) => Fraction): Fraction {
  return extremes(bets.map((bet) => ({ at: bet, of: of(bet) }))).min.of;
}

const SCHEMA = join(import.meta.dirname, '../../schema/money.sql');

/** Reads the currencies' ids and decimals from the schema, and uses fixed exchange rates. */
async function currencies(): Promise<Currency[]> {
  const rows = readFileSync(SCHEMA, 'utf8').matchAll(
    /\('(\w+)',\s+'[^']+',\s+'[^']+',\s+'(?:CRYPTO|FIAT)',\s+(\d),/g,
  );
  const known = [...rows].map(([, id, decimals]) => ({ id: id!, decimals: Number(decimals) }));
  const rates = await fixedSource.fetch(known.map(({ id }) => id));
  return known.map((currency) => ({ ...currency, rate: rates.get(currency.id)! }));
}
