import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilBeat } from '../clock.ts';
import { createClient, type PgClient } from '../db.ts';
import type { Log } from '../log.ts';
import { CHANNEL, UNUSED } from './postgres-queries.ts';

/** The lock that says that a holder is alive: it ends with its connection, however its process ends. */
const lockOf = (name: string) => `hashtextextended('broker ' || ${name}, 0)`;
const SETTINGS = `select set_config(name, value, false) from (values ('idle_session_timeout', '0'),
  ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '2')) as settings (name, value)`;
const TIMEOUT_MS = 3000;
/** A holder is gone when it was found absent twice, so that a connection that breaks has about this time to come back. */
const BEAT_MS = 1000;
const LEAST_MS = 900;

/** What a beat sees beside its own connection. */
export type Seen = {
  /** Holders that are not there. */
  absent: string[];
  /** What this one consumes, as far as the database knows. */
  queues: string[];
  /** Queues of nobody, or messages that nobody waits for any more. */
  isUntidy: boolean;
};

export type Presence = {
  /** The name under which this process holds messages. */
  holder: string;
  close(): Promise<void>;
};

/**
 * Keeps one connection that says that this process is alive, hears which queues have news, and finds holders that are gone. A
 * connection that breaks is made anew; `onConnect` then does again what may have been undone.
 */
export function startPresence(options: {
  connectionString: string;
  name: string;
  log: Log;
  onConnect: () => Promise<void>;
  onNews: (queue: string) => void;
  onGone: (holders: readonly string[]) => Promise<void>;
  onBeat: (seen: Seen) => Promise<unknown>;
}): Presence {
  const { connectionString, log, onConnect, onNews, onGone, onBeat } = options;
  const holder = randomUUID();
  const closing = new AbortController();
  let client: PgClient | undefined;
  let absent = new Set<string>();

  const lose = (lost: PgClient) => {
    if (client === lost) client = undefined;
    void lost.end().catch(() => undefined);
  };
  const connect = async (): Promise<PgClient> => {
    const next = createClient({
      connectionString,
      poolSize: 1,
      connectTimeoutMs: TIMEOUT_MS,
      statementTimeoutMs: TIMEOUT_MS,
      name: `croupier ${options.name} broker`,
    });
    next.on('error', () => lose(next));
    next.on('end', () => lose(next));
    next.on('notification', ({ payload }) => onNews(payload ?? ''));
    try {
      await next.connect();
      await next.query(SETTINGS);
      // The server may still hold the lock for the connection that broke.
      await next.query(`select pg_advisory_lock(${lockOf('$1::text')})`, [holder]);
      await next.query(`listen ${CHANNEL}`);
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    absent = new Set();
    return next;
  };
  const look = async (on: PgClient): Promise<Seen> => {
    // Prepared once: it is asked every second for as long as the process lives.
    const { rows } = await on.query<Seen>({
      name: 'broker.look',
      text: `select array(
         select holder from (
           select holder from broker_consumers union select holder from broker_messages where holder is not null
         ) holders where holder <> $1 and pg_try_advisory_xact_lock(${lockOf('holder')})
       ) as absent,
       array(select queue from broker_consumers where holder = $1) as queues,
       exists (select from broker_messages where expires_at < now())
         or exists (select from broker_queues where ${UNUSED}) as "isUntidy"`,
      values: [holder],
    });
    return rows[0]!;
  };
  const turn = async () => {
    if (!client) {
      client = await connect();
      await onConnect();
    }
    const seen = await look(client);
    const gone = seen.absent.filter((name) => absent.has(name));
    absent = new Set(seen.absent);
    if (gone.length > 0) await onGone(gone);
    await onBeat(seen);
  };
  const repeat = async () => {
    let isFailing = false;
    while (!closing.signal.aborted) {
      try {
        await turn();
        isFailing = false;
      } catch (error) {
        if (client) lose(client);
        if (!isFailing) log.warn({ error: (error as Error).message }, 'the broker cannot listen');
        isFailing = true;
      }
      await sleep(untilBeat(BEAT_MS, LEAST_MS), undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
  };
  const repeating = repeat();
  return {
    holder,
    async close() {
      closing.abort();
      await repeating;
      if (client) await client.end().catch(() => undefined);
    },
  };
}
