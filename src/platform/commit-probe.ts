import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ConnectionOptions, Db } from './db.ts';
import { terminate } from './guard.ts';
import { createOwnConnection } from './own-connection.ts';
import type { Primary } from './primary.ts';

/** A write that waits longer than that for another statement, not for its commit, fails. */
const STATEMENT_MS = 30_000;

/** Each process has a row of its own: a number that comes back shows that what was acknowledged is lost. */
const WRITE = {
  name: 'commits.write',
  text: `insert into commit_probes as known (process, beat, at) values ($1, 1, clock_timestamp())
    on conflict (process) do update set beat = known.beat + 1, at = excluded.at
    returning beat, xmax::text = '0' as "isNew", (pg_current_wal_lsn() - '0/0'::pg_lsn)::text as lsn,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
};
type Written = { beat: number; isNew: boolean; lsn: string; timeline: number };

export type CommitProbe = ReturnType<typeof createCommitProbe>;

/**
 * A small write on a connection of its own, which tells whether the database commits, not only answers: a primary without its synchronous
 * standby does the one and not the other. It is never cancelled: PostgreSQL would report a cancelled wait for the standby as committed.
 */
export function createCommitProbe(options: ConnectionOptions & { primary: Primary }) {
  const { primary } = options;
  const process = randomUUID();
  let acknowledged = 0;
  const connection = createOwnConnection({
    ...options,
    statementTimeoutMs: STATEMENT_MS,
    name: `${options.name} commits`,
    isObserver: true,
  });
  const note = ({ beat, isNew, lsn, timeline }: Written): void => {
    // A row that is new may have been purged; then the position alone tells.
    if (!isNew && beat <= acknowledged) primary.fallBehind({ acknowledged, found: beat - 1 });
    acknowledged = beat;
    primary.acknowledge({ timeline, lsn: BigInt(lsn) });
  };
  return {
    /** Resolves once the write is committed, however long that takes; throws when it is known not to be, or the connection broke. */
    async write(): Promise<void> {
      const client = await connection.get();
      try {
        const { rows } = await client.query<Written>({ ...WRITE, values: [process] });
        note(rows[0]!);
      } catch (error) {
        connection.lose(client, (error as Error).message);
        throw error;
      }
    },
    /** Gives the connection up: its server does not answer any more. A write that is under way fails. */
    abandon(reason: string): void {
      const client = connection.current();
      if (client) terminate(client, reason);
    },
    async close(): Promise<void> {
      await connection.close();
    },
  };
}

/** Forgets processes that are gone. */
export async function purgeCommitProbes(db: Db): Promise<void> {
  await sql`delete from commit_probes where at < now() - interval '1 day'`.execute(db);
}
