import { untilBeat } from './clock.ts';
import type { PgClient } from './db.ts';
import type { Log } from './log.ts';
import { createOwnConnection } from './own-connection.ts';
import type { Primary } from './primary.ts';
import { pause } from './timers.ts';

export type Presence = { holder: string; close(): Promise<void> };

type PresenceOptions<Seen> = {
  /** What is held: jobs of the queue, messages of the broker. */
  kind: 'queue' | 'broker';
  /** The name under which this process holds them. */
  holder: string;
  connection: { connectionString: string; primary?: Primary | undefined; timeoutMs: number; name: string };
  everyMs: number;
  /** SQL: the column `holder` of all that is held now, also by others. */
  held: string;
  /** SQL: further columns to look at each time; `$1` is this holder. */
  alsoSee?: string;
  /** On each new connection, before it counts. */
  onConnect?: (client: PgClient) => Promise<void>;
  /** Frees what holders had that are gone. */
  onGone: (holders: readonly string[]) => Promise<void>;
  onSeen?: (seen: Seen) => Promise<void>;
  log: Log;
};

/**
 * Says that this process is alive, by an advisory lock on a connection of its own: it ends with the process, however that ends. Looks every
 * `everyMs` for holders without their lock. One is gone when it was absent twice: a connection that breaks has the time to come back.
 */
export function startPresence<Seen>(options: PresenceOptions<Seen>): Presence {
  const { kind, holder, everyMs, onConnect, onGone, onSeen, log } = options;
  const { timeoutMs, ...address } = options.connection;
  const closing = new AbortController();
  let absent = new Set<string>();

  const connection = createOwnConnection(
    { ...address, connectTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs },
    {
      async prepare(client) {
        // The server may still hold the lock for the connection that broke.
        await client.query(`select pg_advisory_lock(${lockOf(kind, '$1::text')})`, [holder]);
        absent = new Set();
        await onConnect?.(client);
      },
    },
  );
  const look = async () => {
    const client = await connection.get();
    const seen = await ask<Seen>(client, options).catch((error: Error) => {
      connection.lose(client, error.message);
      throw error;
    });
    const gone = seen.absent.filter((other) => absent.has(other));
    absent = new Set(seen.absent);
    if (gone.length > 0) await onGone(gone);
    await onSeen?.(seen);
  };
  const repeat = async () => {
    let isFailing = false;
    while (!closing.signal.aborted) {
      try {
        await look();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ kind, error: (error as Error).message }, 'cannot look for dead processes');
        isFailing = true;
      }
      // A beat that came early must not make a second one of the next.
      await pause(untilBeat(everyMs, 0.9 * everyMs), closing.signal);
    }
  };
  const repeating = repeat();
  return {
    holder,
    async close() {
      closing.abort();
      await repeating;
      await connection.close();
    },
  };
}

const lockOf = (kind: string, holder: string) => `hashtextextended('${kind} ' || ${holder}, 0)`;

async function ask<Seen>(
  client: PgClient,
  { kind, holder, held, alsoSee }: PresenceOptions<Seen>,
): Promise<Seen & { absent: string[] }> {
  // Prepared once: it is asked for as long as the process lives.
  const { rows } = await client.query<Seen & { absent: string[] }>({
    name: `${kind}.look`,
    text: `select array(
        select holder from (${held}) holders where holder <> $1 and pg_try_advisory_xact_lock(${lockOf(kind, 'holder')})
      ) as absent${alsoSee ? `, ${alsoSee}` : ''}`,
    values: [holder],
  });
  return rows[0]!;
}
