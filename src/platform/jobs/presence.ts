import { untilBeat } from '../clock.ts';
import type { PgClient } from '../database/db.ts';
import { createOwnConnection } from '../database/own-connection.ts';
import type { Primary } from '../database/replica/primary.ts';
import type { Log } from '../observability/log.ts';
import { pause } from './timers.ts';

export type Presence = { holder: string; close(): Promise<void> };

type PresenceOptions<Seen> = {
  /** The kind of items that a process can hold: jobs of the queue or messages of the broker. */
  kind: 'queue' | 'broker';
  /** The name of this process as a holder. */
  holder: string;
  connection: { connectionString: string; primary?: Primary | undefined; timeoutMs: number; name: string };
  everyMs: number;
  /** A query that returns the column `holder` of every item that a process currently holds. */
  held: string;
  /** SQL for additional columns that each check returns. `$1` is this holder. */
  alsoSee?: string;
  /** Runs on each new connection before it is used. */
  onConnect?: (client: PgClient) => Promise<void>;
  /** Releases the items of dead holders. */
  onGone: (holders: readonly string[]) => Promise<void>;
  onSeen?: (seen: Seen) => Promise<void>;
  log: Log;
};

/**
 * Shows that this process is alive by holding an advisory lock on a dedicated connection. The lock is released when the process ends for
 * any reason. Checks every `everyMs` for holders without their lock. A holder is considered dead if two consecutive checks find no lock, so
 * that a process has time to reconnect.
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
        // The server may still hold the lock for the broken connection.
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
        if (!isFailing)
          log.warn({ kind, error: (error as Error).message }, 'could not check for dead processes');
        isFailing = true;
      }
      // A timer that fires early must not cause a second check in the same interval.
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
  // A named statement, so that PostgreSQL parses it only once per connection.
  const { rows } = await client.query<Seen & { absent: string[] }>({
    name: `${kind}.look`,
    text: `select array(
        select holder from (${held}) holders where holder <> $1 and pg_try_advisory_xact_lock(${lockOf(kind, 'holder')})
      ) as absent${alsoSee ? `, ${alsoSee}` : ''}`,
    values: [holder],
  });
  return rows[0]!;
}
