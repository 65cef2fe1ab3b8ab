import { MAX_UNITS, mulDivDown, roundDown, type Units } from '../../../../platform/money.ts';
import type { Kind } from '../../ledger/kinds.ts';
import type { GrantStatus } from '../rules.ts';

/** The scales of multipliers (hundredths) and percentages (basis points). */
const E2 = 100n;
const WHOLE_BP = 10_000n;

const least = (a: Units, b: Units): Units => (a < b ? a : b);
const positive = (a: Units): Units => (a > 0n ? a : 0n);

/** Returns the wagering requirement: base × multiplier, rounded down. */
export const turnoverOf = (base: Units, multiplierE2: number): Units =>
  mulDivDown(base, BigInt(multiplierE2), E2);

/** Returns a percentage of a deposit, rounded down to the currency's decimals and at most `max` (null: no maximum). */
export function bonusOn(
  deposit: Units,
  { percentBp, max, decimals }: { percentBp: number; max: Units | null; decimals: number },
): Units {
  const share = mulDivDown(deposit, BigInt(percentBp), WHOLE_BP);
  return roundDown(max === null ? share : least(share, max), decimals);
}

export type Progress = { wagerRequired: Units; wagerDone: Units; balance: Units };

/**
 * Returns how an active grant ends, or undefined if it continues. `isOut`: open bets contain money from the grant, which may be returned to
 * it. A grant completes once enough is wagered, even if its balance is zero.
 */
export function outcomeOf(
  { wagerRequired, wagerDone, balance }: Progress,
  isOut: boolean,
): 'COMPLETED' | 'LOST' | undefined {
  if (wagerDone >= wagerRequired) return 'COMPLETED';
  return balance === 0n && !isOut ? 'LOST' : undefined;
}

/** Returns the progress in percent between 0 and 100, truncated to two decimals. */
export function progressPercent({ wagerRequired, wagerDone }: Omit<Progress, 'balance'>): number {
  if (wagerDone >= wagerRequired) return 100;
  return Number(mulDivDown(positive(wagerDone), WHOLE_BP, wagerRequired)) / 100;
}

export type Capped = {
  grantedAmount: Units;
  /** The maximum amount that may be converted; null for no maximum. */
  maxWithdrawalMultiplierE2: number | null;
  converted: Units;
  decimals: number;
};

/** Returns the part of an amount that a completed grant may convert within its cap; the rest is forfeited. */
export function convertible(amount: Units, { maxWithdrawalMultiplierE2, ...grant }: Capped): Units {
  const cap =
    maxWithdrawalMultiplierE2 === null
      ? MAX_UNITS
      : turnoverOf(grant.grantedAmount, maxWithdrawalMultiplierE2);
  return roundDown(least(amount, positive(cap - grant.converted)), grant.decimals);
}

/** Returns how much of each late payout is lost if the player keeps `kept` in total, starting with the earliest bets. */
export function lostOf(payouts: readonly Units[], kept: Units): Units[] {
  let left = kept;
  return payouts.map((paid) => {
    const stays = least(paid, left);
    left -= stays;
    return paid - stays;
  });
}

/** A grant that is not active, with late payouts in its balance and reversed payouts in `toTakeBack`. */
export type Correcting = {
  status: GrantStatus;
  balance: Units;
  toTakeBack: Units;
  toStart: Units;
  converted: Units;
  /** True if a lost grant may start again. */
  mayStartAgain: boolean;
};

/**
 * Offsets `toTakeBack` against the balance. The offset amount is returned to promo (`repaid`). If the grant was lost and may start again,
 * the rest of the balance waits (`waits`); otherwise it is settled (`passesOn`). The rest of `toTakeBack` reduces the waiting money
 * (`ofWaiting`) or is debited from the converted money (`ofConverted`).
 */
export function corrected({ status, balance, toTakeBack, toStart, converted, mayStartAgain }: Correcting) {
  const repaid = least(balance, toTakeBack);
  const owed = toTakeBack - repaid;
  const isWaiting = status === 'PENDING' || (status === 'LOST' && mayStartAgain);
  const waits = isWaiting ? balance - repaid : 0n;
  const ofWaiting = isWaiting ? least(owed, toStart) : 0n;
  const start = isWaiting ? toStart + waits - ofWaiting : 0n;
  return {
    repaid,
    waits,
    passesOn: balance - repaid - waits,
    ofWaiting,
    ofConverted: status === 'COMPLETED' ? least(owed, converted) : 0n,
    toStart: start,
    status: isWaiting ? (start > 0n ? ('PENDING' as const) : ('LOST' as const)) : status,
  };
}

/** A grant before the rollback of one of its bets. */
export type Undoing = Capped & Pick<Correcting, 'status' | 'balance' | 'toStart' | 'mayStartAgain'>;

type Move = {
  kind: Kind;
  debit: 'house' | 'promo' | 'bonus' | 'cash';
  credit: 'house' | 'promo' | 'bonus' | 'cash';
  amount: Units;
};

/** The moves of a rollback, the grant's new `balance`, `toStart` and `status`, and the changes to its other amounts. */
export type Undone = {
  moves: readonly Move[];
  balance: Units;
  toStart: Units;
  status: GrantStatus;
  converted: Units;
  forfeited: Units;
  writtenOff: Units;
};

/**
 * Returns the movements that roll back the bonus money of a bet. The stake is returned to the bonus account and the payout is debited from
 * it. Promo covers a shortfall, which is written off. The difference stays in an active grant. For a completed grant, it is converted up to
 * the cap, or debited from the converted money. For a lost grant that may start again, it is held until then. `lost` is the part of the
 * payout that the player did not keep.
 */
export function undone(
  grant: Undoing,
  { staked, paid, lost }: { staked: Units; paid: Units; lost: Units },
): Undone {
  const stake: Move = { kind: 'bet.stake.rollback', debit: 'house', credit: 'bonus', amount: staked };
  const payout: Move = { kind: 'bet.payout.rollback', debit: 'bonus', credit: 'house', amount: paid };
  const writeOff = (amount: Units): Move => ({
    kind: 'promo.write-off',
    debit: 'promo',
    credit: 'bonus',
    amount,
  });
  const forfeit = (amount: Units): Move => ({
    kind: 'promo.forfeit',
    debit: 'bonus',
    credit: 'promo',
    amount,
  });
  const { status, balance, toStart } = grant;
  const same = { balance, toStart, status, converted: 0n, forfeited: 0n, writtenOff: 0n };
  if (status === 'ACTIVE') {
    const writtenOff = positive(paid - staked - balance);
    const moves = [stake, writeOff(writtenOff), payout];
    return { ...same, moves, balance: balance + staked + writtenOff - paid, writtenOff };
  }
  if (status === 'COMPLETED') {
    const net = staked - (paid - lost);
    const converted = net < 0n ? -least(-net, grant.converted) : convertible(net, grant);
    const [kept, writtenOff] = [positive(net) - positive(converted), positive(-net) - positive(-converted)];
    const moves: Move[] = [
      stake,
      { kind: 'promo.forfeit.back', debit: 'promo', credit: 'bonus', amount: lost },
      { kind: 'promo.conversion.back', debit: 'cash', credit: 'bonus', amount: positive(-converted) },
      writeOff(writtenOff),
      payout,
      { kind: 'promo.conversion', debit: 'bonus', credit: 'cash', amount: positive(converted) },
      forfeit(kept),
    ];
    return { ...same, moves, converted, forfeited: kept - lost, writtenOff };
  }
  // The balance of the grant itself is zero. Its waiting money is in promo.
  const net = staked - paid;
  const [back, missing] = [positive(net), positive(-net)];
  const moves = [stake, writeOff(missing), payout, forfeit(back)];
  const isWaiting = status === 'PENDING' || (status === 'LOST' && grant.mayStartAgain);
  if (!isWaiting) return { ...same, moves, forfeited: back, writtenOff: missing };
  const start = positive(toStart + net);
  const ofWaiting = positive(toStart - start);
  return {
    ...same,
    moves,
    toStart: start,
    status: start > 0n ? 'PENDING' : 'LOST',
    forfeited: back - ofWaiting,
    writtenOff: missing - ofWaiting,
  };
}
