import { sql } from 'kysely';
import type { Metrics } from '../observability/metrics.ts';
import type { Db } from './db.ts';

const READ_EVERY_MS = 15_000;

type Figures = {
  connections: number;
  limit: number;
  isArchiving: boolean;
  isFailing: boolean;
  behind: string | null;
};

/**
 * Exports PostgreSQL metrics for alerts, from statistics that every role can read: connections, the WAL archive and the WAL that
 * replication slots retain. The statistics are queried when the metrics are read, at most four times a minute.
 */
export function watchDatabase(db: Db, metrics: Metrics): void {
  metrics.watchAll(
    {
      croupier_db_connections: 'Connections to all databases of the PostgreSQL server',
      croupier_db_connections_limit: 'Connections that the PostgreSQL server accepts from ordinary roles',
      croupier_db_archive_on: '1 when the PostgreSQL server archives its WAL',
      croupier_db_archive_failing: '1 while the last attempt to archive a WAL file has failed',
      croupier_db_archive_behind_bytes: 'WAL written since the last archived file',
    },
    async () => {
      const read = await readFigures(db);
      return {
        croupier_db_connections: read.connections,
        croupier_db_connections_limit: read.limit,
        croupier_db_archive_on: Number(read.isArchiving),
        croupier_db_archive_failing: Number(read.isArchiving && read.isFailing),
        croupier_db_archive_behind_bytes:
          read.isArchiving && read.behind !== null ? Number(read.behind) : Number.NaN,
      };
    },
    READ_EVERY_MS,
  );
  const retained = {
    croupier_db_slot_retained_bytes: 'WAL that the PostgreSQL server retains for a replication slot',
  };
  metrics.watchEach('slot', retained, () => readSlots(db), READ_EVERY_MS);
}

async function readFigures(db: Db): Promise<Figures> {
  const { rows } = await sql<Figures>`
    select (select sum(numbackends)::int4 from pg_stat_database) as connections,
      current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
        - coalesce(current_setting('reserved_connections', true), '0')::int4 as limit,
      current_setting('archive_mode') <> 'off' as "isArchiving",
      last_failed_time is not null and last_failed_time > coalesce(last_archived_time, '-infinity') as "isFailing",
      (${WRITTEN} - ${endOfFile(sql`last_archived_wal`)})::text as behind
    from pg_stat_archiver`.execute(db);
  return rows[0]!;
}

async function readSlots(db: Db) {
  const { rows } = await sql<{ name: string; bytes: string }>`
    select slot_name as name, (${WRITTEN} - (restart_lsn - '0/0'))::text as bytes
    from pg_replication_slots where restart_lsn is not null`.execute(db);
  return rows.map(({ name, bytes }) => ({
    label: name,
    figures: { croupier_db_slot_retained_bytes: Number(bytes) },
  }));
}

/** Number of WAL bytes that the server has written. Null on a standby, which writes no WAL. */
const WRITTEN = sql<string>`(case when not pg_is_in_recovery() then pg_current_wal_lsn() - '0/0' end)`;

/**
 * Returns the position at the end of a WAL file. The file's name has 8 digits for the timeline, 8 for the 4 GB section and 8 for the file
 * within it. Returns null for the history file of a timeline. `pg_split_walfile_name` would need PostgreSQL 16.
 */
export function endOfFile(name: ReturnType<typeof sql>) {
  const digits = (from: number) => sql`('x' || substr(${name}, ${sql.lit(from)}, 8))::bit(32)::bigint`;
  return sql<string>`(case when ${name} ~ '^[0-9A-F]{24}' then
    ${digits(9)} * 4294967296 + (${digits(17)} + 1) * pg_size_bytes(current_setting('wal_segment_size')) end)`;
}
