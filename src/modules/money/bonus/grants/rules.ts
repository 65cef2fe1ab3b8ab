import { MAX_UNITS, mulDivDown, roundDown, type Units } from '../../../../platform/money.ts';

/** Hundredths of a multiplier, basis points. */
const E2 = 100n;
const WHOLE_BP = 10_000n;

/** What has to be wagered: base × multiplier, rounded down. */
export const turnoverOf = (base: Units, multiplierE2: number): Units =>
  mulDivDown(base, BigInt(multiplierE2), E2);

/** What a percentage of a deposit comes to, at most `max` (null: no bound), at the currency's decimals. */
export function bonusOn(
  deposit: Units,
  { percentBp, max, decimals }: { percentBp: number; max: Units | null; decimals: number },
): Units {
  const share = mulDivDown(deposit, BigInt(percentBp), WHOLE_BP);
  return roundDown(max === null || share < max ? share : max, decimals);
}

export type Progress = { wagerRequired: Units; wagerDone: Units; balance: Units };

/**
 * How an active grant ends. Undefined: it goes on. `isOut`: open bets carry money of it, which may come back. Whoever has wagered enough
 * is done, even with nothing left.
 */
export function outcomeOf(
  { wagerRequired, wagerDone, balance }: Progress,
  isOut: boolean,
): 'COMPLETED' | 'LOST' | undefined {
  if (wagerDone >= wagerRequired) return 'COMPLETED';
  return balance === 0n && !isOut ? 'LOST' : undefined;
}

/** Hundredths of a percent would say more than there is to see: two decimals, cut off, between 0 and 100. */
export function progressPercent({ wagerRequired, wagerDone }: Omit<Progress, 'balance'>): number {
  if (wagerDone >= wagerRequired) return 100;
  return wagerDone <= 0n ? 0 : Number(mulDivDown(wagerDone, WHOLE_BP, wagerRequired)) / 100;
}

export type Capped = {
  grantedAmount: Units;
  /** Null: everything may be converted. */
  maxWithdrawalMultiplierE2: number | null;
  converted: Units;
  decimals: number;
};

/** What a completed grant converts of an amount within what its cap leaves; the rest is forfeited. */
export function convertible(amount: Units, { maxWithdrawalMultiplierE2, ...grant }: Capped): Units {
  const cap =
    maxWithdrawalMultiplierE2 === null
      ? MAX_UNITS
      : turnoverOf(grant.grantedAmount, maxWithdrawalMultiplierE2);
  const left = cap > grant.converted ? cap - grant.converted : 0n;
  return roundDown(amount < left ? amount : left, grant.decimals);
}

/** What of late payouts did not stay with the player, where `kept` of all of them did: those of earlier bets are kept first. */
export function lostOf(payouts: readonly Units[], kept: Units): Units[] {
  let left = kept;
  return payouts.map((paid) => {
    const stays = paid < left ? paid : left;
    left -= stays;
    return paid - stays;
  });
}
