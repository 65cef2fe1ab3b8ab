import type { Units } from '../../../../platform/money.ts';
import { createRecent, type Recent } from '../../../../platform/recent.ts';
import type { NewFinding } from '../../../base/findings/service.ts';
import type { NewClaim, OpenClaim } from '../../../money/ledger/queries.ts';
import type { RoundKey, RoundRow, Session, Transaction, TransactionKey } from './queries.ts';
import type { Round, RoundBet } from './rules.ts';

/** An id of the block, and its distance from the block's base. */
export type BlockId = { id: bigint; offset: number };

/**
 * A round as stored and as the batch has changed it. `stored`: undefined for a new round. `firstSettled`: the feed position of the bet's first
 * settlement; null until then. `changedBy`: the id of the last change by the batch. `changes`: the number of changes when it was read; the
 * write fails if the row has another number by then.
 */
export type TrackedRound = {
  stored: Round | undefined;
  firstSettled: bigint | null;
  now: Round;
  changedBy: BlockId;
  changes: number;
};

/** An open round as its last batch left it, with the transactions of its stakes. */
type CachedRound = { tracked: TrackedRound; stakes: ReadonlyMap<string, Transaction> };

/**
 * Rows that a lane keeps between batches. A cached round needs no check: every accepted call changes its round, and the write fails if
 * the round is outdated. A cached session is read again only to check whether it has ended.
 */
export type WalletCache = {
  rounds: Recent<CachedRound>;
  sessions: Recent<Session>;
  /** Ids read or written by this lane. A repeated id is read, so that it does not fail the batch. */
  ids: Recent<true>;
};

const CACHE_SIZE = 20_000;

export const createCache = (): WalletCache => ({
  rounds: createRecent(CACHE_SIZE),
  sessions: createRecent(CACHE_SIZE),
  ids: createRecent(CACHE_SIZE),
});

/** The rows, other than players and wallets, that wallet calls need. Includes changes by earlier calls of the batch. */
export type WalletState = {
  transactions: Map<string, Transaction>;
  rounds: Map<string, TrackedRound>;
  sessions: ReadonlyMap<string, Session>;
  /** Contains the rounds and sessions that were not read. */
  cache: WalletCache | undefined;
  /** Hashes of cached sessions that have ended. */
  ended: ReadonlySet<string>;
  latest: ReadonlyMap<string, Session>;
  added: Transaction[];
  undone: Set<Transaction>;
  claims: NewClaim[];
  /** Open claims against players whose credits pay them. */
  openClaims: OpenClaim[];
  /** Earlier claims that the batch has paid, in full or in part. */
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

/** Records a payment of a claim. A claim of this batch is written with the remaining amount. */
export function repay(state: WalletState, claim: OpenClaim, paid: Units): void {
  claim.remaining -= paid;
  if (claim.id !== undefined) state.repaid.add(claim);
}

/** Returns a round as read, or else as cached. */
const findTracked = ({ rounds, cache }: WalletState, name: string): TrackedRound | undefined =>
  rounds.get(name) ?? cache?.rounds.get(name)?.tracked;

/** Finds a round by its name, with the changes of the batch. */
export const findRound = (state: WalletState, key: RoundKey): Round | undefined =>
  findTracked(state, roundName(key))?.now;

/** Finds a round by its id, with the changes of the batch. */
export function findRoundById(state: WalletState, roundId: bigint): Round | undefined {
  for (const { now } of state.rounds.values()) if (now.id === roundId) return now;
  return undefined;
}

/** Finds a transaction by its id. `round`: a round whose cached stakes may contain it. */
export const findTransactionIn = (
  state: WalletState,
  key: TransactionKey,
  round: RoundKey | undefined,
): Transaction | undefined => {
  const { transactions, cache } = state;
  const name = transactionName(key);
  const cached = round && cache?.rounds.get(roundName(round));
  // The cached stakes count only if `stored` is the cached round itself. If the round was read instead, nothing proves them.
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

/** Updates the cache with what a batch has written. Its requests name the `rounds` and the `sessions`. */
export function updateCache(
  cache: WalletCache,
  state: WalletState,
  named: { rounds: readonly { key: RoundKey; isCacheable: boolean }[]; sessions: readonly SessionKey[] },
): void {
  const added = Map.groupBy(state.added, ({ roundId }) => roundId);
  const seen = new Set<string>();
  for (const { key, isCacheable } of named.rounds) {
    const name = roundName(key);
    if (!seen.has(name)) cacheRound(cache, { state, added, name, isCacheable });
    seen.add(name);
  }
  for (const { hash, userId } of named.sessions) {
    const session = state.sessions.get(hash);
    if (session?.isLive && session.userId === userId) cache.sessions.set(session.hash, session);
    else if (session) cache.sessions.delete(session.hash);
  }
  for (const hash of state.ended) cache.sessions.delete(hash);
  for (const name of state.transactions.keys()) cache.ids.set(name, true);
}

type SessionKey = { hash: string; userId: number };
type RoundToCache = {
  state: WalletState;
  added: ReadonlyMap<bigint | null, readonly Transaction[]>;
  name: string;
  isCacheable: boolean;
};

/** Caches an open round that has never ended as it would be read, with its stakes. Removes any other round. */
function cacheRound({ rounds }: WalletCache, { state, added, name, isCacheable }: RoundToCache): void {
  const tracked = state.rounds.get(name);
  if (!tracked || tracked.now === tracked.stored) return;
  const { now, stored, firstSettled } = tracked;
  if (!isCacheable || now.status !== 'OPEN' || firstSettled !== null || now.isArchived) {
    rounds.delete(name);
    return;
  }
  const before = rounds.get(name);
  const stakes = new Map(stored && before?.tracked.now === stored ? before.stakes : []);
  for (const t of added.get(now.id) ?? []) if (isStake(t)) stakes.set(transactionName(t), t);
  const bet = now.bet && { ...now.bet, shown: { amount: now.bet.amount, usdAmount: now.bet.usdAmount } };
  const round: Round = { ...now, bet };
  const changes = stored ? tracked.changes + 1 : 0;
  rounds.set(name, { tracked: { ...tracked, stored: round, now: round, changes }, stakes });
}

const isStake = ({ type, status }: Transaction): boolean =>
  (type === 'BET' || type === 'FREE_BET') && status === 'DONE';
