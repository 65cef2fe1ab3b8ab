import type { Kysely } from 'kysely';
import { createPartApp } from '../src/app/apps.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { check, jsonOf, quantile, type Report, seconds, shown, timed } from './report.ts';
import type { Context } from './suite.ts';
import { addDatabase, openServices } from './world.ts';

const DEBUG_TOKEN = 'a token of the benchmark';

type Answer = { total: number; accessToken: { token: string }; key: string };
export type House = Awaited<ReturnType<typeof openHouse>>;
/** Fills an empty database. Returns a summary of the rows if their number alone does not describe them. */
type Fill = (db: Kysely<DB>) => Promise<unknown>;

/** Creates and fills a database, and starts the main API on it. Signs in a superadmin. */
export async function openHouse({ world, say, later }: Context, name: string, fill: Fill) {
  const { db, url: databaseUrl } = await addDatabase(world, name, later);
  const took = await timed(async () => {
    const summary = await fill(db);
    if (typeof summary === 'string') say(summary);
  });
  say(`${name} created in ${seconds(took)}`);
  const services = await openServices({ ...world.env, DEBUG_TOKEN }, databaseUrl, later);
  const app = await createPartApp('api', services);
  later(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const call = async (to: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(url + to, init);
    if (!answer.ok) throw new Error(`${to} ${init.body}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const post = (to: string, body: object | undefined, headers: Record<string, string>) =>
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
    db,
    services,
    /** Sends requests as staff. */
    post: (to: string, body: object) => post(to, body, boss),
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
  };
}

/** Sends the request of a comparison for the `i`-th time. */
export type Ask = (i: number) => Promise<unknown>;
/** Two requests to compare: `few` for a short list, and `many` for a long list. */
export type Pair = { name: string; few: Ask; many: Ask };
/** A request that is compared on two databases. `prepare` runs before the measurement, once on each database. */
export type Case<Callers> = { name: string; prepare: (callers: Callers) => Ask | Promise<Ask> };

/** Returns a case whose request is the same every time. */
export const caseOf = <Callers>(
  name: string,
  send: (callers: Callers) => Promise<unknown>,
): Case<Callers> => ({ name, prepare: (callers) => () => send(callers) });

/** Returns the time this many days ago, in ISO 8601. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

type Limits = {
  heads: readonly [few: string, many: string];
  rounds: number;
  mostRatio?: number;
  mostMs?: number;
};
type Sizes<Size, Callers> = Omit<Limits, 'heads'> & {
  /** The sizes of the small and the large database, by the names of the databases. */
  sizes: Readonly<Record<string, Size>>;
  fill: (db: Kysely<DB>, size: Size) => Promise<unknown>;
  /** Prepares the callers of the requests. */
  open: (house: House, size: Size) => Callers | Promise<Callers>;
  cases: readonly Case<Callers>[];
};

/** Compares the same requests on a small and on a large database, each with its own main API, in alternating requests over HTTP. */
export async function compareSizes<Size, Callers>(
  context: Context,
  { sizes, fill, open, cases, ...limits }: Sizes<Size, Callers>,
): Promise<Report> {
  const callers: Callers[] = [];
  for (const [name, size] of Object.entries(sizes))
    callers.push(await open(await openHouse(context, name, (db) => fill(db, size)), size));
  const pairs: Pair[] = [];
  for (const { name, prepare } of cases)
    pairs.push({ name, few: await prepare(callers[0]!), many: await prepare(callers[1]!) });
  return comparePairs(context, pairs, { ...limits, heads: ['small', 'large'] });
}

/** Number of requests before the measurement. */
export const WARM_UPS = 3;
type Times = { few: number[]; many: number[] };

/**
 * Runs both requests of every pair alternately, `rounds` times. The 95th percentile of `many` may be at most twice that of `few` (or
 * `mostRatio` times), and at most `mostMs`.
 */
export async function comparePairs(
  { say }: Context,
  pairs: readonly Pair[],
  { heads: [few, many], rounds, mostRatio = 2, mostMs = Number.POSITIVE_INFINITY }: Limits,
): Promise<Report> {
  const ratioOf = (times: Times) => quantile(times.many, 0.95) / quantile(times.few, 0.95);
  const isOver = (times: Times) => ratioOf(times) > mostRatio || quantile(times.many, 0.95) > mostMs;
  const rows: (string | number)[][] = [];
  const above: string[] = [];
  for (const pair of pairs) {
    const size = sizeOf(await pair.many(0));
    let times = await measurePair(pair, rounds);
    // Other load on the machine may slow down one of the two requests, so a failed comparison is measured again. A real difference
    // appears in both measurements.
    const isAgain = isOver(times);
    if (isAgain) times = await measurePair(pair, rounds);
    if (isOver(times)) above.push(pair.name);
    const verdict = isOver(times) ? 'above, twice' : isAgain ? 'measured twice' : '';
    const figures = [0.5, 0.95].flatMap((share) => [quantile(times.few, share), quantile(times.many, share)]);
    rows.push([pair.name, ...figures, ratioOf(times), size, verdict]);
    say(`${pair.name}: p95 ${shown(figures[2]!)} and ${shown(figures[3]!)} ms ${verdict}`);
  }
  const heads = ['p50', 'p95'].flatMap((name) => [`${name} ${few}`, `${name} ${many}`]);
  const columns = ['', ...heads, 'ratio', 'rows or bytes', ''];
  const limit = `${mostRatio} times ${few}${Number.isFinite(mostMs) ? ` or ${mostMs} ms` : ''}`;
  const what = `${pairs.length} pairs: number of p95 of ${many} above ${limit}`;
  return {
    tables: [{ title: 'Response times in ms', columns, rows }],
    checks: [check(what, above.length, { atMost: 0 }, { note: above.join(', ') })],
  };
}

/** Measures one pair. The first calls are not measured, because they only fill caches and create query plans. */
async function measurePair({ few, many }: Pair, rounds: number): Promise<Times> {
  const times: Times = { few: [], many: [] };
  for (let i = 0; i < rounds + WARM_UPS; i++) {
    const [a, b] = [await timed(() => few(i)), await timed(() => many(i))];
    if (i < WARM_UPS) continue;
    times.few.push(a);
    times.many.push(b);
  }
  return times;
}

/** Returns the total of a list, the number of rows of a report, or the length of any other response. */
function sizeOf(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length;
  const { total } = Object(answer) as { total?: number };
  return total ?? jsonOf(answer).length;
}
