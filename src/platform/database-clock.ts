import { untilBeat } from './clock.ts';
import type { ConnectionOptions, PgClient } from './db.ts';
import type { Log } from './log.ts';
import { createOwnConnection, type OwnConnection } from './own-connection.ts';
import { pause } from './timers.ts';

/**
 * One connection of its own beside the pool: it asks every second whether the database answers, tries ten times a second to
 * come back to one that does not, and hears what other processes notify (LISTEN). Health reads `isUp` without waiting, also when
 * the pool is exhausted.
 */
export type DatabaseClock = Awaited<ReturnType<typeof startDatabaseClock>>;

const BEAT_MS = 1000;
/** While it does not answer, the pause between two attempts: a database that is back is not kept waiting for a whole beat. */
const RETRY_MS = 100;
const TIME = {
  name: 'clock.now',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
};
/** An answer that took long says little about the time; the uncertainty of an older one grows by this share of its age. */
const DRIFT = 0.001;
/** A clock of this machine that is off by more than that is logged. */
const WRONG_MS = 30_000;

/** `onLost` and `onFound`: whenever the connection has broken, and is back. */
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
        // It may be another server.
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
  await connection.get();
  const beats = startBeats(connection, time, onFound);

  return {
    isUp: () => connection.current() !== undefined,
    /** The time of day of the database, in milliseconds: asked for with every beat, and continued by the monotonic clock in between. */
    now: time.now,
    /** Milliseconds that the last beat took. */
    lastBeatMs: beats.lastMs,
    /** Any number may listen to a channel. Never fails: while the database does not answer, listening begins when it does. */
    async onNotice(channel: string, heard: (payload: string) => void): Promise<void> {
      channels.set(channel, [...(channels.get(channel) ?? []), heard]);
      const client = connection.current();
      // A connection that cannot listen is given up; the next one listens to every channel.
      await client
        ?.query(`listen ${channel}`)
        .catch((error: Error) => connection.lose(client, error.message));
    },
    /** Called when notices may have been lost: a cache that relies on them must be read again. */
    onGap: (forget: () => void): void => void gaps.push(forget),
    close(): Promise<void> {
      beats.stop();
      return connection.close();
    },
  };
}

/** Asks for the time with every beat; connects again when there is no connection. */
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

/** The time of day as the database last said it, and how uncertain that is. */
function createTime(log: Log) {
  const time = { now: Date.now(), at: performance.now(), doubtMs: Number.POSITIVE_INFINITY };
  let isWrong = false;
  const now = () => Math.round(time.now + performance.now() - time.at);
  return {
    now,
    /** The next answer counts, however long it takes. */
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
        log.warn({ skewMs }, 'the clock of this machine is wrong: that of the database counts');
    },
  };
}
