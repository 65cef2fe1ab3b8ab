import { FREE_SPINS, LINE_BETS, REELS, STOPS, spinAt } from '../../sandbox/games/seven-orchards.ts';
import type { Prize } from '../statistics/mean.ts';
import { varianceOf } from '../statistics/mean.ts';
import { type Fraction, percent, toNumber } from './fraction.ts';

/** Number of reel windows for each payout, for paid and free spins. The list index is the payout in line bets. */
type Windows = { paid: number[]; triggering: number[]; free: number[]; triggers: number };

const ALL = STOPS ** REELS.length;
let counted: Windows | undefined;

/** Computes the demo slot's published figures. */
export function sevenOrchardsReturn() {
  const { paid, free, triggers } = countWindows();
  const total = (counts: readonly number[]) =>
    counts.reduce((sum, count, pays) => sum + BigInt(count) * BigInt(pays), 0n);
  const all = BigInt(ALL);
  // A round consists of the paid spin and, with probability `triggers` / `all`, of eight free spins.
  const value = total(paid) * all + BigInt(FREE_SPINS * triggers) * total(free);
  const hits = ALL - paid[0]!;
  return {
    return: percent({ value, whole: all * all * BigInt(LINE_BETS) }),
    fraction: reduced({ value, whole: all * all * BigInt(LINE_BETS) }),
    hits: reduced({ value: BigInt(hits), whole: all }),
    freeSpins: reduced({ value: BigInt(triggers), whole: all }),
    deviation: Math.sqrt(varianceOf(sevenOrchardsPrizes())).toFixed(4),
    mostOfOneSpin: String((paid.length - 1) / LINE_BETS),
  };
}

/** Returns all possible payouts of a round, in stakes. */
export function sevenOrchardsPrizes(): Prize[] {
  const { paid, triggering, free } = countWindows();
  const alone = paid.map((count, pays) => (count - (triggering[pays] ?? 0)) / ALL);
  const chances = (counts: readonly number[]) => counts.map((count) => count / ALL);
  let followed = chances(triggering);
  for (let spin = 0; spin < FREE_SPINS; spin++) followed = added(followed, chances(free));
  return Array.from({ length: Math.max(alone.length, followed.length) }, (_, pays) => ({
    pays: pays / LINE_BETS,
    chance: (alone[pays] ?? 0) + (followed[pays] ?? 0),
  })).filter(({ chance }) => chance > 0);
}

/** Returns the probability that a round has free spins. */
export const triggerChance = (): number =>
  toNumber({ value: BigInt(countWindows().triggers), whole: BigInt(ALL) });

/** Counts the reel windows by payout. It visits every window once. */
function countWindows(): Windows {
  if (counted) return counted;
  const windows: Windows = { paid: [], triggering: [], free: [], triggers: 0 };
  const count = (counts: number[], pays: number) => {
    while (counts.length <= pays) counts.push(0);
    counts[pays]!++;
  };
  for (let window = 0; window < ALL; window++) {
    const stops = REELS.map((_, reel) => Math.floor(window / STOPS ** reel) % STOPS);
    const { pay, isTrigger } = spinAt(stops);
    count(windows.paid, pay);
    count(windows.free, isTrigger ? spinAt(stops, true).pay : pay);
    if (isTrigger) count(windows.triggering, pay);
    if (isTrigger) windows.triggers++;
  }
  counted = windows;
  return windows;
}

/** Returns the distribution of the sum of two independent payouts. */
function added(a: readonly number[], b: readonly number[]): number[] {
  const sums = new Array<number>(a.length + b.length - 1).fill(0);
  for (const [i, p] of a.entries()) {
    if (p === 0) continue;
    for (const [j, q] of b.entries()) if (q > 0) sums[i + j]! += p * q;
  }
  return sums;
}

function reduced({ value, whole }: Fraction): string {
  let [a, b] = [value, whole];
  while (b > 0n) [a, b] = [b, a % b];
  return `${value / a}/${whole / a}`;
}
