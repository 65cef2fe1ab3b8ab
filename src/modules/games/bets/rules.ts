import { mulDivDown, type Units } from '../../../platform/money.ts';
import { countedOf } from '../../money/bonus/rules.ts';

const DECIMALS = 10_000;

/** Returns a bet's multiplier for lists and challenges: floor(payout / total stake) with 4 decimals, or 0 if every stake was reversed. */
export function shownMultiplier(payout: Units, stake: Units): number {
  if (stake === 0n) return 0;
  return Number(mulDivDown(payout, BigInt(DECIMALS), stake)) / DECIMALS;
}

/** Returns the smallest multiplier, in ten-thousandths, that is displayed as `least` or more. */
export function tenThousandths(least: number): bigint {
  const exact = least * DECIMALS;
  const near = Math.round(exact);
  // A decimal such as 0.0102 has no exact binary form, so its product is slightly off.
  // Stryker disable next-line EqualityOperator: no decimal of four places differs by exactly a thousandth
  return BigInt(Math.abs(exact - near) < 1e-3 ? near : Math.ceil(exact));
}

/** Why a bet does not count towards a bonus's wagering requirement. */
export const NOT_COUNTED = ['OPEN', 'GAME', 'GRANT_ENDED', 'ROLLED_BACK', 'PUSH', 'LOW_RISK'] as const;
type NotCounted = (typeof NOT_COUNTED)[number];
type Counting = {
  status: string;
  amount: Units;
  counted: Units | null;
  contributionBp: number;
  uncounted: string | null;
};

/** Returns why a bet with an active bonus does not count, or null if it counts. */
export function whyNotCounted({
  status,
  amount,
  counted,
  contributionBp,
  uncounted,
}: Counting): NotCounted | null {
  if (status === 'ROLLBACK') return 'ROLLED_BACK';
  if (counted === null) return 'OPEN';
  if (counted > 0n) return null;
  if (uncounted !== null) return uncounted as NotCounted;
  return countedOf(amount, contributionBp) === 0n ? 'GAME' : 'GRANT_ENDED';
}

/** Maximum number of unsettled bets that can be excluded from a list whose pages are found by marks. */
export const UNSETTLED = 10_000;

/** Number of newest bets that the live feed reads. */
export const RECENT = 10_000;
/** Maximum number of bets in a live feed. */
export const LIVE = 100;
/** A player's latest settled bets are searched for among this number of the player's newest bets. */
export const OWN_RECENT = 2000;

/** At most one in this many rows of the live feed is simulated. */
export const SCENERY_SHARE = 5;

/**
 * Merges bets and simulated rows, both ordered latest first, into one list. Drops simulated rows that would exceed their share of the rows
 * so far, so the limit holds for a page of any size.
 */
export function withScenery<B extends { position: bigint }, S extends { position: bigint }>(
  bets: readonly B[],
  scenery: readonly S[],
): (B | S)[] {
  const rows: (B | S)[] = [];
  let [shown, at] = [0, 0];
  const showLaterThan = (position: bigint) => {
    for (; at < scenery.length && scenery[at]!.position > position; at++)
      if ((shown + 1) * SCENERY_SHARE <= rows.length + 1) {
        shown++;
        rows.push(scenery[at]!);
      }
  };
  for (const bet of bets) {
    showLaterThan(bet.position);
    rows.push(bet);
  }
  showLaterThan(-1n);
  return rows;
}

/**
 * The counted stake of a settled bet is the part that was settled as won or lost. Only this part counts towards rewards, wagering, scores,
 * challenges and commission. `bets.undecided` stores the rest, in units of the currency: stakes that were void, cancelled, refunded, pushed
 * or cashed out. It is written with the settlement and with each correction, so that a reversal subtracts exactly what was added. Limits,
 * revenue and statistics count the whole stake, because the whole stake was debited.
 */

/** Returns the USD value of a stake's counted part, rounded down. */
export const countedStakeUsd = ({ usdAmount, amount, undecided }: SettledStake): Units =>
  undecided === 0n ? usdAmount : mulDivDown(usdAmount, amount - undecided, amount);

type SettledStake = { usdAmount: Units; amount: Units; undecided: Units };

/** SQL: computes `countedStakeUsd`. `undecided` may be null. */
export const countedStakeUsdSql = (usdAmount: string, amount: string, undecided: string): string =>
  `case when ${undecided} > 0 then div(${usdAmount}::numeric * (${amount} - ${undecided}), ${amount})::int8 else ${usdAmount} end`;

/** Parses an id. Returns undefined if the string is not a positive 64-bit integer. */
export function bigOf(text: string): bigint | undefined {
  const isId = /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n;
  return isId ? BigInt(text) : undefined;
}
