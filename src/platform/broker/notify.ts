import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DatabaseClock } from '../database/clock.ts';
import type { Db } from '../database/db.ts';
import { isUnavailable } from '../database/errors.ts';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { brokerErrors, type Driver, type Letter, reasonOf } from './broker.ts';

const CHANNEL = 'broker_notices';
/** Time in which a process that consumes a queue must report itself. */
const FIND_MS = 2000;
const CLOSE_MS = 5000;
/** PostgreSQL limits a notification to 7,999 bytes. */
const PART_LENGTH = 7900;

/**
 * A notification: a published message, the search for a consumer of a queue, its response, or a request or reply for the process that was
 * found.
 */
type Notice =
  | { is: 'message'; pattern: string; data: unknown }
  | { is: 'search'; queue: string; id: string }
  | { is: 'found'; id: string; by: string }
  | { is: 'letter'; queue: string; to: string; letter: Letter };

type Parts = { db: Db; databaseClock: Pick<DatabaseClock, 'onNotice'>; log: Log };

/**
 * Creates the broker driver for PostgreSQL. Messages are notifications: nothing is stored, and only processes that are running receive them.
 * Every process receives every notification. A process listens, on the connection of its database clock, after it first uses the broker.
 */
export function createNotifyDriver(parts: Parts): Driver {
  const { db } = parts;
  const { listen, run, handlers, consumers, searches, close } = createReceiver(parts);
  /** Returns a process that consumes the queue. */
  const find = async (queue: string): Promise<string | undefined> => {
    const id = randomUUID();
    const found = new Promise<string>((resolve) => searches.set(id, resolve));
    try {
      await notify(db, [{ is: 'search', queue, id }]);
      return await within(FIND_MS, found);
    } finally {
      searches.delete(id);
    }
  };
  return {
    publish: (messages) =>
      notify(
        db,
        messages.map(({ pattern, data }) => ({ is: 'message', pattern, data })),
      ),
    async listen(pattern, handle) {
      handlers.set(pattern, [...(handlers.get(pattern) ?? []), handle]);
      await listen();
    },
    async receive(queue, _concurrency, handle) {
      consumers.set(queue, handle);
      await listen();
    },
    async sendTo(queue, letter) {
      const own = consumers.get(queue);
      if (own) {
        run(own(letter));
        return true;
      }
      await listen();
      const to = await find(queue);
      if (to === undefined) return false;
      await notify(db, [{ is: 'letter', queue, to, letter }]);
      return true;
    },
    check: () => notify(db, []),
    close,
  };
}

/** Receives notices for this process, and passes them to the handlers, consumers and searches that are registered in its maps. */
function createReceiver({ db, databaseClock, log }: Parts) {
  const own = randomUUID();
  const handlers = new Map<string, ((data: unknown) => Promise<void>)[]>();
  const consumers = new Map<string, (letter: Letter) => Promise<void>>();
  const searches = new Map<string, (process: string) => void>();
  const running = new Set<Promise<void>>();
  let isClosed = false;
  let listening: Promise<void> | undefined;

  const run = (work: Promise<void> | undefined) => {
    if (!work) return;
    const handled = work
      .catch((error: unknown) => log.warn({ error: reasonOf(error) }, 'a notice could not be handled'))
      .finally(() => running.delete(handled));
    running.add(handled);
  };
  const receive = (notice: Notice) => {
    if (isClosed) return;
    if (notice.is === 'message')
      for (const handle of handlers.get(notice.pattern) ?? []) run(handle(notice.data));
    if (notice.is === 'search' && consumers.has(notice.queue))
      run(notify(db, [{ is: 'found', id: notice.id, by: own }]));
    if (notice.is === 'found') searches.get(notice.id)?.(notice.by);
    if (notice.is === 'letter' && notice.to === own) run(consumers.get(notice.queue)?.(notice.letter));
  };
  return {
    run,
    handlers,
    consumers,
    searches,
    listen(): Promise<void> {
      listening ??= databaseClock.onNotice(CHANNEL, createJoiner(receive));
      return listening;
    },
    async close(): Promise<void> {
      isClosed = true;
      await within(CLOSE_MS, Promise.all(running));
    },
  };
}

/** Sends the notices in this order, each in as many parts as it needs. PostgreSQL delivers the parts of a transaction together. */
async function notify(db: Db, notices: readonly Notice[]): Promise<void> {
  const parts = notices.flatMap((notice) => {
    const text = Buffer.from(JSON.stringify(notice)).toString('base64');
    const count = Math.ceil(text.length / PART_LENGTH);
    const id = randomUUID();
    return Array.from({ length: count }, (_, i) => {
      const part = text.slice(i * PART_LENGTH, (i + 1) * PART_LENGTH);
      return `${id} ${count - i - 1} ${part}`;
    });
  });
  try {
    await sql`select pg_notify(${CHANNEL}, part) from unnest(${parts}::text[]) with ordinality parts(part, n) order by n`.execute(
      db,
    );
  } catch (error) {
    throw isUnavailable(error) ? brokerErrors.BROKER_UNAVAILABLE() : error;
  }
}

/** Returns a function that joins the parts of each notice and passes on the notice. */
function createJoiner(receive: (notice: Notice) => void): (payload: string) => void {
  let [current, text] = ['', ''];
  return (payload) => {
    const [id = '', left, part = ''] = payload.split(' ');
    [current, text] = [id, id === current ? text + part : part];
    if (left === '0') receive(JSON.parse(Buffer.from(text, 'base64').toString()) as Notice);
  };
}
