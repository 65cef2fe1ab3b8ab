import type { LRUCache } from 'lru-cache';
import { createCache } from '../../../platform/cache.ts';
import {
  createClient,
  type DbOptions,
  type PgClient,
  run,
  type Statement,
  sendTogether,
  type Tx,
} from '../../../platform/database/db.ts';
import { sqlState } from '../../../platform/database/errors.ts';
import { within } from '../../../platform/jobs/timers.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { isTracing, type SpanOptions, span } from '../../../platform/observability/trace.ts';
import type { Player } from '../../base/players/service.ts';
import type { Outlook } from '../../compliance/gate/rules.ts';
import type { BonusBooks, RememberedBonus } from '../../money/bonus/books.ts';
import type { BetGrant } from '../../money/bonus/rules.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import type { Fairness } from '../fairness/service.ts';
import type { Store } from './request.ts';

export type Lane = {
  /**
   * Sends all statements in one pipeline, then waits for all results. Throws the first failure, as `NotCommitted` if it is certain that
   * nothing was committed. A transaction stays on the connection of its BEGIN. If that connection is lost, no further statements are sent.
   */
  send(statements: readonly Statement[]): Promise<Record<string, unknown>[][]>;
  /** Identifies the open connection. Rows read over another one may be outdated, because the server may have been restored to an earlier state. */
  session(): object | undefined;
  close(): Promise<void>;
};

export const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] };
export const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] };
export const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] };

/** Thrown if it is certain that the database did not commit the statements. */
export class NotCommitted extends Error {}
const SLOW = new Error('timeout exceeded when trying to connect');
const LOST = new Error('Connection terminated between two statements of a transaction');

// Query plans must not depend on the current table statistics. One index lookup per row is the best plan for these tables at any size.
const SETTINGS = [
  'lock_timeout = 1500',
  // If a process dies between its two round trips, its players stay locked for this long.
  'idle_in_transaction_session_timeout = 2000',
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * Creates a database connection that settles bets with pipelined prepared statements. It connects on first use and reconnects after a loss.
 */
export function createLane(options: DbOptions): Lane {
  let current: { client: PgClient; ready: Promise<PgClient>; isOpen: boolean } | undefined;
  let inTransaction: PgClient | undefined;

  const forget = (client: PgClient) => {
    if (current?.client === client) current = undefined;
    if (inTransaction === client) inTransaction = undefined;
  };
  const connect = () => {
    const client = createClient(options, { pipeline: true });
    client.on('error', () => forget(client));
    client.on('end', () => forget(client));
    const ready = prepare(client).catch((error: unknown) => {
      abandon(client);
      throw new NotCommitted('no connection', { cause: error });
    });
    const own = { client, ready, isOpen: false };
    ready.then(() => Object.assign(own, { isOpen: true }), ignore);
    return own;
  };
  /** Closes a connection, so that its pending statements cannot affect the next batch. */
  const abandon = (client: PgClient) => {
    forget(client);
    void client.end().catch(() => undefined);
  };
  const begin = async (): Promise<PgClient> => {
    current ??= connect();
    inTransaction = current.isOpen ? current.client : await openIn(options.connectTimeoutMs, current.ready);
    return inTransaction;
  };

  return {
    async send(statements) {
      const client = statements[0] === BEGIN ? await begin() : inTransaction;
      if (!client) throw new NotCommitted('lost in the middle of the transaction', { cause: LOST });
      const sent = () => Promise.allSettled(sendTogether(client, statements));
      const answers = isTracing() ? await span('sql batch', spanOf(statements), sent) : await sent();
      const failed = answers.findIndex((a) => a.status === 'rejected');
      if (failed >= 0) {
        const error = verdict(statements, failed, (answers[failed] as PromiseRejectedResult).reason);
        if (!(error instanceof NotCommitted)) abandon(client);
        throw error;
      }
      const last = answers.at(-1) as PromiseFulfilledResult<{ command: string }>;
      // PostgreSQL executes the COMMIT of a failed transaction as a ROLLBACK.
      if (statements.at(-1) === COMMIT && last.value.command !== 'COMMIT')
        throw new NotCommitted('rolled back');
      return answers.map(
        (a) => (a as PromiseFulfilledResult<{ rows: Record<string, unknown>[] }>).value.rows,
      );
    },
    session: () => current?.client,
    async close() {
      if (current?.isOpen) await current.client.end();
      else if (current) abandon(current.client);
    },
  };
}

function ignore(): void {}

/** Waits for the connection, but no longer than a bet may wait. If connecting takes longer, a later batch can use the connection. */
async function openIn(ms: number, ready: Promise<PgClient>): Promise<PgClient> {
  const client = await within(ms, ready);
  if (!client) throw new NotCommitted('no connection yet', { cause: SLOW });
  return client;
}

/** Wraps a transaction as a lane. The caller begins and ends this transaction. */
export function laneOf(tx: Tx): Lane {
  const isBoundary = (statement: Statement) => [BEGIN, COMMIT, ROLLBACK].includes(statement);
  return {
    async send(statements) {
      const answers: Record<string, unknown>[][] = [];
      for (const statement of statements)
        answers.push(
          isBoundary(statement) ? [] : await run<Record<string, unknown>>(tx, statement).catch(fail),
        );
      return answers;
    },
    session: () => tx,
    close: async () => undefined,
  };
}

function fail(error: unknown): never {
  throw new NotCommitted('the statement failed', { cause: error });
}

const spanOf = (statements: readonly Statement[]): SpanOptions => ({
  kind: 'client',
  attributes: {
    'db.system.name': 'postgresql',
    'db.query.summary': statements.map(({ name }) => name).join(' '),
  },
});

async function prepare(client: PgClient): Promise<PgClient> {
  await client.connect();
  await client.query(SETTINGS.map((setting) => `set ${setting}`).join('; '));
  return client;
}

/**
 * Classifies a failure. An SQLSTATE from a live server means that the transaction was aborted. Otherwise the outcome is unknown, for
 * example after a failed COMMIT, or after a failed BEGIN whose following statements ran outside a transaction.
 */
function verdict(statements: readonly Statement[], failed: number, reason: unknown): unknown {
  const state = sqlState(reason);
  const hasCommit = statements.at(-1) === COMMIT;
  const ranAlone = failed === 0 && statements[0] === BEGIN && hasCommit;
  const isCommit = statements[failed] === COMMIT;
  if (!state || /^(57P|08)/.test(state) || isCommit || ranAlone) return reason;
  return new NotCommitted(`the statement failed with ${state}`, { cause: reason });
}

export type SettlerOptions = {
  fairness: Pick<Fairness, 'peekPair' | 'rememberPairs' | 'forgetPairs'>;
  outlook: Outlook;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
};

/** Functions of other modules that are needed for bets with bonus money. */
export type BetGrants = {
  /** Returns the properties of a game that the terms of grants depend on. */
  factsOf: BonusBooks['factsOf'];
  lowRisk: BonusBooks['lowRisk'];
  /** Settles grants that may have ended, in separate transactions. Never throws: a grant that could not be settled is settled later. */
  settle: (grantIds: readonly bigint[]) => Promise<void>;
  /** Sends the progress of changed grants to their players. */
  noteProgress: (grants: readonly BetGrant[]) => void;
};

/** A player's row and wallets as of the player's last batch on this lane. */
type LastSeen = {
  player: Player;
  wallets: readonly Wallet[];
  bonus: RememberedBonus | undefined;
};

/** A lane with everything that it caches between batches. */
export type LaneState = SettlerOptions & {
  lane: Lane;
  /** The connection over which all cached rows were read; undefined if nothing is cached. */
  seenIn: object | undefined;
  /** Caches the rows with which a batch can be settled in one round trip. If a batch fails, its players are removed. */
  lastSeen: LRUCache<number, LastSeen>;
  /** The caches of stores. */
  caches: Map<Store, unknown>;
  /** No store's cache is used until this time. A batch with cached rows has just failed, so another one may fail too. */
  cacheDisabledUntil: number;
  /** Metric counters by game. Looking up a label hashes it, so each game's counter is looked up once instead of for every bet. */
  settledBets: Map<string, { inc(): void }>;
};

const CACHE_SIZE = 20_000;

export const createLaneState = (
  options: SettlerOptions,
  lane: Lane,
  { usesCache }: { usesCache: boolean },
): LaneState => ({
  ...options,
  lane,
  seenIn: undefined,
  lastSeen: createCache(CACHE_SIZE),
  caches: new Map(),
  cacheDisabledUntil: usesCache ? 0 : Number.POSITIVE_INFINITY,
  settledBets: new Map(),
});

/**
 * Clears the cache after a reconnect. A server that was restored to an earlier state may assign ids and versions that are already cached
 * here. A restore always breaks the connections.
 */
export function clearAfterReconnect(state: LaneState): void {
  if (state.lane.session() !== state.seenIn) clear(state);
}

/** Remembers the connection over which the last batch was settled. Clears the cache if it is closed. */
export function rememberSession(state: LaneState): void {
  const session = state.lane.session();
  if (session === undefined) clear(state);
  else state.seenIn = session;
}

function clear(state: LaneState): void {
  state.lastSeen.clear();
  state.caches.clear();
  // Seed pairs are shared by all lanes, so a lane that has cached nothing must not clear them.
  if (state.seenIn !== undefined) state.fairness.forgetPairs();
  state.seenIn = undefined;
}

export function cacheOf({ caches }: LaneState, store: Store): unknown {
  const cache = caches.get(store) ?? store.cache?.create();
  caches.set(store, cache);
  return cache;
}
