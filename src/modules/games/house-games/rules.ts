import { mulDivDown, roundDown } from '../../../platform/money.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import {
  type Paid,
  type Payable,
  payoutsOf,
  type Return,
  type Terms,
  usdDecimals,
} from '../betting/rules.ts';

/** Games whose multipliers follow from the return to the player in force. In the others the rules decide what is returned. */
export const HAS_RTP: ReadonlySet<string> = new Set(['dice', 'limbo', 'mines', 'monkey-run']);

/** A bet as it was stored, to be played again. */
export type StoredBet = { game: string; rtpBp: number; inputs: unknown; outcome: unknown };

/** A bet played again: what comes out, and what it pays on its terms. */
export type Replayed = { outcome: object; pay: (terms: Terms) => Paid };

/**
 * A number of a request with at most two decimals (in its shortest decimal form), in hundredths; undefined for any
 * other number. The product alone would not do: 1.1 * 100 is 110.00000000000001. Its nearest integer is the only
 * candidate, and a quotient is the double nearest to the decimal, so comparing it is exact.
 */
export function hundredths(value: number): number | undefined {
  const candidate = Math.round(value * 100);
  return Number.isSafeInteger(candidate) && candidate / 100 === value ? candidate : undefined;
}

/** Multipliers of safe picks are in ten-thousandths of the stake. */
export const PICK_SCALE = 10_000n;

/**
 * Total return of `picks` safe picks among `places` of which `traps` are unsafe, over PICK_SCALE:
 * floor(rtpBp × C(places, picks) / C(places − traps, picks)). At most 64 places and places − traps picks.
 */
export function pickMultiplier(of: { places: number; traps: number; picks: number; rtpBp: number }): bigint {
  const { places, traps, picks, rtpBp } = of;
  if (picks === 0) return PICK_SCALE;
  return (BigInt(rtpBp) * CHOOSE[places]![picks]!) / CHOOSE[places - traps]![picks]!;
}

/** Whether the profit in US dollars is as high as the cap lets it be: nothing more can be won in this round. */
export function hasReachedMaxProfit({ betUsd, multiplier, scale, decimals, maxProfitUsd }: Payable): boolean {
  const digits = usdDecimals(decimals);
  const payoutUsd = roundDown(mulDivDown(betUsd, multiplier, scale), digits);
  return payoutUsd - betUsd >= roundDown(maxProfitUsd, digits);
}

/**
 * Returns the risk of a round played for a number of safe picks. A lost round is rated by the pick that lost it. Millionths and
 * ten-thousandths, as in `risk/rules.ts`.
 */
export function picksRisk(of: { places: number; traps: number; picks: number; rtpBp: number }): Risk {
  const { places, traps, picks } = of;
  return {
    chancePpm: Number((choose(places - traps, picks) * 1_000_000n) / choose(places, picks)),
    multiplierE4: Number(pickMultiplier(of)),
  };
}

/** C(n, k) for n up to 64: Pascal's triangle. */
const CHOOSE = Array.from({ length: 64 }).reduce<bigint[][]>(
  (rows) => {
    const last = rows.at(-1)!;
    return [...rows, [1n, ...last.map((value, k) => value + (last[k + 1] ?? 0n))]];
  },
  [[1n]],
);

/** C(n, k) for n up to 64; 0 if k > n. */
export const choose = (n: number, k: number): bigint => CHOOSE[n]![k] ?? 0n;

/** A table of multipliers as it is printed (at most two decimals) in exact hundredths: 3.96 is 396n. */
export function inHundredths(multipliers: readonly number[]): bigint[] {
  return multipliers.map((multiplier) => BigInt(hundredths(multiplier) as number));
}

/** A single-step bet that was played again. */
export function replayed({ outcome, multiplier, scale }: { outcome: object } & Return): Replayed {
  return { outcome, pay: (terms) => payoutsOf({ ...terms, multiplier, scale }) };
}
