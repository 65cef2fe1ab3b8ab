/**
 * npm run bench:users: what the list of users costs with 10,000 and with 1,000,000 of them, over HTTP and with its audit row,
 * request by request in turn. `--users=N` makes the large list N long, `--rounds=N` asks everything N times.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createPartApp } from '../src/apps.ts';
import { loadConfig } from '../src/platform/config.ts';
import { createLog, silentLog } from '../src/platform/log.ts';
import { migrate } from '../src/platform/migrate.ts';
import { createServices } from '../src/services.ts';
import { CASES } from './users-cases.ts';
import { fillUsers } from './users-world.ts';
import { createWorld, openDb, type World } from './world.ts';

const SMALL = 10_000;
const MOST = 2;
const DEBUG_TOKEN = 'a token of the benchmark';
const { values } = parseArgs({
  options: { users: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '60' } },
});
const [large, rounds] = [Number(values.users), Number(values.rounds)];

type Answer = { total: number; accessToken: { token: string } };
type Ask = (body: object) => Promise<Answer>;
type House = { ask: Ask; close: () => Promise<void> };

/** The main API over a database with so many users, and a superadmin who asks for lists. */
async function openHouse(world: World, count: number): Promise<House> {
  const name = `users_${count}`;
  await sql`create database ${sql.ref(name)}`.execute(world.db);
  const env = { ...world.env, DEBUG_TOKEN, DATA_SECRET: randomBytes(32).toString('hex') };
  const log = createLog({ level: 'error', service: 'bench' });
  const databaseUrl = world.postgres.urlFor(name);
  const config = loadConfig(env);
  const beganMs = performance.now();
  const db = openDb(databaseUrl);
  await migrate(db, silentLog);
  await fillUsers(db, count);
  await db.destroy();
  console.log(`${count} users made in ${((performance.now() - beganMs) / 1000).toFixed(0)} s`);
  const services = await createServices({ config, log, name: 'bench', databaseUrl });
  const app = await createPartApp('api', services);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const post = async (path: string, body: object | undefined, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${path} ${JSON.stringify(body)}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const token = { 'x-debug-token': DEBUG_TOKEN };
  await post('/debug/user/create', { username: 'boss', roles: ['SUPERADMIN'] }, token);
  const signedIn = await post('/debug/auth/login/boss', undefined, token);
  const authorization = `Bearer ${signedIn.accessToken.token}`;
  return {
    ask: (body) => post('/admin/user/all', body, { authorization }),
    close: async () => {
      await app.close();
      await services.close();
    },
  };
}

/** The time within which so large a share of the requests was answered. */
const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

const cell = (text: string | number, width: number) =>
  (typeof text === 'number' ? text.toFixed(1) : text).padStart(width);

async function compare([few, many]: readonly [House, House]): Promise<string[]> {
  const over: string[] = [];
  console.log(
    `${'ms'.padEnd(34)}${['p50 small', 'p50 large', 'p95 small', 'p95 large', 'ratio'].map((t) => cell(t, 11)).join('')}`,
  );
  for (const { name, body } of CASES) {
    const times: [number[], number[]] = [[], []];
    // The first of each warms caches and plans.
    for (let round = -2; round < rounds; round++)
      for (const [i, house] of [few, many].entries()) {
        const ms = await timed(() => house.ask(body));
        if (round >= 0) times[i]!.push(ms);
      }
    const [a, b] = times;
    const ratio = quantile(b, 0.95) / quantile(a, 0.95);
    const numbers = [quantile(a, 0.5), quantile(b, 0.5), quantile(a, 0.95), quantile(b, 0.95), ratio];
    console.log(
      `${name.slice(0, 33).padEnd(34)}${numbers.map((n) => cell(n, 11)).join('')}${ratio > MOST ? '  above' : ''}`,
    );
    if (ratio > MOST) over.push(name);
  }
  return over;
}

const world = await createWorld({ timed: false });
try {
  const houses = [await openHouse(world, SMALL), await openHouse(world, large)] as const;
  const over = await compare(houses);
  console.log(
    `${CASES.length - over.length} of ${CASES.length} within ${MOST} times what ${SMALL} users cost`,
  );
  if (over.length > 0) console.log(`above: ${over.join(', ')}`);
  for (const house of houses) await house.close();
} finally {
  await world.close();
}
