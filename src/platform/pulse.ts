import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type DbOptions, type PgClient } from './db.ts';
import type { Log } from './log.ts';

/**
 * One connection of its own beside the pool: it feels every second whether the database answers, and hears what other
 * processes announce (LISTEN). Health reads `isUp` at once, also when the pool is exhausted.
 */
export type Pulse = {
  isUp(): boolean;
  /** Milliseconds that the last beat took. */
  lastBeatMs(): number;
  /** Never fails: while the database does not answer, listening begins when it does. */
  onNotice(channel: string, heard: (payload: string) => void): Promise<void>;
  /** Called when notices may have been lost: whoever caches by them must forget what he knows. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
};

const BEAT_MS = 1000;

export async function startPulse(options: DbOptions, log: Log): Promise<Pulse> {
  const channels = new Map<string, (payload: string) => void>();
  const gaps: (() => void)[] = [];
  const state = { client: undefined as PgClient | undefined, up: false, closed: false, beatMs: 0 };

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
    const client = createClient({ ...options, statementTimeoutMs: BEAT_MS, name: `${options.name} pulse` });
    client.on('error', (error) => lose(client, error.message));
    client.on('end', () => lose(client, 'the connection ended'));
    client.on('notification', ({ channel, payload }) => channels.get(channel)?.(payload ?? ''));
    try {
      await client.connect();
      for (const channel of channels.keys()) await client.query(`listen ${channel}`);
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
    await client.query('select 1').catch((error: Error) => lose(client, error.message));
    state.beatMs = performance.now() - started;
  };

  await connect();
  const beating = (async () => {
    while (!state.closed) {
      await beat().catch(() => undefined);
      await sleep(BEAT_MS, undefined, { ref: false });
    }
  })();
  beating.catch(() => undefined);

  return {
    isUp: () => state.up,
    lastBeatMs: () => state.beatMs,
    async onNotice(channel, heard) {
      channels.set(channel, heard);
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
