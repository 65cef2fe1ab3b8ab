import { sql } from 'kysely';
import type { LRUCache } from 'lru-cache';
import { createCache } from '../../../../platform/cache.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { runLater } from '../../../../platform/jobs/timers.ts';
import type { Log } from '../../../../platform/observability/log.ts';

export type Presence = ReturnType<typeof createPresence>;

const RETRY_MS = 1000;
/** Tolerance for timers that fire slightly too early. */
const EARLY_MS = 50;

type Deps = { db: Db; now: () => number; log: Log; everyMs: number };
/** The times of last requests, written or still to be written, by session id, in milliseconds of the database clock. */
type State = Deps & {
  waiting: Map<string, number>;
  written: LRUCache<string, number>;
  /** Cancels the planned write. */
  cancel: () => void;
  dueAt: number;
};

/**
 * Stores the time of the last request of sessions with an idle limit, so that every process knows about requests to other processes. The
 * first request after `everyMs` is written immediately, later ones at the end of that interval. The stored time is therefore never more
 * than `everyMs` too old. Times are those of the database (`databaseClock.now`), in milliseconds.
 */
export function createPresence(deps: Deps) {
  const state: State = {
    ...deps,
    waiting: new Map(),
    written: createCache(10_000),
    cancel: () => {},
    dueAt: Number.POSITIVE_INFINITY,
  };
  let writing = Promise.resolve();
  /** Writes the times of the requests that are due to be written. Two writes never overlap. */
  const write = (isLast: boolean): Promise<void> => {
    writing = writing.then(() => writeDue(state, isLast)).then((at) => plan(at));
    return writing;
  };
  const plan = (at: number) => {
    if (at >= state.dueAt) return;
    state.dueAt = at;
    state.cancel();
    state.cancel = runLater(at - deps.now(), () => void write(false));
  };
  return {
    /** Records a request of a session in memory. `recordedAt` is the time of the last request that is stored in the database. */
    recordRequest(sessionId: string, at: number, recordedAt?: number): void {
      if (recordedAt !== undefined) state.written.set(sessionId, recordedAt);
      state.waiting.set(sessionId, at);
      plan(dueOf(state, sessionId));
    },
    /** Writes the times of all requests that are not stored yet. */
    flush: () => write(true),
  };
}

const dueOf = ({ written, everyMs }: State, sessionId: string) => (written.get(sessionId) ?? 0) + everyMs;

/** Writes the times of last requests that are due. Returns the time of the next write. */
async function writeDue(state: State, isLast: boolean): Promise<number> {
  const { db, log, now, waiting, written } = state;
  state.cancel();
  state.dueAt = Number.POSITIVE_INFINITY;
  const soon = now() + EARLY_MS;
  const due = [...waiting].filter(([id]) => isLast || dueOf(state, id) <= soon);
  for (const [id] of due) waiting.delete(id);
  const isDone = await store(db, due).then(
    () => true,
    (error: unknown) => {
      log.warn({ error: String(error), sessions: due.length }, 'could not write last requests of sessions');
      return false;
    },
  );
  for (const [id, at] of due) {
    if (isDone) written.set(id, at);
    else if (!waiting.has(id)) waiting.set(id, at);
  }
  if (isLast || waiting.size === 0) return Number.POSITIVE_INFINITY;
  return isDone ? Math.min(...[...waiting.keys()].map((id) => dueOf(state, id))) : now() + RETRY_MS;
}

async function store(db: Db, seen: readonly (readonly [id: string, at: number])[]): Promise<void> {
  if (seen.length === 0) return;
  // Rows are sorted to prevent deadlocks between processes.
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
