import { setTimeout as sleep } from 'node:timers/promises';
import { untilBeat } from './clock.ts';
import { createClient, type DbOptions, type PgClient } from './db.ts';
import type { Log } from './log.ts';

/**
 * One connection of its own beside the pool: it feels every second whether the database answers, tries ten times a second to
 * come back to one that does not, and hears what other processes notify (LISTEN). Health reads `isUp` at once, also when
 * the pool is exhausted.
 */
export type DatabaseClock = {
  isUp(): boolean;
  /** The time of day of the database, in milliseconds: asked for with every beat, counted on without this machine's calendar. */
  now(): number;
  /** Milliseconds that the last beat took. */
  lastBeatMs(): number;
  /** Any number may listen to a channel. Never fails: while the database does not answer, listening begins when it does. */
  onNotice(channel: string, heard: (payload: string) => void): Promise<void>;
  /** Called when notices may have been lost: whoever caches by them must forget what they know. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
};

const BEAT_MS = 1000;
/** While it does not answer, the pause between two attempts: a database that is back is not kept waiting for a whole beat. */
const RETRY_MS = 100;
const TIME = {
  name: 'clock.now',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
};
/** An answer that took long says little about the time; the doubt about an older one grows by so much of its age. */
const DRIFT = 0.001;
const WRONG_MS = 30_000;

export async function startDatabaseClock(options: DbOptions, log: Log): Promise<DatabaseClock> {
  const channels = new Map<string, ((payload: string) => void)[]>();
  const gaps: (() => void)[] = [];
  const state = { client: undefined as PgClient | undefined, up: false, closed: false, beatMs: 0 };
  const time = { now: Date.now(), at: performance.now(), doubt: Number.POSITIVE_INFINITY, isWrong: false };
  const now = () => Math.round(time.now + performance.now() - time.at);

  const askTime = async (client: PgClient): Promise<void> => {
    const asked = performance.now();
    const { rows } = await client.query<{ now: number }>(TIME);
    const doubt = (performance.now() - asked) / 2;
    if (doubt > time.doubt + (asked - time.at) * DRIFT) return;
    Object.assign(time, { now: rows[0]!.now, at: asked + doubt, doubt });
    const skewMs = Date.now() - now();
    const isWrong = Math.abs(skewMs) > WRONG_MS;
    if (isWrong && !time.isWrong)
      log.warn({ skewMs }, 'the clock of this machine is wrong: that of the database counts');
    time.isWrong = isWrong;
  };

  const lose = (client: PgClient, reason: string) => {
    if (state.client !== client) return;
    state.client = undefined;
    if (state.up) log.warn({ reason }, 'the database does not answer');
    state.up = false;
    for (const forget of gaps) forget();
    client.removeAllListeners('notification');
    void client.end().catch(() => undefined);
  };

  const connect = async () => {
    const own = { ...options, statementTimeoutMs: BEAT_MS, name: `${options.name} clock` };
    // Somebody may begin to listen while it beats.
    const client = createClient(own, { pipeline: true });
    client.on('error', (error) => lose(client, error.message));
    client.on('end', () => lose(client, 'the connection ended'));
    client.on('notification', ({ channel, payload }) => {
      for (const heard of channels.get(channel) ?? []) heard(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of channels.keys()) await client.query(`listen ${channel}`);
      // It may be another server.
      time.doubt = Number.POSITIVE_INFINITY;
      await askTime(client);
      if (state.closed) throw new Error('closed while connecting');
    } catch (error) {
      // A connection that cannot listen, or that nobody waits for any more, must not stay open beside the next one.
      void client.end().catch(() => undefined);
      throw error;
    }
    for (const forget of gaps) forget();
    state.client = client;
    state.up = true;
  };

  const beat = async () => {
    const client = state.client;
    if (!client) return connect();
    const started = performance.now();
    await askTime(client).catch((error: Error) => lose(client, error.message));
    state.beatMs = performance.now() - started;
  };

  await connect();
  const beating = (async () => {
    while (!state.closed) {
      await beat().catch(() => undefined);
      await sleep(state.up ? untilBeat(BEAT_MS) : RETRY_MS, undefined, { ref: false });
    }
  })();
  beating.catch(() => undefined);

  return {
    isUp: () => state.up,
    now,
    lastBeatMs: () => state.beatMs,
    async onNotice(channel, heard) {
      channels.set(channel, [...(channels.get(channel) ?? []), heard]);
      const { client } = state;
      // A connection that cannot listen is given up; the next one listens to every channel.
      await client?.query(`listen ${channel}`).catch((error: Error) => lose(client, error.message));
    },
    onGap: (forget) => void gaps.push(forget),
    async close() {
      state.closed = true;
      const client = state.client;
      state.client = undefined;
      await client?.end().catch(() => undefined);
    },
  };
}
