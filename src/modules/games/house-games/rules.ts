import { mulDivDown, roundDown } from '../../../platform/money.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import { hundredths, type Paid, payoutsOf, type Return, type Terms, usdDecimals } from '../betting/rules.ts';

/** Games whose multipliers depend on the configured RTP. In all other games the rules determine the RTP. */
export const HAS_RTP: ReadonlySet<string> = new Set(['dice', 'limbo', 'mines', 'monkey-run']);

/** A stored bet with the data needed to replay it. */
export type StoredBet = { game: string; rtpBp: number; inputs: unknown; outcome: unknown };

/** A replayed bet: its outcome, and its payout under given terms. */
export type Replayed = { outcome: object; pay: (terms: Terms) => Paid };

/** Multipliers of safe picks are in ten-thousandths of the stake. */
export const PICK_SCALE = 10_000n;

/**
 * Returns the multiplier of `picks` safe picks among `places`, of which `traps` are unsafe, in units of 1 / PICK_SCALE: floor(rtpBp ×
 * C(places, picks) / C(places − traps, picks)). `places` is at most 64 and `picks` at most places − traps.
 */
export function pickMultiplier(of: { places: number; traps: number; picks: number; rtpBp: number }): bigint {
  const { places, traps, picks, rtpBp } = of;
  if (picks === 0) return PICK_SCALE;
  return (BigInt(rtpBp) * CHOOSE[places]![picks]!) / CHOOSE[places - traps]![picks]!;
}

/** Returns true if the profit in US dollars has reached its limit, so that nothing more can be won in this round. */
export function hasReachedMaxProfit({
  betUsd,
  multiplier,
  scale,
  decimals,
  maxProfitUsd,
}: Terms & Return): boolean {
  const digits = usdDecimals(decimals);
  const payoutUsd = roundDown(mulDivDown(betUsd, multiplier, scale), digits);
  return payoutUsd - betUsd >= roundDown(maxProfitUsd, digits);
}

/**
 * Returns the risk of a round in which the player tried a number of picks: the probability that all of them are safe, and the multiplier
 * for them. In a lost round, `picks` includes the pick that lost. The units are millionths and ten-thousandths, as in `risk/rules.ts`.
 */
export function picksRisk(of: { places: number; traps: number; picks: number; rtpBp: number }): Risk {
  const { places, traps, picks } = of;
  return {
    chancePpm: Number((choose(places - traps, picks) * 1_000_000n) / choose(places, picks)),
    multiplierE4: Number(pickMultiplier(of)),
  };
}

/** C(n, k) for n up to 64, computed as Pascal's triangle. */
const CHOOSE = Array.from({ length: 64 }).reduce<bigint[][]>(
  (rows) => {
    const last = rows.at(-1)!;
    return [...rows, [1n, ...last.map((value, k) => value + (last[k + 1] ?? 0n))]];
  },
  [[1n]],
);

/** C(n, k) for n up to 64; 0 if k > n. */
export const choose = (n: number, k: number): bigint => CHOOSE[n]![k] ?? 0n;

/** Converts a printed table of multipliers (at most two decimals) to exact hundredths, for example 3.96 to 396n. */
export function inHundredths(multipliers: readonly number[]): bigint[] {
  return multipliers.map((multiplier) => BigInt(hundredths(multiplier) as number));
}

/** Returns the replay of a single-step bet. */
export function replayed({ outcome, multiplier, scale }: { outcome: object } & Return): Replayed {
  return { outcome, pay: (terms) => payoutsOf({ ...terms, multiplier, scale }) };
}
