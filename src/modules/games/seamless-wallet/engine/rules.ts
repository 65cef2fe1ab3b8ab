import { MAX_UNITS, type Rate, type Units } from '../../../../platform/money.ts';
import { countedUsdOf } from '../../betting/rules.ts';

/**
 * - BET: cash → house. `isFree`: nothing is debited.
 * - WIN: house → cash. `isFree`: promo → cash.
 * - ROLLBACK: reverses the transaction in `reference`; its own amount is ignored.
 * - FREE_SPIN_WIN, PROMO_WIN: promo → cash. JACKPOT: house → cash. None needs a round.
 * - ADJUSTMENT: house ↔ cash, by a signed amount.
 */
export type ActionType =
  | 'BET'
  | 'WIN'
  | 'ROLLBACK'
  | 'FREE_SPIN_WIN'
  | 'PROMO_WIN'
  | 'JACKPOT'
  | 'ADJUSTMENT';

/** The bet of a round: all its stakes and wins, and their value in US dollars at the rate of the first stake. */
export type RoundBet = {
  id: bigint;
  rate: Rate;
  /** The house edge when the bet was placed, in millionths of the stake. */
  edgePpm: number;
  createdAt: Date;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  /**
   * The part of the stake that was not settled as won or lost (bets/rules.ts). It is zero while the round is open, and for games that do
   * not report it.
   */
  undecided: Units;
  /** The time from which statistics include the bet; null while the bet is open or void. */
  countsAt: Date | null;
  /** The stake before the last rollback of a stake. A void bet is displayed with this stake. */
  shown: { amount: Units; usdAmount: Units };
};

/** A provider's game round. */
export type Round = {
  id: bigint;
  providerId: number;
  userId: number;
  ref: string;
  gameId: number;
  currencyId: string;
  /** EXPIRED: the platform has closed the round, because the provider never reported its end. A late win is still accepted. */
  status: 'OPEN' | 'CLOSED' | 'EXPIRED';
  /** Number of bets and wins that have not been rolled back, including those with an amount of zero. */
  stakes: number;
  wins: number;
  /** Number of times that the bet was settled so far. */
  version: number;
  payload: object | null;
  /** True if the round's bet was placed while a grant was active. */
  hasBonus: boolean;
  /** Undefined until a stake above zero is placed. */
  bet: RoundBet | undefined;
  /** True if the month of the round's bet is detached. The bet's amounts are then unknown and cannot change. */
  isArchived?: true;
};

/** A transaction as the provider has recorded it, for reconciliation. `type`: as in `Action`. */
export type ReportedTransaction = {
  transactionId: string;
  type: string;
  playerId: string;
  currencyId: string;
  amount: Units;
  round: string | null;
  gameCode: string | null;
  at: Date;
  state: 'DONE' | 'UNDONE';
  /** Whether the transaction's round has ended; null if the report does not contain this information. */
  isRoundClosed: boolean | null;
  reference: string | null;
  /** Whether the transaction belongs to free rounds; null if the report does not contain this information. */
  isFree: boolean | null;
};

export type Stake = { betId: bigint; units: Units; rate: Rate; edgePpm: number; at: Date };

/** Returns the round after a stake. */
export function withStake(round: Round, { betId, units, rate, edgePpm, at }: Stake): Round {
  const stakes = round.stakes + 1;
  if (units === 0n) return { ...round, stakes };
  const before = round.bet ?? newBet({ betId, rate, edgePpm, at });
  return { ...round, stakes, bet: withAmount(before, before.amount + units) };
}

/** Returns the round after a win. `at`: the time from which statistics include the bet, if they did not include it before. */
export const withWin = (round: Round, units: Units, at: Date): Round =>
  recounted({ ...round, wins: round.wins + 1, bet: round.bet && withPayout(round.bet, units) }, at);

export function withoutStake(round: Round, units: Units, at: Date): Round {
  const { bet } = round;
  const shown = bet && { amount: bet.amount, usdAmount: bet.usdAmount };
  const rest = bet && { ...withAmount(bet, bet.amount - units), shown: shown! };
  return endedIfEmpty(recounted({ ...round, stakes: round.stakes - 1, bet: rest }, at), at);
}

export const withoutWin = (round: Round, units: Units, at: Date): Round =>
  endedIfEmpty(
    recounted({ ...round, wins: round.wins - 1, bet: round.bet && withPayout(round.bet, -units) }, at),
    at,
  );

/** Closes a round. Its bet is settled, or voided if it has neither stake nor payout. If the round has expired, only its status changes. */
export function closed(round: Round, at: Date): Round {
  if (round.status !== 'OPEN') return { ...round, status: 'CLOSED' };
  return settled({ ...round, status: 'CLOSED' }, at);
}

/** Closes an open round whose provider has not reported an end. */
export const expired = (round: Round, at: Date): Round =>
  round.status === 'OPEN' ? settled({ ...round, status: 'EXPIRED' }, at) : round;

const settled = (round: Round, at: Date): Round => recounted({ ...round, version: round.version + 1 }, at);

/** Returns the changes to a bet's stake and payout in US dollars. */
export const countedChange = (before: Round, after: Round) => ({
  staked: (after.bet?.usdAmount ?? 0n) - (before.bet?.usdAmount ?? 0n),
  paid: (after.bet?.usdPayout ?? 0n) - (before.bet?.usdPayout ?? 0n),
});

/** Closes a round if all its stakes and wins were rolled back. */
const endedIfEmpty = (round: Round, at: Date): Round =>
  round.stakes === 0 && round.wins === 0 ? closed(round, at) : round;

/** Updates the bet of an ended round: settled if it has a stake or payout, otherwise void. */
function recounted(round: Round, at: Date): Round {
  const { bet } = round;
  if (!bet || round.status === 'OPEN') return round;
  if (bet.amount === 0n && bet.payout === 0n)
    return { ...round, bet: { ...bet, status: 'ROLLBACK', countsAt: null } };
  return { ...round, bet: { ...bet, status: 'SETTLED', countsAt: bet.countsAt ?? at } };
}

const newBet = ({ betId, rate, edgePpm, at }: Omit<Stake, 'units'>): RoundBet => ({
  id: betId,
  rate,
  edgePpm,
  createdAt: at,
  status: 'CREATED',
  amount: 0n,
  usdAmount: 0n,
  payout: 0n,
  usdPayout: 0n,
  undecided: 0n,
  countsAt: null,
  shown: { amount: 0n, usdAmount: 0n },
});

function withAmount(bet: RoundBet, amount: Units): RoundBet {
  const usdAmount = countedUsdOf(amount, bet.rate);
  return { ...bet, amount, usdAmount, shown: { amount, usdAmount } };
}

function withPayout(bet: RoundBet, change: Units): RoundBet {
  const payout = bet.payout + change;
  const usdPayout = countedUsdOf(payout, bet.rate);
  // A payout whose USD value exceeds 64 bits is not rejected. Its USD value is limited to the maximum.
  return { ...bet, payout, usdPayout: usdPayout > MAX_UNITS ? MAX_UNITS : usdPayout };
}

/** Parses a user id in the form in which providers send it. */
export function userIdOf(playerId: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(playerId) ? Number(playerId) : undefined;
  return id !== undefined && id <= 2_147_483_647 ? id : undefined;
}
