import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { childrenOf, isAlive, send } from './crash/processes.ts';
import { fixture } from './kit/fixture.ts';
import { startDurablePostgres } from './kit/processes/durable.ts';
import { spawnProcess, startProcess } from './kit/processes/process.ts';

/** Longer than a client usually waits for a connection. */
const STOPPED_MS = 20_000;
const PARTS = ['api', 'api', 'backoffice', 'realtime', 'realtime', 'worker', 'worker'] as const;
const PORTS = Object.fromEntries(
  ['PORT', 'BACKOFFICE_PORT', 'REALTIME_PORT', 'WORKER_PORT'].map((name) => [name, '0']),
);

const server = fixture(() => startDurablePostgres('slow-start'));
/** The server that is currently running. It changes between tests, because the last part to exit stops the embedded server. */
let latest: EmbeddedPostgres | undefined;
const pid = async () => {
  latest = await startEmbeddedPostgres({ dataDir: join(server.dataDir, 'postgres') });
  return latest.pid;
};
afterAll(() => latest?.stop());
let postmaster: number;
const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
  for (const one of [postmaster, ...childrenOf(postmaster)]) send(one, name);
};
afterEach(() => signal('SIGCONT'));

/**
 * Simulates a machine that is too busy: the server accepts connections but does not respond for at least 20 seconds, until every part
 * waits.
 */
async function startWhileStopped(env: Record<string, string>, waits: RegExp) {
  postmaster = await pid();
  signal('SIGSTOP');
  const parts = PARTS.map((part) =>
    spawnProcess(
      { ...PORTS, APP_ENV: 'local', DATA_DIR: server.dataDir, DATABASE_START_TIMEOUT_MS: '150000', ...env },
      part,
    ),
  );
  try {
    await sleep(STOPPED_MS);
    await expect.poll(() => parts.filter(({ output }) => !waits.test(output())).length).toBe(0);
  } finally {
    signal('SIGCONT');
  }
  return parts;
}

test.each([
  [
    'at DATABASE_URL',
    () => ({ DATABASE_URL: server.url }),
    /PostgreSQL in \S+ has accepted no connection for \d+ s: /,
  ],
  ['that is embedded', () => ({}), /The embedded PostgreSQL has accepted no connection for \d+ s: /],
])(
  'starts seven parts together on a database %s that responds after 20 seconds',
  async (_, env, waits) => {
    const parts = await startWhileStopped(env(), waits);
    try {
      for (const { listening, output } of parts) expect(await listening, output()).toBeDefined();
      const health = await Promise.all(
        parts.map(async ({ listening }) => fetch(`${await listening}/health`)),
      );
      expect(health.map(({ status }) => status)).toEqual(PARTS.map(() => 200));
    } finally {
      await Promise.all(parts.map(({ end }) => end()));
    }
  },
  180_000,
);

test('reports that the machine is too busy when the embedded database is slow, and leaves the server running', async () => {
  postmaster = await pid();
  signal('SIGSTOP');
  const { url, output, end } = await startProcess({
    ...PORTS,
    APP_ENV: 'local',
    DATA_DIR: server.dataDir,
    DATABASE_START_TIMEOUT_MS: '4000',
  });
  expect(url).toBeUndefined();
  expect(await end()).toBe(1);
  expect(output()).toMatch(
    /^api did not start: The embedded PostgreSQL has accepted no connection for \d+ s: .*: this machine is too busy; .*DATABASE_START_TIMEOUT_MS\.$/m,
  );
  expect(output()).not.toContain('DATABASE_URL');
  expect(isAlive(postmaster)).toBe(true);
}, 60_000);
