import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFailed, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { openBets } from '../chaos/games.ts';
import { brokenBooks, compare, neverSent, withDb } from '../crash/check.ts';
import { call, type Reply } from '../crash/client.ts';
import { type Attempt, type Load, type LoadPlayer, resolveUnknown, seeded } from '../crash/load.ts';
import { SEED_SECRET } from '../crash/processes.ts';
import { createTestDatabase } from '../kit/database.ts';
import { type Cluster, type ClusterOptions, startCluster } from '../kit/processes/cluster.ts';
import { createVisitors, DEBUG } from '../kit/processes/visitors.ts';

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Returns an unused name. */
export const newName = (what: string): string => `${what}_${randomBytes(4).toString('hex')}`;

/** Runs the functions concurrently and waits until all of them have ended, even if one fails. */
export async function together<T extends readonly Promise<unknown>[]>(...works: T) {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Runs `work`, then stops the load and adds its bets to the history, even if `work` fails. */
export async function underLoad<T>(load: Load, history: Attempt[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await load.stop();
    // The bets are added one by one, because so many arguments would not fit on the stack.
    for (const attempt of load.history) history.push(attempt);
  }
}

const SHORT_ROUNDS = { timeConfig: { bettingMs: 3000, waitingMs: 0, resultMs: 1000 } };

type Asked = { token?: string; body?: object; headers?: Record<string, string> };

type Options = ClusterOptions & {
  /** Starts a separate PostgreSQL, which the test may break. */
  ownPostgres?: boolean;
};

/** Starts the cluster and the sandbox, and creates clients behind the load balancer and a staff member. Prints the random seed. */
export async function startPlatform({ ownPostgres, settings, ...options }: Options = {}) {
  const seed = Number(process.env.CLUSTER_SEED || randomInt(1_000_000_000));
  const began = performance.now();
  let cluster: Cluster | undefined;
  const api = () => cluster?.balanced('api') ?? 'http://127.0.0.1:1';
  const database = ownPostgres ? undefined : await createTestDatabase();
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: api });
  cluster = await startCluster({
    ...options,
    ...(database && { database }),
    settings: { ...sandbox.env, ...DEBUG, SPEED_ROULETTE_CHAIN_LENGTH: '2500', ...settings },
  });
  console.log(
    `seed ${seed}: ${cluster.names.length} processes after ${Math.round(performance.now() - began)} ms`,
  );
  const visitors = createVisitors(api);
  const boss = await visitors.signIn(`boss_${seed}`, { roles: ['SUPERADMIN'] });
  /** Sends a request to one process by its name. */
  const at = (
    name: string,
    method: string,
    path: string,
    { headers, ...asked }: Asked = {},
  ): Promise<Reply> => call(method, cluster.urlOf(name) + path, { ...asked, headers: { ...headers } });
  return {
    cluster,
    sandbox,
    boss,
    at,
    ...visitors,
    random: seeded(seed),
    onDb: <T>(work: (db: Db) => Promise<T>) => withDb(cluster.databaseUrl(), work),
    async stop() {
      await cluster.stopAll();
      visitors.close();
      await sandbox.close();
      await database?.drop();
    },
  };
}

/** Prints the processes' logs if a test in the calling file fails. */
export function tellOnFailure(platform: () => Platform | undefined): void {
  beforeEach(() => onTestFailed(() => console.log(platform()?.cluster.story())));
}

/** Starts short rounds of speed-roulette. Resolves once the public chain has provided a seed and a round has begun. */
export async function startRounds({ onDb, sandbox }: Pick<Platform, 'onDb' | 'sandbox'>): Promise<void> {
  await onDb(async (db) => {
    await sql`update games set settings = settings || ${JSON.stringify(SHORT_ROUNDS)}::jsonb
      where slug = 'speed-roulette'`.execute(db);
    await sql`select pg_notify('games_changed', '')`.execute(db);
    await vi.waitFor(() => findBlocks(sandbox, db), { timeout: 30_000, interval: 300 });
  });
}

async function findBlocks(sandbox: Sandbox, db: Db): Promise<void> {
  await call('POST', `${sandbox.url}/chain/blocks`, { body: { count: 5 } });
  const { rows } = await sql`select 1 from speed_rounds limit 1`.execute(db);
  if (rows.length === 0) throw new Error('no round has begun');
}

/**
 * Expects that every acknowledged bet is stored once and no rejected bet is stored. All books must agree, no bet may be open, and no
 * process may have crashed.
 */
export async function expectNothingLost(
  { cluster, onDb, failures }: Pick<Platform, 'cluster' | 'onDb' | 'failures'>,
  history: readonly Attempt[],
  players: readonly LoadPlayer[],
): Promise<void> {
  await resolveUnknown(history, { targets: () => [cluster.balanced('api')], players });
  const problems = await onDb(async (db) => {
    const { missing, wrong } = await compare(db, history);
    const strangers = await neverSent(db, history);
    return [
      ...missing,
      ...wrong,
      ...strangers,
      ...(await openBets(db)),
      ...(await brokenBooks(db, SEED_SECRET)),
    ];
  });
  expect([...problems, ...failures, ...cluster.strayExits]).toEqual([]);
}
