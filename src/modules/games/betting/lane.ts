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
import { isTracing, type SpanOptions, span } from '../../../platform/observability/trace.ts';

export type Lane = {
  /**
   * Sends all statements in one pipeline, then waits for all results. Throws the first failure: NotCommitted if it is certain that nothing
   * was committed. A transaction stays on the connection of its BEGIN; after that connection is lost, nothing more is sent.
   */
  send(statements: readonly Statement[]): Promise<Record<string, unknown>[][]>;
  /** Identifies the open connection. Rows read over another one may be outdated, because the server may have been restored to an earlier state. */
  session(): object | undefined;
  close(): Promise<void>;
};

export const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] };
export const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] };
export const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] };

/** Thrown if the database certainly did not commit the statements. */
export class NotCommitted extends Error {}
const SLOW = new Error('timeout exceeded when trying to connect');
const LOST = new Error('Connection terminated between two statements of a transaction');

// Plans must not depend on current statistics: an index lookup per row is right at every size of these tables.
const SETTINGS = [
  'lock_timeout = 1500',
  // A process that dies between its two round trips keeps its players locked for this long.
  'idle_in_transaction_session_timeout = 2000',
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/** Creates a database connection that settles bets, with prepared statements in a pipeline. Connects on first use and after a loss. */
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
  /** Drops a connection, so that its pending statements do not affect the next batch. */
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

/** Waits for the connection, but not longer than bets wait: a later batch can use a slow one. */
async function openIn(ms: number, ready: Promise<PgClient>): Promise<PgClient> {
  const client = await within(ms, ready);
  if (!client) throw new NotCommitted('no connection yet', { cause: SLOW });
  return client;
}

/** Wraps a transaction as a lane. The caller begins and ends the transaction. */
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
 * Classifies a failure. An SQLSTATE from a live server means that the transaction was aborted. Otherwise the outcome is unknown, as after a
 * failed COMMIT, or a failed BEGIN whose following statements ran outside a transaction.
 */
function verdict(statements: readonly Statement[], failed: number, reason: unknown): unknown {
  const state = sqlState(reason);
  const hasCommit = statements.at(-1) === COMMIT;
  const ranAlone = failed === 0 && statements[0] === BEGIN && hasCommit;
  const isCommit = statements[failed] === COMMIT;
  if (!state || /^(57P|08)/.test(state) || isCommit || ranAlone) return reason;
  return new NotCommitted(`the statement failed with ${state}`, { cause: reason });
}
