import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { endsSession } from './database-errors.ts';
import type { Primary } from './primary.ts';

/** A program that holds a transaction open and does nothing holds others up for so long. */
const IDLE_IN_TRANSACTION_MS = 10_000;

export type Guarding = {
  statementTimeoutMs: number;
  /** The server refuses every write on these connections. */
  isReadOnly?: boolean;
  /** Connections for writing: judges the server before anybody gets one. Without it no server is refused. */
  primary?: Primary | undefined;
  /** It only watches the database: it is admitted also while nothing is committed. */
  isObserver?: boolean;
};
type Inside = pg.Client & { connection: EventEmitter & { stream: Socket } };
type Parameter = { parameterName: string; parameterValue: string };

const entered = new WeakSet<pg.ClientBase>();

/** What makes a pool hand out guarded connections alone, each with our time-outs in force. */
export const guarded = (options: Guarding): pg.PoolConfig => ({
  Client: function createGuarded(config: pg.ClientConfig) {
    return guard(new pg.Client(config), options);
  } as unknown as NonNullable<pg.PoolConfig['Client']>,
  onConnect: (client) => enter(client, options),
});

/**
 * Ends a connection whose server turns out not to be the primary any more, or not to have our session: whoever waits on it gets an error of the
 * connection, and the next one is a new one. Before it connects.
 */
export function guard(client: pg.Client, { isReadOnly = false, primary }: Guarding): pg.Client {
  const { connection } = client as Inside;
  // The statement that has failed gets its own error first.
  const retire = (reason: string) => process.nextTick(() => terminate(client, reason));
  connection.on('errorMessage', (error: Error & { code: string }) => {
    // What is refused on a connection for reading alone says nothing of its server.
    if (endsSession(error) && !(isReadOnly && error.code === '25006')) retire(error.message);
  });
  if (primary)
    connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }: Parameter) => {
      // What is said before may be what a pooler remembers of another server.
      if (entered.has(client) && TAKES_NO_WRITES.has(name) && value === 'on') retire(`${name} is on`);
    });
  return client;
}

/** Ends a connection from our side, whatever it still waits for. */
export function terminate(client: pg.Client, reason: string): void {
  (client as Inside).connection.stream.destroy(new Error(`Connection terminated: ${reason}`));
}

/** Reported by the server whenever they change. */
const TAKES_NO_WRITES: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);

type Facts = {
  cluster: string;
  isStandby: boolean;
  isReadOnly: boolean;
  timeline: number | null;
  lsn: string | null;
};

/**
 * The first statement of a connection: sets the time-outs (a pooler drops or refuses those of the startup packet) and asks which server this is.
 * Throws when it must not be written to.
 */
export async function enter(client: pg.ClientBase, options: Guarding): Promise<void> {
  const { statementTimeoutMs, isReadOnly = false, primary, isObserver = false } = options;
  const values = [String(statementTimeoutMs), String(IDLE_IN_TRANSACTION_MS), isReadOnly];
  const known = primary?.acknowledged();
  try {
    const { rows } = await client.query<Facts>(ENTER, values);
    const { cluster, isStandby, isReadOnly: takesNoWrites, timeline, lsn } = rows[0]!;
    const position = timeline === null || lsn === null ? undefined : { timeline, lsn: BigInt(lsn) };
    primary?.admit({ cluster, isStandby, isReadOnly: takesNoWrites, position }, { known, isObserver });
    entered.add(client);
  } catch (error) {
    void (client as pg.Client).end().catch(() => undefined);
    throw error;
  }
}

// The timeline of the log that is written now; that of pg_control_checkpoint() is late after a promotion.
const POSITION = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`;
const ENTER = `select system_identifier::text as cluster, pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only')::bool as "isReadOnly",
    case when not pg_is_in_recovery() then ${POSITION} end as timeline,
    case when not pg_is_in_recovery() then (pg_current_wal_lsn() - '0/0'::pg_lsn)::text end as lsn,
    set_config('statement_timeout', $1, false),
    set_config('idle_in_transaction_session_timeout', $2, false),
    case when $3::bool then set_config('default_transaction_read_only', 'on', false) end
  from pg_control_system()`;
