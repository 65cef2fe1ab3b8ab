import { MAX_UNITS, mulDivDown, roundDown, type Units } from '../../../../platform/money.ts';
import type { Kind } from '../../ledger/rules.ts';
import type { GrantStatus } from '../rules.ts';

/** Hundredths of a multiplier, basis points. */
const E2 = 100n;
const WHOLE_BP = 10_000n;

const least = (a: Units, b: Units): Units => (a < b ? a : b);
const positive = (a: Units): Units => (a > 0n ? a : 0n);

/** What has to be wagered: base × multiplier, rounded down. */
export const turnoverOf = (base: Units, multiplierE2: number): Units =>
  mulDivDown(base, BigInt(multiplierE2), E2);

/** What a percentage of a deposit comes to, at most `max` (null: no bound), at the currency's decimals. */
export function bonusOn(
  deposit: Units,
  { percentBp, max, decimals }: { percentBp: number; max: Units | null; decimals: number },
): Units {
  const share = mulDivDown(deposit, BigInt(percentBp), WHOLE_BP);
  return roundDown(max === null ? share : least(share, max), decimals);
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
  return Number(mulDivDown(positive(wagerDone), WHOLE_BP, wagerRequired)) / 100;
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
  return roundDown(least(amount, positive(cap - grant.converted)), grant.decimals);
}

/** What of late payouts did not stay with the player, where `kept` of all of them did: those of earlier bets are kept first. */
export function lostOf(payouts: readonly Units[], kept: Units): Units[] {
  let left = kept;
  return payouts.map((paid) => {
    const stays = least(paid, left);
    left -= stays;
    return paid - stays;
  });
}

/** What a grant that is not active holds since bets of it were paid late or taken back, and what was taken back of what it had paid. */
export type Correcting = {
  status: GrantStatus;
  balance: Units;
  toTakeBack: Units;
  toStart: Units;
  converted: Units;
  /** Of one that was lost. */
  mayStartAgain: boolean;
};

/**
 * Both are set against each other: `repaid` goes back to promo. What is left of the balance waits to start again where the grant was lost
 * and may (`waits`), otherwise it passes on. What is left to be taken back is missing from what waits (`ofWaiting`) or was
 * converted (`ofConverted`); nothing else of it was the player's.
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

/** A grant as the rollback of one of its bets finds it. */
export type Undoing = Capped & Pick<Correcting, 'status' | 'balance' | 'toStart' | 'mayStartAgain'>;

type Move = {
  kind: Kind;
  debit: 'house' | 'promo' | 'bonus' | 'cash';
  credit: 'house' | 'promo' | 'bonus' | 'cash';
  amount: Units;
};

/** What the rollback moves, and what of the grant changes by how much; `balance`, `toStart` and `status` are what they are then. */
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
 * How the bonus money of a bet is taken back, by the state of its grant: the stake comes back to bonus, the payout leaves it; what is not
 * there is written off by promo. Of an active grant it stays there. Of a completed one the difference is converted within its cap, or taken
 * back from what was converted. Of one that was lost the difference waits to start again, if it may. `lost`: what of the payout had not stayed.
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
  // It holds nothing: what waits of it lies with promo.
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
