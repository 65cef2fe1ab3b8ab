import type { Rate, Units } from '../../../platform/money.ts';
import { countedUsdOf } from '../betting/rules.ts';

/**
 * - BET: cash → house. `isFree`: nothing is debited.
 * - WIN: house → cash. `isFree`: it comes out of promo.
 * - ROLLBACK: takes back what `reference` names, whatever amount is said.
 * - FREE_SPIN_WIN, PROMO_WIN: promo → cash, JACKPOT: house → cash; they need no round.
 * - ADJUSTMENT: house ↔ cash, its amount has a sign.
 */
export type ActionType =
  | 'BET'
  | 'WIN'
  | 'ROLLBACK'
  | 'FREE_SPIN_WIN'
  | 'PROMO_WIN'
  | 'JACKPOT'
  | 'ADJUSTMENT';

/** The bet of a round: everything that is staked and won in it, and what it counts as in US dollars at the rate of its first stake. */
export type RoundBet = {
  id: bigint;
  rate: Rate;
  /** The house's edge when it was made, in millionths of the stake. */
  edgePpm: number;
  createdAt: Date;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  /** Since when it counts in statistics; null: it does not, being open or taken back. */
  countsAt: Date | null;
  /** What was staked before the last stake was taken back: shown of a bet that is taken back whole. */
  shown: { amount: Units; usdAmount: Units };
};

/** A round as a provider knows it. */
export type Round = {
  id: bigint;
  providerId: number;
  userId: number;
  ref: string;
  gameId: number;
  currencyId: string;
  /** EXPIRED: closed as it stood, because its provider never said how it ended. A win that comes after all is taken. */
  status: 'OPEN' | 'CLOSED' | 'EXPIRED';
  /** Bets and wins that stand, of any amount. */
  stakes: number;
  wins: number;
  /** Settlements so far. */
  version: number;
  payload: object | null;
  /** Its bet was made while a grant was active. */
  hasBonus: boolean;
  /** Undefined as long as nothing above zero was staked. */
  bet: RoundBet | undefined;
  /** The month of its bet is detached: what the bet comes to is not known, and cannot change. */
  isArchived?: true;
};

/** A transaction in the provider's own books, for reconciliation. `type`: as in `Action`. */
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
  /** Whether its round has ended, where the report says so. */
  isRoundClosed: boolean | null;
  reference: string | null;
  /** Part of free rounds; null: the report does not say. */
  isFree: boolean | null;
};

export type Stake = { betId: bigint; units: Units; rate: Rate; edgePpm: number; at: Date };

/** Everything below answers the round as it is afterwards. */
export function withStake(round: Round, { betId, units, rate, edgePpm, at }: Stake): Round {
  const stakes = round.stakes + 1;
  if (units === 0n) return { ...round, stakes };
  const before = round.bet ?? newBet({ betId, rate, edgePpm, at });
  return { ...round, stakes, bet: withAmount(before, before.amount + units) };
}

/** `at`: when it came, from which a bet counts that did not. */
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

/** The round ends: its bet is settled with what was won, or void where nothing of it is left. One that expired ends for good. */
export function closed(round: Round, at: Date): Round {
  if (round.status !== 'OPEN') return { ...round, status: 'CLOSED' };
  return settled({ ...round, status: 'CLOSED' }, at);
}

/** The round is closed as it stands, without its provider. */
export const expired = (round: Round, at: Date): Round =>
  round.status === 'OPEN' ? settled({ ...round, status: 'EXPIRED' }, at) : round;

const settled = (round: Round, at: Date): Round => recounted({ ...round, version: round.version + 1 }, at);

/** What a change of a bet's stake or payout counts as, in US dollars. */
export const countedChange = (before: Round, after: Round) => ({
  staked: (after.bet?.usdAmount ?? 0n) - (before.bet?.usdAmount ?? 0n),
  paid: (after.bet?.usdPayout ?? 0n) - (before.bet?.usdPayout ?? 0n),
});

/** All stakes were taken back, and no win stands: that is an end. */
const endedIfEmpty = (round: Round, at: Date): Round =>
  round.stakes === 0 && round.wins === 0 ? closed(round, at) : round;

/** The state of the bet of a round that has ended: settled while anything of it stands, else taken back. */
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
  countsAt: null,
  shown: { amount: 0n, usdAmount: 0n },
});

function withAmount(bet: RoundBet, amount: Units): RoundBet {
  const usdAmount = countedUsdOf(amount, bet.rate);
  return { ...bet, amount, usdAmount, shown: { amount, usdAmount } };
}

function withPayout(bet: RoundBet, change: Units): RoundBet {
  const payout = bet.payout + change;
  return { ...bet, payout, usdPayout: countedUsdOf(payout, bet.rate) };
}

/** Our user ids as providers send them. */
export function userIdOf(playerId: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(playerId) ? Number(playerId) : undefined;
  return id !== undefined && id <= 2_147_483_647 ? id : undefined;
}
