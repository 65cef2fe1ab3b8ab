import { sqlState } from '../../../platform/database-errors.ts';
import {
  createClient,
  type DbOptions,
  type PgClient,
  run,
  type Statement,
  sendTogether,
  type Tx,
} from '../../../platform/db.ts';
import { isTracing, type SpanOptions, span } from '../../../platform/trace.ts';

export type Lane = {
  /**
   * Sends all statements without waiting in between, then waits for all answers. Throws the first failure: NotCommitted when it is
   * certain that nothing came of it. A transaction stays on the connection that its BEGIN went out on; once that is
   * lost, nothing more of it is sent.
   */
  send(statements: readonly Statement[]): Promise<Record<string, unknown>[][]>;
  /** Stands for the connection that is open now. What was read over another one may be true no more: the server may have come back at an earlier state. */
  session(): object | undefined;
  close(): Promise<void>;
};

export const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] };
export const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] };
export const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] };

/** The database certainly did not commit what was sent. */
export class NotCommitted extends Error {}
const LOST = new Error('Connection terminated between two statements of a transaction');

// Plans must not depend on the statistics of the moment: an index lookup per row is right at every size of these tables.
const SETTINGS = [
  'lock_timeout = 1500',
  // A process that vanishes between its two round trips leaves its players locked, and others' batches waiting, for so long.
  'idle_in_transaction_session_timeout = 2000',
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * A database connection that settles bets: its statements are prepared once and travel pipelined. Connects when first
 * used and again after it was lost.
 */
export function createLane(options: DbOptions): Lane {
  let current: { client: PgClient; ready: Promise<PgClient> } | undefined;
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
    return { client, ready };
  };
  /** What it still has under way must not meet the next batch. */
  const abandon = (client: PgClient) => {
    forget(client);
    void client.end().catch(() => undefined);
  };
  const begin = async (): Promise<PgClient> => {
    current ??= connect();
    inTransaction = await current.ready;
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
      // A COMMIT of a failed transaction succeeds as a ROLLBACK.
      if (statements.at(-1) === COMMIT && last.value.command !== 'COMMIT')
        throw new NotCommitted('rolled back');
      return answers.map(
        (a) => (a as PromiseFulfilledResult<{ rows: Record<string, unknown>[] }>).value.rows,
      );
    },
    session: () => current?.client,
    async close() {
      const client = await current?.ready.catch(() => undefined);
      await client?.end();
    },
  };
}

/** A lane that is a transaction of somebody else, who begins and ends it. */
export function laneOf(tx: Tx): Lane {
  const isTheirs = (statement: Statement) => [BEGIN, COMMIT, ROLLBACK].includes(statement);
  return {
    async send(statements) {
      const answers: Record<string, unknown>[][] = [];
      for (const statement of statements)
        answers.push(
          isTheirs(statement) ? [] : await run<Record<string, unknown>>(tx, statement).catch(fail),
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
 * An answer with an SQLSTATE came from a live server that gave the transaction up; anything else leaves it open. So do
 * a failed COMMIT, and a failed BEGIN whose followers ran each for itself up to their COMMIT.
 */
function verdict(statements: readonly Statement[], failed: number, reason: unknown): unknown {
  const state = sqlState(reason);
  const hasCommit = statements.at(-1) === COMMIT;
  const ranAlone = failed === 0 && statements[0] === BEGIN && hasCommit;
  const isCommit = statements[failed] === COMMIT;
  if (!state || /^(57P|08)/.test(state) || isCommit || ranAlone) return reason;
  return new NotCommitted(`the statement failed with ${state}`, { cause: reason });
}
