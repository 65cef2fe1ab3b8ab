import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';

export type Presence = ReturnType<typeof createPresence>;

const RETRY_MS = 1000;

/**
 * Notes when sessions that a pause ends have made their last request, so that one process counts what another has seen. The first
 * request after `everyMs` is written at once, those that follow when it is over: what is written is never older than that, however
 * many requests there are. Times are those of the database (`databaseClock.now`), in milliseconds.
 */
export function createPresence({
  db,
  now,
  log,
  everyMs,
}: {
  db: Db;
  now: () => number;
  log: Log;
  everyMs: number;
}) {
  const waiting = new Map<string, number>();
  const written = new LRUCache<string, number>({ max: 10_000 });
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let writing: Promise<void> | undefined;

  const dueOf = (sessionId: string) => (written.get(sessionId) ?? 0) + everyMs;
  const plan = (at: number) => {
    if (at >= dueAt) return;
    dueAt = at;
    clearTimeout(timer);
    timer = setTimeout(() => void write(), Math.max(0, at - now()));
    timer.unref();
  };
  const write = (isLast = false): Promise<void> => {
    writing = (writing ?? Promise.resolve()).then(() => writeDue(isLast));
    return writing;
  };
  const writeDue = async (isLast: boolean) => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    // The timer may come a little early.
    const soon = now() + 50;
    const due = [...waiting].filter(([id]) => isLast || dueOf(id) <= soon);
    for (const [id] of due) waiting.delete(id);
    const isDone = await store(db, due).then(
      () => true,
      (error: unknown) => {
        log.warn({ error: String(error), sessions: due.length }, 'last requests could not be written down');
        return false;
      },
    );
    for (const [id, at] of due) {
      if (isDone) written.set(id, at);
      else if (!waiting.has(id)) waiting.set(id, at);
    }
    if (isLast || waiting.size === 0) return;
    plan(isDone ? Math.min(...[...waiting.keys()].map(dueOf)) : now() + RETRY_MS);
  };

  return {
    /** A session has made a request. `recordedAt`: what the database has. */
    saw(sessionId: string, at: number, recordedAt?: number): void {
      if (recordedAt !== undefined) written.set(sessionId, recordedAt);
      waiting.set(sessionId, at);
      plan(dueOf(sessionId));
    },
    /** Writes down what waits. */
    flush: () => write(true),
  };
}

async function store(db: Db, seen: readonly (readonly [id: string, at: number])[]): Promise<void> {
  if (seen.length === 0) return;
  // In one order, so that two processes never wait for each other.
  const rows = [...seen].sort(([a], [b]) => (a < b ? -1 : 1));
  await sql`
    with seen as (
      select * from unnest(${rows.map(([id]) => id)}::uuid[], ${rows.map(([, at]) => at)}::float8[]) as seen (id, at)
    ), locked as (
      select id from sessions where id in (select id from seen) order by id for no key update
    )
    update sessions set last_request_at = greatest(last_request_at, to_timestamp(seen.at / 1000))
    from seen join locked using (id) where sessions.id = seen.id`.execute(db);
}
