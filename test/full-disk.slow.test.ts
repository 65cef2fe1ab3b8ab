import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, withDb } from './crash/check.ts';
import { call, keepAlive } from './crash/client.ts';
import { type Attempt, createPlayers, type LoadPlayer } from './crash/load.ts';
import { createProber } from './crash/probe.ts';
import { type Cluster, startCluster } from './kit/processes/cluster.ts';
import { createSmallDisk } from './kit/processes/small-disk.ts';
import { until } from './kit/until.ts';

const FULL_MS = 5000;
const disk = createSmallDisk(400);
if (!disk.isMounted) console.warn('skipped: cannot mount a separate disk here (needs root)');

describe.skipIf(!disk.isMounted)('a full disk', () => {
  const agent = keepAlive();
  const history: Attempt[] = [];
  let cluster: Cluster;
  let players: LoadPlayer[];

  beforeAll(async () => {
    cluster = await startCluster({
      parts: ['api', 'worker'],
      settings: { LOG_LEVEL: 'info' },
      postgres: {
        dataDir: join(disk.folder, 'postgres'),
        settings: { max_wal_size: '96MB', shared_buffers: '32MB' },
      },
    });
    players = await createPlayers(cluster.urlOf('api'), Array(8).fill(100_000));
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await cluster?.stopAll();
    disk.remove();
  });

  const readiness = async (name: string) =>
    (await call('GET', `${cluster.urlOf(name)}/health/ready`, { agent })).status;
  const lines = (name: string, text: string) =>
    cluster
      .logOf(name)
      .split('\n')
      .filter((line) => line.includes(text));
  /** Starts a new log segment, so that tables run out of space before the log. The server would stop if the log had no space. */
  const startSegment = async () => {
    const client = new pg.Client({ connectionString: cluster.databaseUrl() });
    await client.connect();
    for (const text of ['select pg_switch_wal()', 'checkpoint']) await client.query(text);
    await client.end();
  };

  test('marks a process as not ready after the first failed write, and as ready once there is free space', async () => {
    const { bet } = createProber(cluster.urlOf('api'), players, history);
    let isOver = false;
    let firstFailureAt = 0;
    const betting = players.map(async (player) => {
      while (!isOver) {
        const { said } = await bet(player);
        if (said.startsWith('503')) firstFailureAt ||= performance.now();
      }
    });
    try {
      await sleep(1000);
      await startSegment();
      disk.fill();
      await until(() => firstFailureAt > 0);
      await until(async () => (await readiness('api')) === 503, 1000);
      // The API writes little at this point, so only its own probe can detect the full disk.
      const known = lines('api', 'request failed').length;
      const begun = lines('api', 'an outage begins').length;
      const [seen] = await Promise.all([watch(), sleep(FULL_MS)]);
      expect(seen).toEqual(new Set([503]));
      expect(lines('api', 'request failed').length - known).toBeLessThanOrEqual(2 * (FULL_MS / 1000) + 2);
      expect(lines('api', 'an outage begins')).toHaveLength(begun);
      const text = await (await fetch(`${cluster.urlOf('api')}/metrics`)).text();
      expect(text).toMatch(/croupier_db_resource_errors_total\{[^}]*state="53100"[^}]*\} [1-9]/);
    } finally {
      disk.empty();
    }
    await until(async () => (await readiness('api')) === 200, 10_000);
    const settled = () => history.filter(({ outcome }) => outcome === 'ok').length;
    const before = settled();
    await until(() => settled() > before + 20);
    isOver = true;
    await Promise.all(betting);
    // A reused log segment can end an outage before the space is used up again.
    expect(lines('api', 'the outage is over')).toHaveLength(lines('api', 'an outage begins').length);
    expect(cluster.strayExits).toEqual([]);
    const { missing, wrong } = await withDb(cluster.databaseUrl(), (db) => compare(db, history));
    expect([...missing, ...wrong]).toEqual([]);
  }, 120_000);

  /** Returns the readiness responses while the disk is full. */
  async function watch(): Promise<Set<number>> {
    const seen = new Set<number>();
    for (const end = performance.now() + FULL_MS; performance.now() < end; await sleep(50))
      seen.add(await readiness('api'));
    return seen;
  }

  test('marks an idle process as not ready within a minute', async () => {
    await until(async () => (await readiness('worker')) === 200);
    await startSegment();
    disk.fill();
    try {
      await until(async () => (await readiness('worker')) === 503, 75_000);
    } finally {
      disk.empty();
    }
    await until(async () => (await readiness('worker')) === 200, 10_000);
  }, 120_000);
});
