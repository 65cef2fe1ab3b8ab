import { untilBeat } from '../clock.ts';
import { pause } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import type { ConnectionOptions, PgClient } from './db.ts';
import { serverOf } from './embedded/server.ts';
import { createOwnConnection, type OwnConnection } from './own-connection.ts';
import { whileStarting } from './while-starting.ts';

/**
 * A dedicated connection outside the pool. It checks every second that the database responds, and tries to reconnect ten times a second
 * when it does not. It also receives notifications from other processes (LISTEN). Health checks read `isUp` without waiting, even when the
 * pool is exhausted.
 */
export type DatabaseClock = Awaited<ReturnType<typeof startDatabaseClock>>;

const BEAT_MS = 1000;
/** Pause between two reconnection attempts. It is shorter than the heartbeat interval so that a recovered database is noticed sooner. */
const RETRY_MS = 100;
const TIME = {
  name: 'clock.now',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
};
/**
 * The uncertainty of the last time reading grows by this fraction of its age. A reading whose response was slow is uncertain, so it
 * replaces only a reading that is even more uncertain.
 */
const DRIFT = 0.001;
/** If this machine's clock differs from the database's by more than this, a warning is logged. */
const WRONG_MS = 30_000;

/** `onLost` is called when the connection breaks, and `onFound` when it is restored. */
type Hooks = { onLost?: (reason: string) => void; onFound?: () => void };

export async function startDatabaseClock(
  options: ConnectionOptions,
  log: Log,
  { onLost, onFound }: Hooks = {},
) {
  const channels = new Map<string, ((payload: string) => void)[]>();
  const gaps: (() => void)[] = [];
  const tellGap = () => {
    for (const forget of gaps) forget();
  };
  const time = createTime(log);
  const connection = createOwnConnection(
    { ...options, statementTimeoutMs: BEAT_MS, name: `${options.name} clock`, isObserver: true },
    {
      async prepare(client) {
        client.on('notification', ({ channel, payload }) => {
          for (const heard of channels.get(channel) ?? []) heard(payload ?? '');
        });
        // The new connection may be to a different server.
        time.reset();
        await time.ask(client);
        for (const channel of channels.keys()) await client.query(`listen ${channel}`);
        tellGap();
      },
      onLost(reason) {
        onLost?.(reason);
        tellGap();
      },
    },
  );
  const { connectionString, startTimeoutMs } = options;
  const start = { what: 'clock', server: serverOf(connectionString), log, timeoutMs: startTimeoutMs };
  await whileStarting(start, () => connection.get());
  const beats = startBeats(connection, time, onFound);

  return {
    /** How long startup waits for the database. */
    startTimeoutMs,
    isUp: () => connection.current() !== undefined,
    /** Returns the database's time of day in milliseconds. It is read with every heartbeat and advanced by the monotonic clock. */
    now: time.now,
    /** Returns the duration of the last heartbeat in milliseconds. */
    lastBeatMs: beats.lastMs,
    /** Listens to a channel. Never fails: if the database is unavailable, listening starts once it is available again. */
    async onNotice(channel: string, heard: (payload: string) => void): Promise<void> {
      channels.set(channel, [...(channels.get(channel) ?? []), heard]);
      const client = connection.current();
      // A connection that cannot listen is discarded. The next one listens to every channel.
      await client
        ?.query(`listen ${channel}`)
        .catch((error: Error) => connection.lose(client, error.message));
    },
    /** Registers a callback that runs when notifications may have been lost, so that a cache which relies on them can be reloaded. */
    onGap: (forget: () => void): void => void gaps.push(forget),
    close(): Promise<void> {
      beats.stop();
      return connection.close();
    },
  };
}

/** Reads the time with every heartbeat and reconnects when there is no connection. */
function startBeats(connection: OwnConnection, time: ReturnType<typeof createTime>, onFound?: () => void) {
  let isStopped = false;
  let lastMs = 0;
  const beat = async () => {
    const client = connection.current();
    if (!client) {
      await connection.get();
      return onFound?.();
    }
    const started = performance.now();
    await time.ask(client).catch((error: Error) => connection.lose(client, error.message));
    lastMs = performance.now() - started;
  };
  void (async () => {
    while (!isStopped) {
      await beat().catch(() => undefined);
      await pause(connection.current() ? untilBeat(BEAT_MS) : RETRY_MS);
    }
  })();
  return {
    lastMs: () => lastMs,
    stop: () => {
      isStopped = true;
    },
  };
}

/** Stores the time of day last read from the database, and its uncertainty. */
function createTime(log: Log) {
  const time = { now: Date.now(), at: performance.now(), doubtMs: Number.POSITIVE_INFINITY };
  let isWrong = false;
  const now = () => Math.round(time.now + performance.now() - time.at);
  return {
    now,
    /** Makes the next reading replace the current one even if its response is slow. */
    reset(): void {
      time.doubtMs = Number.POSITIVE_INFINITY;
    },
    async ask(client: PgClient): Promise<void> {
      const asked = performance.now();
      const { rows } = await client.query<{ now: number }>(TIME);
      const doubtMs = (performance.now() - asked) / 2;
      if (doubtMs > time.doubtMs + (asked - time.at) * DRIFT) return;
      Object.assign(time, { now: rows[0]!.now, at: asked + doubtMs, doubtMs });
      const skewMs = Date.now() - now();
      const wasWrong = isWrong;
      isWrong = Math.abs(skewMs) > WRONG_MS;
      if (isWrong && !wasWrong)
        log.warn({ skewMs }, "this machine's clock is wrong; using the database's clock");
    },
  };
}
