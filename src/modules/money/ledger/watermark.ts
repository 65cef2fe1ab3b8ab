import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';

/** A mark (safe-watermark.ts) that waits for transactions whose transaction ids are below `xid`. `setAt` is a monotonic time. */
type Waiting = { xid: string; setAt: number };

/** The state of one process's safe watermarks. */
export type Watermark = {
  /** True while long transactions of other databases run. Marks are then checked by querying the locks. */
  hasStrangers: boolean;
  waits(mark: Waiting): void;
  moved(mark: Waiting): void;
  /** Returns how long the oldest mark has waited, in milliseconds, or 0 if no mark waits. */
  ageMs(): number;
  onWait: ((mark: Waiting) => void) | undefined;
  onMove: (() => void) | undefined;
};

/** A mark that has not been checked for this long is considered abandoned. */
const FORGOTTEN_MS = 15_000;

const watermarks = new WeakMap<Db, Watermark>();

export function watermarkOf(db: Db): Watermark {
  const known = watermarks.get(db) ?? createWatermark();
  watermarks.set(db, known);
  return known;
}

function createWatermark(): Watermark {
  /** The time of each mark's last check. */
  const waiting = new Map<Waiting, number>();
  const watermark: Watermark = {
    hasStrangers: false,
    onWait: undefined,
    onMove: undefined,
    waits(mark) {
      waiting.set(mark, performance.now());
      watermark.onWait?.(mark);
    },
    moved(mark) {
      if (waiting.delete(mark)) watermark.onMove?.();
    },
    ageMs() {
      const now = performance.now();
      let oldest = now;
      for (const [mark, lookedAt] of waiting) {
        if (now - lookedAt > FORGOTTEN_MS) waiting.delete(mark);
        else oldest = Math.min(oldest, mark.setAt);
      }
      return now - oldest;
    },
  };
  return watermark;
}

/**
 * Selects the transactions of this database with smaller transaction ids. Every transaction, even a prepared one, holds a lock on its id.
 * It takes the lock before it can reserve a ledger id, and keeps it until its writes are visible to others. Any role may read these locks.
 * A lock is excluded only if it definitely belongs to another database.
 */
const ownBefore = (xid: string) => sql`
  from pg_locks l
  left join pg_stat_activity a on a.pid = l.pid
  left join pg_prepared_xacts p on l.pid is null and p.transaction = l.transactionid
  where l.locktype = 'transactionid' and l.granted and l.mode = 'ExclusiveLock'
    and age(l.transactionid) > age(${xid}::text::xid8::xid)
    and coalesce(a.datname, p.database, current_database()) = current_database()`;

/** Returns true if a transaction of this database that started to write before `xid` is running. */
export async function isBehindOwn(db: Db, xid: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select ${ownBefore(xid)}) as found`.execute(
    db,
  );
  return rows[0]!.found;
}

type Blocker = {
  pid: number | null;
  /** The name of a prepared transaction. */
  prepared: string | null;
  database: string;
  application: string | null;
  state: string | null;
  seconds: number;
  query: string | null;
};

async function blockersOf(db: Db, xid: string): Promise<Blocker[]> {
  const { rows } = await sql<Blocker>`
    select distinct on (coalesce(l.pid::text, p.gid)) l.pid, p.gid as prepared, current_database() as database,
      a.application_name as application, a.state, a.query,
      round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)))::int as seconds
    ${ownBefore(xid)} limit 5`.execute(db);
  return rows.map((row) => ({ ...row, query: row.query && withoutValues(row.query) }));
}

/** Returns the part of a statement before its first literal, because literals may be secrets. */
export function withoutValues(query: string): string {
  const text = query.replace(/\s+/g, ' ').trim();
  const [plain = ''] = text.split(/'|\$\D|--|\/\*/, 1);
  const shown = plain.replace(/(?<![\w$])\d[\w.]*/g, '?').slice(0, 120);
  return plain.length < text.length || shown.length < plain.length ? `${shown}…` : shown;
}

export type WatermarkHealth = { status: 'up' | 'degraded'; ageSeconds: number };

/**
 * Measures how long readers of bets and events have waited for an open transaction, and logs that transaction. This costs nothing while no
 * reader waits.
 */
export function watchWatermark(parts: {
  db: Db;
  log: Log;
  metrics: Pick<Metrics, 'watch'>;
  config: { WATERMARK_WARN_SECONDS: number; WATERMARK_DEGRADED_SECONDS: number };
}) {
  const { db, log, metrics, config } = parts;
  const watermark = watermarkOf(db);
  const seconds = () => watermark.ageMs() / 1000;
  let logged: string | undefined;
  let isAsking = false;

  const logBlockers = async ({ xid }: Waiting): Promise<void> => {
    const blockers = await blockersOf(db, xid);
    const who = blockers.map(({ pid, prepared }) => pid ?? prepared).join();
    if (blockers.length === 0 || who === logged) return;
    logged = who;
    log.warn(
      { ageSeconds: Math.round(seconds()), blockers },
      'a transaction that does not end holds frames, statistics and events back',
    );
  };
  watermark.onWait = (mark) => {
    if (isAsking || performance.now() - mark.setAt < config.WATERMARK_WARN_SECONDS * 1000) return;
    isAsking = true;
    // A waiting reader checks many times a second, but the blocking transactions are queried only once per interval.
    const again = setTimeout(() => {
      isAsking = false;
    }, config.WATERMARK_WARN_SECONDS * 1000);
    again.unref();
    logBlockers(mark).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'what holds the watermark back cannot be read'),
    );
  };
  watermark.onMove = () => {
    if (logged === undefined || watermark.ageMs() > 0) return;
    logged = undefined;
    log.info({}, 'frames, statistics and events are no longer held back');
  };
  metrics.watch(
    'croupier_watermark_age_seconds',
    'How long readers of bets and events have waited for a transaction that does not end',
    seconds,
  );
  return {
    health: (): WatermarkHealth => {
      const age = seconds();
      const isLate = age > config.WATERMARK_DEGRADED_SECONDS;
      return { status: isLate ? 'degraded' : 'up', ageSeconds: Math.round(age) };
    },
  };
}
