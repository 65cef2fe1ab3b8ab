import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { createPartApp } from '../src/app/apps.ts';
import { createServices } from '../src/app/services.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { createLog, silentLog } from '../src/platform/observability/log.ts';
import { openDb, type World } from './world.ts';

const DEBUG_TOKEN = 'a token of the benchmark';

type Answer = { total: number; data: object[]; accessToken: { token: string }; key: string };

/** Creates and fills a database, and starts the main API on it. Signs in a superadmin, who reads one list. */
export async function openStaffHouse<Filled>(
  world: World,
  { name, path, fill }: { name: string; path: string; fill: (db: Kysely<DB>) => Promise<Filled> },
) {
  await sql`create database ${sql.ref(name)}`.execute(world.db);
  const env = { ...world.env, DEBUG_TOKEN, DATA_SECRET: randomBytes(32).toString('hex') };
  const log = createLog({ level: 'error', service: 'bench' });
  const databaseUrl = world.postgres.urlFor(name);
  const db = openDb(databaseUrl);
  await migrate(db, silentLog);
  const beganMs = performance.now();
  const filled = await fill(db);
  const filledIn = seconds(performance.now() - beganMs);
  await db.destroy();
  const services = await createServices({ config: loadConfig(env), log, name: 'bench', databaseUrl });
  const app = await createPartApp('api', services);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const call = async (to: string, init: RequestInit) => {
    const answer = await fetch(url + to, init);
    if (!answer.ok) throw new Error(`${to} ${init.body}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const post = (to: string, body: object | undefined, headers: Record<string, string> = {}) =>
    call(to, {
      method: 'POST',
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const token = { 'x-debug-token': DEBUG_TOKEN };
  await post('/debug/user/create', { username: 'boss', roles: ['SUPERADMIN'] }, token);
  const signIn = async (username: string) => {
    const { accessToken } = await post(`/debug/auth/login/${username}`, undefined, token);
    return { authorization: `Bearer ${accessToken.token}` };
  };
  const boss = await signIn('boss');
  return {
    filled,
    filledIn,
    services,
    ask: (body: object) => post(path, body, boss),
    /** Sends the request to a different list than `ask` does. */
    askAt: (to: string, body: object) => post(to, body, boss),
    /** Sends a GET request as staff. */
    read: (from: string) => call(from, { headers: boss }),
    /** Signs in a player. Returns a function that reads the player's data. */
    async asPlayer(username: string) {
      const headers = await signIn(username);
      return (from: string) => call(from, { headers });
    },
    /** Creates an API key for a partner's program, as staff do for the program's owner. Returns a function that reads with this key. */
    async asPartner(userId: number) {
      const { key } = await post('/admin/api-keys', { userId }, boss);
      return (from: string) => call(from, { headers: { 'x-api-key': key } });
    },
    close: async () => {
      await app.close();
      await services.close();
    },
  };
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Returns the quantile: the time within which this fraction of the requests finished. */
export const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}
