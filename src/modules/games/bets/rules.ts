import { mulDivDown, type Units } from '../../../platform/money.ts';
import { countedOf } from '../../money/bonus/rules.ts';

const DECIMALS = 10_000;

/** The multiplier of a bet in lists and challenges: floor(payout / total stake) at 4 decimals; 0 where its stakes were all taken back. */
export function shownMultiplier(payout: Units, stake: Units): number {
  if (stake === 0n) return 0;
  return Number(mulDivDown(payout, BigInt(DECIMALS), stake)) / DECIMALS;
}

/** The least ten-thousandths that a multiplier has which is shown as `least` or more. */
export function tenThousandths(least: number): bigint {
  const exact = least * DECIMALS;
  const near = Math.round(exact);
  // A decimal such as 0.0102 is a little off in binary, and so is its product.
  // Stryker disable next-line EqualityOperator: no decimal of four places is exactly a thousandth off
  return BigInt(Math.abs(exact - near) < 1e-3 ? near : Math.ceil(exact));
}

/** Why a bet counts nothing towards the turnover of a bonus. */
export const NOT_COUNTED = ['OPEN', 'GAME', 'GRANT_ENDED', 'ROLLED_BACK'] as const;
type Counting = { status: string; amount: Units; counted: Units | null; contributionBp: number };

/** Of a bet that was made with a bonus; null: it counts. */
export function whyNotCounted({
  status,
  amount,
  counted,
  contributionBp,
}: Counting): (typeof NOT_COUNTED)[number] | null {
  if (status === 'ROLLBACK') return 'ROLLED_BACK';
  if (counted === null) return 'OPEN';
  if (counted > 0n) return null;
  return countedOf(amount, contributionBp) === 0n ? 'GAME' : 'GRANT_ENDED';
}

/** Bets that are not settled and can be left out of a list whose places are known. */
export const UNSETTLED = 10_000;

/** Bets that a live feed looks at: the newest. */
export const RECENT = 10_000;
/** Bets that a live feed shows at most. */
export const LIVE = 100;
/** Own bets among which the latest to be settled are looked for. */
export const OWN_RECENT = 2000;

/** Of so many rows of a live feed one at most is scenery. */
export const SCENERY_SHARE = 5;

/**
 * Bets and scenery in one order, the latest first, as both are given. Scenery is left out where it would be more than its share of the rows
 * up to there: so it is of the first rows, however many of them are shown.
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
