import { createClient, type DbOptions, type PgClient, type Statement, sqlState } from '../../platform/db.ts';

/** Rows of the statements of one round trip, or which of them failed. */
export type Lane = {
  /** Sends all statements at once and waits for all of their answers. Throws the first failure. */
  send(statements: readonly Statement[]): Promise<Record<string, unknown>[][]>;
  close(): Promise<void>;
};

export const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] };
export const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] };
export const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] };

/** The database certainly did not commit what was sent. */
export class NotCommitted extends Error {}

// Plans must not depend on the statistics of the moment: an index lookup per row is right at every size of these tables.
const PLANNER = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
];
const LOCK_TIMEOUT_MS = 1500;

/**
 * A database connection that settles bets: its statements are prepared once and travel pipelined. Connects when first
 * used and again after it was lost.
 */
export function createLane(options: DbOptions): Lane {
  let connecting: Promise<PgClient> | undefined;

  const connect = async (): Promise<PgClient> => {
    const client = createClient(options, { pipeline: true });
    const forget = () => {
      connecting = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const setting of PLANNER) await client.query(`set ${setting.replace('=', ' = ')}`);
    return client;
  };

  const connected = (): Promise<PgClient> => {
    connecting ??= connect().catch((error) => {
      connecting = undefined;
      throw new NotCommitted('no connection', { cause: error });
    });
    return connecting;
  };

  return {
    async send(statements) {
      const client = await connected();
      const answers = await Promise.allSettled(statements.map((s) => client.query(s)));
      const failure = answers.find((a) => a.status === 'rejected');
      if (failure) throw refused(failure.reason);
      const last = answers.at(-1) as PromiseFulfilledResult<{ command: string }>;
      // A COMMIT of a failed transaction succeeds as a ROLLBACK.
      if (statements.at(-1) === COMMIT && last.value.command !== 'COMMIT')
        throw new NotCommitted('rolled back');
      return answers.map(
        (a) => (a as PromiseFulfilledResult<{ rows: Record<string, unknown>[] }>).value.rows,
      );
    },
    async close() {
      const client = await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}

/** An answer with an SQLSTATE came from a live server that gave the transaction up; anything else leaves it open. */
function refused(reason: unknown): unknown {
  const state = sqlState(reason);
  if (!state || /^(57P|08)/.test(state)) return reason;
  return new NotCommitted(`the statement failed with ${state}`, { cause: reason });
}
