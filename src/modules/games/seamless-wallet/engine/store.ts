import { createRecent } from '../../../../platform/recent.ts';
import { insertFindings } from '../../../base/findings/service.ts';
import { insertClaims, type OpenClaim, payClaims, readOpenClaims } from '../../../money/ledger/queries.ts';
import type { GameRequest, Store } from '../../betting/request.ts';
import type { WalletCall } from './call.ts';
import {
  insertRounds,
  insertTransactions,
  type RoundKey,
  type RoundRow,
  readDeadSessions,
  readRounds,
  readSessions,
  readTransactions,
  type Session,
  type Transaction,
  type TransactionKey,
  undoTransactions,
  updateRounds,
} from './queries.ts';
import type { Round } from './rules.ts';
import {
  betStatements,
  latestName,
  roundName,
  trackedFrom,
  transactionName,
  type WalletCache,
  type WalletState,
} from './state.ts';

/** A wallet call as a settlement request. */
export type WalletRequest<Answer extends object = object> = GameRequest<Answer, WalletState> & {
  plan: ReadPlan;
};

/** The rows to read for a call, under the player's lock. */
export type ReadPlan = {
  /** The ids of the call's own transactions. */
  ids: readonly TransactionKey[];
  references: readonly TransactionKey[];
  rounds: readonly RoundKey[];
  tokenHash: string | undefined;
  /** True if the player's newest session at the provider is needed, because the call has no token or no currency. */
  needsLatest?: boolean;
  providerId: number;
  /** True if the call's credits pay the player's open claims. */
  repaysClaims?: true;
  /**
   * Set if the call may be processed with the cached round and session. `checksSession`: the call needs a live session regardless of the
   * round's state.
   */
  mayUseCache?: { checksSession: boolean } | undefined;
};

/** Returns the rows that a provider's call needs. */
export function planRead(
  call: WalletCall,
  key: { userId: number; providerId: number; tokenHash: string | undefined },
) {
  const { userId, providerId } = key;
  const named = (transactionId: string): TransactionKey => ({ providerId, transactionId });
  const references = call.actions.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
  // Wins and rollbacks need no session, but the session may determine the currency.
  const needsNoSession = call.actions.every(({ type }) => type === 'WIN' || type === 'ROLLBACK');
  const readsSession = call.currencyId === undefined || !needsNoSession;
  return {
    ids: call.actions.map(({ id }) => named(id)),
    references: references.map(named),
    rounds: call.round === undefined ? [] : [{ userId, providerId, ref: call.round }],
    tokenHash: readsSession ? key.tokenHash : undefined,
    needsLatest: readsSession && (key.tokenHash === undefined || call.currencyId === undefined),
    providerId,
    mayUseCache: { checksSession: !needsNoSession },
  } satisfies ReadPlan;
}

const CACHE_SIZE = 20_000;

export const WALLET_STORE: Store<WalletState, WalletCache> = {
  read(requests, cache) {
    const plans = (requests as readonly WalletRequest[]).map((request) => withoutCached(request, cache));
    const transactions = plans.flatMap(({ ids, references }) => [...ids, ...references]);
    const rounds = plans.flatMap((plan) => plan.rounds);
    const references = plans.flatMap((plan) => plan.references);
    const hashes = plans.flatMap(({ tokenHash }) => tokenHash ?? []);
    const cached = plans.flatMap(({ cachedHash }) => cachedHash ?? []);
    const latestOf = plans.filter(({ needsLatest }) => needsLatest);
    const payers = plans.flatMap(({ userId, repaysClaims }) => (repaysClaims ? [userId] : []));
    return [
      ...(transactions.length > 0 ? [readTransactions(distinct(transactions, transactionName))] : []),
      ...(rounds.length + references.length > 0 ? [readRounds(distinct(rounds, roundName), references)] : []),
      ...(hashes.length + latestOf.length > 0
        ? [readSessions([...new Set(hashes)], distinct(latestOf, latestName))]
        : []),
      ...(cached.length > 0 ? [readDeadSessions([...new Set(cached)])] : []),
      ...(payers.length > 0 ? [readOpenClaims([...new Set(payers)])] : []),
    ];
  },
  stateOf(rows, cache, statements = []) {
    const of = <Row>(name: string) =>
      (rows[statements.findIndex((statement) => statement.name === name)] ?? []) as Row[];
    const sessions = of<Session & { isLatest: boolean }>('provider.sessions');
    return {
      transactions: new Map(of<Transaction>('provider.transactions').map((t) => [transactionName(t), t])),
      rounds: new Map(of<RoundRow>('provider.rounds').map((row) => [roundName(row), trackedFrom(row)])),
      sessions: new Map(sessions.filter((s) => !s.isLatest).map((s) => [s.hash, s])),
      cache,
      ended: new Set(of<{ hash: string }>('provider.dead-sessions').map(({ hash }) => hash)),
      latest: new Map(sessions.filter((s) => s.isLatest).map((s) => [latestName(s), s])),
      added: [],
      undone: new Set(),
      claims: [],
      openClaims: of<OpenClaim>('ledger.open-claims'),
      repaid: new Set(),
      findings: [],
    };
  },
  bonusBets: ({ rounds }) =>
    [...rounds.values()].flatMap(({ stored }) =>
      stored?.bet && stored.hasBonus && stored.status !== 'OPEN' ? [stored.bet.id] : [],
    ),
  write({ rounds, added, undone, claims, repaid, findings }) {
    const changed = [...rounds.values()].filter(({ stored, now }) => now !== stored);
    const made = changed.filter(({ stored }) => !stored);
    const updated = changed.filter(({ stored }) => stored);
    const undo = [...undone].filter((t) => !added.includes(t));
    return [
      ...betStatements(changed),
      ...(made.length > 0 ? [insertRounds(made.map(({ now }) => now))] : []),
      ...(updated.length > 0 ? [updateRounds(updated.map(({ now, changes }) => ({ ...now, changes })))] : []),
      ...(added.length > 0 ? [insertTransactions(added)] : []),
      ...(undo.length > 0 ? [undoTransactions(undo.map(({ id }) => id))] : []),
      ...(claims.length > 0 ? [insertClaims(claims)] : []),
      ...(repaid.size > 0 ? [payClaims([...repaid])] : []),
      ...(findings.length > 0 ? [insertFindings(findings)] : []),
    ];
  },
  cache: {
    create: () => ({
      rounds: createRecent(CACHE_SIZE),
      sessions: createRecent(CACHE_SIZE),
      ids: createRecent(CACHE_SIZE),
    }),
    update: (cache, state, requests) => updateCache(cache, state, requests as readonly WalletRequest[]),
    evict(cache, requests) {
      for (const { plan } of requests as readonly WalletRequest[]) {
        for (const round of plan.rounds) cache.rounds.delete(roundName(round));
        if (plan.tokenHash !== undefined) cache.sessions.delete(plan.tokenHash);
      }
    },
  },
};

/**
 * Reduces a plan to the rows that are not cached. The ids of the call's new transactions are not read, because writing them fails if they
 * exist. `cachedHash`: the hash of a cached session.
 */
function withoutCached({ userId, plan }: WalletRequest, cache: WalletCache | undefined) {
  const { mayUseCache } = plan;
  const all = { userId, cachedHash: undefined as string | undefined, ...plan };
  if (!cache || !mayUseCache) return all;
  const [name] = plan.rounds;
  const round = name && cache.rounds.get(roundName(name));
  const references = plan.references.filter((key) => !round?.stakes.has(transactionName(key)));
  const needsSession = !round || mayUseCache.checksSession;
  const hash = needsSession ? plan.tokenHash : undefined;
  const isCached = hash !== undefined && cache.sessions.has(hash);
  return {
    ...all,
    ids: plan.ids.filter((key) => cache.ids.has(transactionName(key))),
    references,
    rounds: round ? [] : plan.rounds,
    tokenHash: isCached ? undefined : hash,
    cachedHash: isCached ? hash : undefined,
    // The newest session is not needed if the cached round or session determines the currency.
    needsLatest: plan.needsLatest === true && needsSession && !isCached,
  };
}

/** Updates the cache with the rows that a batch has written. */
function updateCache(cache: WalletCache, state: WalletState, requests: readonly WalletRequest[]): void {
  const added = Map.groupBy(state.added, ({ roundId }) => roundId);
  const seen = new Set<string>();
  for (const { plan } of requests) {
    for (const key of plan.rounds) {
      const name = roundName(key);
      if (!seen.has(name))
        cacheRound(cache, { state, added, name, isCacheable: plan.mayUseCache !== undefined });
      seen.add(name);
    }
  }
  for (const { userId, plan } of requests) {
    const session = plan.tokenHash === undefined ? undefined : state.sessions.get(plan.tokenHash);
    if (session?.isLive && session.userId === userId) cache.sessions.set(session.hash, session);
    else if (session) cache.sessions.delete(session.hash);
  }
  for (const hash of state.ended) cache.sessions.delete(hash);
  for (const name of state.transactions.keys()) cache.ids.set(name, true);
}

type RoundToCache = {
  state: WalletState;
  added: ReadonlyMap<bigint | null, readonly Transaction[]>;
  name: string;
  isCacheable: boolean;
};

/**
 * Caches a round with its stakes, in the form in which it would be read, if the round is open and has never ended. Removes any other round
 * from the cache.
 */
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

const distinct = <T>(items: readonly T[], name: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [name(item), item])).values(),
];
