import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';

export type Presence = ReturnType<typeof createPresence>;

const RETRY_MS = 1000;
/** A timer may fire a little early. */
const EARLY_MS = 50;

type Deps = { db: Db; now: () => number; log: Log; everyMs: number };
/** By session id, in milliseconds of the database's clock: last requests that wait to be written, and those that were. */
type State = Deps & {
  waiting: Map<string, number>;
  written: LRUCache<string, number>;
  timer: NodeJS.Timeout | undefined;
  dueAt: number;
};

/**
 * Records the last requests of sessions that inactivity ends, so that every process knows of requests to the others. The first request
 * after `everyMs` is written immediately, later ones when that time is over: what is stored is never older, however many requests
 * there are. Times are those of the database (`databaseClock.now`), in milliseconds.
 */
export function createPresence(deps: Deps) {
  const state: State = {
    ...deps,
    waiting: new Map(),
    written: new LRUCache({ max: 10_000 }),
    timer: undefined,
    dueAt: Number.POSITIVE_INFINITY,
  };
  let writing = Promise.resolve();
  /** One write at a time. */
  const write = (isLast: boolean): Promise<void> => {
    writing = writing.then(() => writeDue(state, isLast)).then((at) => plan(at));
    return writing;
  };
  const plan = (at: number) => {
    if (at >= state.dueAt) return;
    state.dueAt = at;
    clearTimeout(state.timer);
    state.timer = setTimeout(() => void write(false), Math.max(0, at - deps.now()));
    state.timer.unref();
  };
  return {
    /** A session has made a request. `recordedAt`: the last one in the database. */
    saw(sessionId: string, at: number, recordedAt?: number): void {
      if (recordedAt !== undefined) state.written.set(sessionId, recordedAt);
      state.waiting.set(sessionId, at);
      plan(dueOf(state, sessionId));
    },
    /** Writes everything that waits. */
    flush: () => write(true),
  };
}

const dueOf = ({ written, everyMs }: State, sessionId: string) => (written.get(sessionId) ?? 0) + everyMs;

/** Writes the last requests that are due; returns when to write again. */
async function writeDue(state: State, isLast: boolean): Promise<number> {
  const { db, log, now, waiting, written } = state;
  clearTimeout(state.timer);
  state.dueAt = Number.POSITIVE_INFINITY;
  const soon = now() + EARLY_MS;
  const due = [...waiting].filter(([id]) => isLast || dueOf(state, id) <= soon);
  for (const [id] of due) waiting.delete(id);
  const isDone = await store(db, due).then(
    () => true,
    (error: unknown) => {
      log.warn({ error: String(error), sessions: due.length }, 'last requests could not be written');
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
  // Sorted, so that two processes never wait for each other.
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
