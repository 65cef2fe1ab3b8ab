import type { Statement } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { Recent } from '../../../../platform/recent.ts';
import type { NewFinding } from '../../../base/findings/service.ts';
import type { NewClaim, OpenClaim } from '../../../money/ledger/queries.ts';
import {
  type BetChange,
  type BetCorrection,
  type BetVersion,
  changeOpen,
  holdMonths,
  insertProvided,
  markUndecided,
  type ProvidedBet,
  writeCorrections,
} from '../../bets/queries.ts';
import type { RoundKey, RoundRow, Session, Transaction, TransactionKey } from './queries.ts';
import type { Round, RoundBet } from './rules.ts';

/** An id of the block, and its offset from the block's base. */
export type BlockId = { id: bigint; offset: number };

/**
 * A round as it is stored and as the batch has changed it. `stored` is undefined for a new round. `firstSettled`: the feed position of the
 * bet's first settlement, null until then. `changedBy`: the id of the last change by the batch. `changes`: the number of changes when the
 * row was read; the write fails if that number has changed.
 */
type TrackedRound = {
  stored: Round | undefined;
  firstSettled: bigint | null;
  now: Round;
  changedBy: BlockId;
  changes: number;
};

/** An open round after its last batch, with the transactions that placed its stakes. */
type CachedRound = { tracked: TrackedRound; stakes: ReadonlyMap<string, Transaction> };

/**
 * Rows that a lane caches between batches. A cached round need not be checked, because every accepted call changes its round and the write
 * fails if the round is outdated. A cached session is read again only to check whether it has ended.
 */
export type WalletCache = {
  rounds: Recent<CachedRound>;
  sessions: Recent<Session>;
  /**
   * Ids that this lane has read or written. If one of them is repeated, its row is read, so that the repetition does not make the batch
   * fail.
   */
  ids: Recent<true>;
};

/** The rows, other than players and wallets, that wallet calls need. Includes changes by earlier calls of the batch. */
export type WalletState = {
  transactions: Map<string, Transaction>;
  rounds: Map<string, TrackedRound>;
  sessions: ReadonlyMap<string, Session>;
  /** The cache, which supplies the rounds and sessions that were not read from the database. */
  cache: WalletCache | undefined;
  /** Hashes of cached sessions that have ended. */
  ended: ReadonlySet<string>;
  latest: ReadonlyMap<string, Session>;
  added: Transaction[];
  undone: Set<Transaction>;
  claims: NewClaim[];
  /** Open claims against the players of plans with `repaysClaims`. Credits to these players pay the claims first. */
  openClaims: OpenClaim[];
  /** Earlier claims that the batch has paid, fully or partly. */
  repaid: Set<OpenClaim>;
  findings: NewFinding[];
};

export const transactionName = ({ providerId, transactionId }: TransactionKey) =>
  `${providerId}:${transactionId}`;
export const roundName = ({ userId, providerId, ref }: RoundKey) => `${userId}:${providerId}:${ref}`;
export const latestName = ({ userId, providerId }: { userId: number; providerId: number }) =>
  `${userId}:${providerId}`;

export const findLatestSession = (state: WalletState, of: { userId: number; providerId: number }) =>
  state.latest.get(latestName(of));

/** Returns a player's open claims in a currency, oldest first, including those of this batch. */
export const claimsOf = (
  { openClaims, claims }: WalletState,
  { userId, currencyId }: { userId: number; currencyId: string },
): OpenClaim[] =>
  [...openClaims, ...claims].filter((claim) => claim.userId === userId && claim.currencyId === currencyId);

/** Records a payment of a claim. A claim that this batch has created is written with the remaining amount. */
export function repay(state: WalletState, claim: OpenClaim, paid: Units): void {
  claim.remaining -= paid;
  if (claim.id !== undefined) state.repaid.add(claim);
}

/** Returns a round that was read from the database, otherwise the cached round. */
const findTracked = ({ rounds, cache }: WalletState, name: string): TrackedRound | undefined =>
  rounds.get(name) ?? cache?.rounds.get(name)?.tracked;

/** Finds a round by its key, including the changes of the batch. */
export const findRound = (state: WalletState, key: RoundKey): Round | undefined =>
  findTracked(state, roundName(key))?.now;

/** Finds a round by its id, including the changes of the batch. */
export function findRoundById(state: WalletState, roundId: bigint): Round | undefined {
  for (const { now } of state.rounds.values()) if (now.id === roundId) return now;
  return undefined;
}

/** Finds a transaction by its id. The cached stakes of `round` may contain it. */
export const findTransactionIn = (
  state: WalletState,
  key: TransactionKey,
  round: RoundKey | undefined,
): Transaction | undefined => {
  const { transactions, cache } = state;
  const name = transactionName(key);
  const cached = round && cache?.rounds.get(roundName(round));
  // The cached stakes are used only if `stored` is the cached round. If the round was read from the database instead, they may be outdated.
  const isProven = cached && findTracked(state, roundName(round))?.stored === cached.tracked.now;
  return transactions.get(name) ?? (isProven ? cached.stakes.get(name) : undefined);
};

/** Finds the session of a token. */
export const findSession = ({ sessions, cache, ended }: WalletState, hash: string): Session | undefined =>
  sessions.get(hash) ?? (ended.has(hash) ? undefined : cache?.sessions.get(hash));

export function setRound(state: WalletState, now: Round, changedBy: BlockId): void {
  const name = roundName(now);
  const tracked = findTracked(state, name) ?? { stored: undefined, firstSettled: null, changes: 0 };
  state.rounds.set(name, { ...tracked, now, changedBy });
}

export function addTransaction(state: WalletState, transaction: Transaction): void {
  state.transactions.set(transactionName(transaction), transaction);
  state.added.push(transaction);
}

export function undo(state: WalletState, transaction: Transaction): void {
  transaction.status = 'UNDONE';
  state.undone.add(transaction);
}

/** Converts a row to a round that the batch has not changed yet. */
export function trackedFrom(row: RoundRow): TrackedRound {
  const { betId, betStatus, rate, edgePpm, betCreatedAt, amount, usdAmount, payout, usdPayout, ...round } =
    row;
  const { countsAt, position, changes, undecided, ...plain } = round;
  const bet: RoundBet | undefined =
    betId === null
      ? undefined
      : {
          id: betId,
          rate,
          edgePpm,
          createdAt: betCreatedAt,
          status: betStatus === 'ERROR' || betStatus === null ? 'CREATED' : betStatus,
          amount,
          usdAmount,
          payout,
          usdPayout,
          undecided,
          countsAt,
          shown: { amount, usdAmount },
        };
  const isArchived = betId !== null && betStatus === null;
  const stored: Round = { ...plain, bet, ...(isArchived && { isArchived }) };
  return { stored, firstSettled: position, now: stored, changedBy: { id: 0n, offset: 0 }, changes };
}

/** Returns the statements that write the bets of changed rounds: new bets, changed or settled open bets, and corrections of settled bets. */
export function betStatements(changed: readonly TrackedRound[]): Statement[] {
  const made: ProvidedBet[] = [];
  const open: BetChange[] = [];
  const corrected: BetCorrection[] = [];
  for (const tracked of changed) {
    const { stored, now, firstSettled } = tracked;
    if (!now.bet || now.bet === stored?.bet) continue;
    if (!stored?.bet) made.push(newBetOf(now, now.bet, tracked.changedBy));
    else if (firstSettled === null) open.push(changeOf(now.bet, tracked.changedBy));
    else corrected.push(correctionOf(tracked, stored.bet, now.bet));
  }
  const undecided = changed.flatMap(({ now: { bet }, firstSettled }) =>
    bet && bet.undecided > 0n && firstSettled === null ? [bet] : [],
  );
  return [
    ...(made.length > 0 ? [insertProvided(made)] : []),
    ...(open.length > 0 ? [changeOpen(open)] : []),
    ...(undecided.length > 0 ? [markUndecided(undecided)] : []),
    ...(corrected.length > 0 ? [holdMonths(), writeCorrections(corrected)] : []),
  ];
}

/** A void bet is displayed with the stake before the void. */
const shownAmounts = ({ status, amount, usdAmount, shown }: RoundBet) =>
  status === 'ROLLBACK' ? shown : { amount, usdAmount };

function newBetOf({ userId, gameId, currencyId }: Round, bet: RoundBet, changedBy: BlockId): ProvidedBet {
  const { id, status, payout, usdPayout, rate: usdRate, edgePpm } = bet;
  return {
    id,
    userId,
    gameId,
    currencyId,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    usdRate,
    edgePpm,
    settlementId: status === 'ROLLBACK' ? changedBy.id : null,
  };
}

function changeOf(bet: RoundBet, { offset }: BlockId): BetChange {
  const { id, status, payout, usdPayout } = bet;
  const settlement = status === 'CREATED' ? null : offset;
  return {
    id,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    settlement,
    inputs: null,
    outcome: null,
  };
}

function correctionOf(
  { now, changedBy, firstSettled }: TrackedRound,
  before: RoundBet,
  after: RoundBet,
): BetCorrection {
  return {
    id: changedBy.id,
    betId: after.id,
    position: firstSettled!,
    userId: now.userId,
    gameId: now.gameId,
    currencyId: now.currencyId,
    status: after.status,
    before: versionOf(before),
    after: versionOf(after),
  };
}

const versionOf = ({ countsAt: at, ...bet }: RoundBet): BetVersion | null => {
  const { amount, payout, usdAmount, usdPayout, undecided } = bet;
  return at && { amount, payout, usdAmount, usdPayout, undecided, at };
};
