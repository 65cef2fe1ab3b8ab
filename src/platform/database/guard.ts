import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import type { ConnectionBreaker } from './connection-breaker.ts';
import { describeServer } from './embedded/server.ts';
import { endsSession, isResourceError } from './errors.ts';
import type { Primary } from './replica/primary.ts';

/** Maximum time for which a transaction may be idle, because an idle transaction can block others. */
const IDLE_IN_TRANSACTION_MS = 10_000;

export type Guarding = {
  statementTimeoutMs: number;
  connectTimeoutMs: number;
  /** The server rejects every write on these connections, because they are read-only. */
  isReadOnly?: boolean;
  /** For connections that write: checks the server before a connection is used. If undefined, any server is accepted. */
  primary?: Primary | undefined;
  /** The connection only monitors the database, so it is accepted even while no writes commit. */
  isObserver?: boolean;
  /** For a pool: callers wait longer for a connection while the database recovers, because a login may then take longer. */
  waitsForLogin?: boolean;
  /** Limits connection attempts. Defaults to the primary's breaker. There is no limit if both are absent. */
  breaker?: ConnectionBreaker;
};
type Inside = pg.Client & { connection: EventEmitter & { stream: Socket } };
type Parameter = { parameterName: string; parameterValue: string };

const entered = new WeakSet<pg.ClientBase>();

export const breakerOf = ({ breaker, primary }: Guarding): ConnectionBreaker | undefined =>
  breaker ?? primary?.breaker;

/**
 * Returns a client whose `connect` waits for its slot, sets the timeouts and verifies which server it reached. The client closes its
 * connection if the server is no longer the primary or no longer has this session. Pending queries then fail with a connection error, and
 * the next connection is a new one.
 */
export function createGuarded(config: pg.ClientConfig, options: Guarding): pg.Client {
  const { isReadOnly = false, primary, connectTimeoutMs } = options;
  const connectionTimeoutMillis = breakerOf(options)?.loginMs(connectTimeoutMs) ?? connectTimeoutMs;
  const client = new pg.Client({ ...config, connectionTimeoutMillis });
  const { connection } = client as Inside;
  // The failed statement must receive its own error first.
  const retire = (reason: string) => process.nextTick(() => terminate(client, reason));
  connection.on('errorMessage', (error: Error & { code: string }) => {
    if (primary && isResourceError(error)) primary.reportResourceError(error);
    // On a read-only connection, a rejected write does not show that the server is a replica.
    if (endsSession(error) && !(isReadOnly && error.code === '25006')) retire(error.message);
  });
  if (primary)
    connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }: Parameter) => {
      // A pooler may report an earlier value that belongs to another server.
      if (entered.has(client) && TAKES_NO_WRITES.has(name) && value === 'on') retire(`${name} is on`);
    });
  const connect = client.connect.bind(client) as () => Promise<unknown>;
  return Object.assign(client, { connect: orCallback(() => open(client, connect, options)) });
}

/** Supports both forms of `connect` in node-postgres: pools pass a callback, other callers do not. */
const orCallback = (work: () => Promise<void>) => (callback?: (error?: unknown) => void) =>
  callback ? void work().then(() => callback(), callback) : work();

async function open(client: pg.Client, connect: () => Promise<unknown>, options: Guarding): Promise<void> {
  const { primary, isObserver = false, connectTimeoutMs } = options;
  const breaker = breakerOf(options);
  primary?.assertAdmitting(isObserver);
  const attempt = async () => {
    await connectWithin(client, connect, connectTimeoutMs);
    await enter(client, options, breaker?.loginMs(connectTimeoutMs) ?? connectTimeoutMs);
  };
  const { host, port } = client;
  const opening = { where: describeServer({ host, port }), waitMs: connectTimeoutMs, isFirst: isObserver };
  await (breaker ? breaker.open(opening, attempt) : attempt());
}

/**
 * Connects a client. The network connection must be established within the normal timeout, even if the login may take longer. After that
 * timeout a new attempt can reach a server that has moved.
 */
async function connectWithin(client: pg.Client, connect: () => Promise<unknown>, ms: number): Promise<void> {
  const timer = setTimeout(() => terminate(client, 'connection timeout'), ms).unref();
  (client as Inside).connection.once('connect', () => clearTimeout(timer));
  await connect().finally(() => clearTimeout(timer));
}

/** Closes a connection from our side, regardless of pending work. */
export function terminate(client: pg.Client, reason: string): void {
  (client as Inside).connection.stream.destroy(new Error(`Connection terminated: ${reason}`));
}

/** Parameters that are `on` while the session accepts no writes. The server reports every change to them. */
const TAKES_NO_WRITES: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);

type Facts = {
  cluster: string;
  isStandby: boolean;
  isReadOnly: boolean;
  timeline: number | null;
  lsn: string | null;
};

/**
 * Runs the first statement of a connection. It identifies the server and sets the timeouts, because a pooler drops or rejects timeouts in
 * the startup packet. Throws if the process must not write to this server.
 */
async function enter(client: pg.ClientBase, options: Guarding, loginMs: number): Promise<void> {
  const { statementTimeoutMs, isReadOnly = false, primary, isObserver = false } = options;
  const values = [String(statementTimeoutMs), String(IDLE_IN_TRANSACTION_MS), isReadOnly];
  // Behind a pooler this statement waits until a server session is free.
  const timed = { text: ENTER, values, query_timeout: loginMs };
  const known = primary?.acknowledged();
  try {
    const { rows } = await client.query<Facts>(timed);
    const { cluster, isStandby, isReadOnly: takesNoWrites, timeline, lsn } = rows[0]!;
    const position = timeline === null || lsn === null ? undefined : { timeline, lsn: BigInt(lsn) };
    primary?.admit({ cluster, isStandby, isReadOnly: takesNoWrites, position }, { known, isObserver });
    entered.add(client);
  } catch (error) {
    void (client as pg.Client).end().catch(() => undefined);
    throw error;
  }
}

// The timeline of the WAL that the server currently writes. After a promotion, pg_control_checkpoint() reports the new timeline only after
// a delay.
const POSITION = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`;
const ENTER = `select system_identifier::text as cluster, pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only')::bool as "isReadOnly",
    case when not pg_is_in_recovery() then ${POSITION} end as timeline,
    case when not pg_is_in_recovery() then (pg_current_wal_lsn() - '0/0'::pg_lsn)::text end as lsn,
    set_config('statement_timeout', $1, false),
    set_config('idle_in_transaction_session_timeout', $2, false),
    case when $3::bool then set_config('default_transaction_read_only', 'on', false) end
  from pg_control_system()`;
