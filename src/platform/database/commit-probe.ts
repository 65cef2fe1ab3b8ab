import { randomUUID } from 'node:crypto';
import { DAY_SECONDS } from '../jobs/purge.ts';
import type { ConnectionOptions, PgClient } from './db.ts';
import { isResourceError, sqlState } from './errors.ts';
import { terminate } from './guard.ts';
import { createOwnConnection } from './own-connection.ts';
import type { Primary } from './replica/primary.ts';

/** A write fails if it waits longer than this for another statement. The wait for its commit is not included. */
const STATEMENT_MS = 30_000;

/** Each process has its own row with a counter. A number that occurs twice proves that an acknowledged write was lost. */
const WRITE = {
  name: 'commits.write',
  text: `insert into commit_probes as known (process, beat, at) values ($1, 1, clock_timestamp())
    on conflict (process) do update set beat = known.beat + 1, at = excluded.at
    returning beat, xmax::text = '0' as "isNew", (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as lsn,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
};
/**
 * With this small work memory, PostgreSQL writes the rows of the space check to a temporary file of one megabyte, which it deletes
 * immediately.
 */
const LITTLE_MEMORY = `set work_mem = '64kB'`;
/** A statement that fails on a full disk. An in-place update may still succeed on a full disk, because the log still has space. */
const ROOM = {
  name: 'commits.room',
  text: `select count(*) from unnest(array_fill(repeat('x', 8000), array[128])) as filler`,
};
/** Interval of the space check. Its temporary file has a small cost, and adds a log line on servers that log temporary files. */
const ROOM_EVERY_MS = 60_000;
/** The SQLSTATE that is reported if `temp_file_limit` forbids the file. In this case only other writes reveal a full disk. */
const LIMITED = '53400';
type Written = { beat: number; isNew: boolean; lsn: string; timeline: number };

export type CommitProbe = ReturnType<typeof createCommitProbe>;

/**
 * Creates a small write on its own connection that checks whether the database commits. A primary without its synchronous standby responds
 * but does not commit. The write is never cancelled: PostgreSQL would report a cancelled wait for the standby as committed.
 */
export function createCommitProbe(options: ConnectionOptions & { primary: Primary }) {
  const { primary } = options;
  const process = randomUUID();
  let acknowledged = 0;
  const connection = createOwnConnection(
    {
      ...options,
      statementTimeoutMs: STATEMENT_MS,
      name: `${options.name} commits`,
      isObserver: true,
    },
    { prepare: (client) => client.query(LITTLE_MEMORY) },
  );
  const note = ({ beat, isNew, lsn, timeline }: Written): void => {
    // A new row may mean that the old one was purged. In this case only the log position can show that writes were lost.
    if (!isNew && beat <= acknowledged) primary.fallBehind({ acknowledged, found: beat - 1 });
    acknowledged = beat;
    primary.acknowledge({ timeline, lsn: BigInt(lsn) });
  };
  let roomAt = Number.NEGATIVE_INFINITY;
  const findRoom = async (client: PgClient): Promise<void> => {
    await client.query(ROOM).catch((error: unknown) => {
      if (sqlState(error) !== LIMITED) throw error;
    });
    roomAt = performance.now();
  };
  return {
    /**
     * Resolves once the write is committed, however long that takes. Throws if the write failed or the connection broke. Also checks for
     * free disk space: always with `needsRoom`, otherwise once a minute.
     */
    async write({ needsRoom = false } = {}): Promise<void> {
      const client = await connection.get();
      try {
        if (needsRoom || performance.now() - roomAt > ROOM_EVERY_MS) await findRoom(client);
        const { rows } = await client.query<Written>({ ...WRITE, values: [process] });
        note(rows[0]!);
      } catch (error) {
        // After a resource error the connection is still usable, so it is kept. A new login would only add load.
        if (!isResourceError(error)) connection.lose(client, (error as Error).message);
        throw error;
      }
    },
    /** Closes the connection because its server no longer responds. A write in progress fails. */
    abandon(reason: string): void {
      const client = connection.current();
      if (client) terminate(client, reason);
    },
    async close(): Promise<void> {
      await connection.close();
    },
  };
}

/**
 * Deletes the rows of ended processes. The table has few rows, and an index on a time that every probe updates would cost more than it
 * saves.
 */
export const PROBES_EXPIRY = { table: 'commit_probes', after: 'at', keepSeconds: DAY_SECONDS };
