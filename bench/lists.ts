import { createPartApp } from '../src/app/apps.ts';
import type { Db } from '../src/platform/database/db.ts';
import { check, jsonOf, quantile, type Report, seconds, shown, timed } from './report.ts';
import type { Context } from './suite.ts';
import { addDatabase, openServices } from './world.ts';

const DEBUG_TOKEN = 'a token of the benchmark';

type Answer = { total: number; accessToken: { token: string }; key: string };
/** Sends a POST if there is a body, and otherwise a GET. */
export type Caller = (path: string, body?: object) => Promise<Answer>;
export type House = Awaited<ReturnType<typeof openHouse>>;
/** Fills an empty database. Returns a summary of the rows if their number alone does not describe them. */
type Fill = (db: Db) => Promise<unknown>;

/** Creates and fills a database, and starts the main API on it. Signs in a superadmin. */
export async function openHouse({ world, say, later }: Context, name: string, fill: Fill) {
  const { db, env } = await addDatabase(world, name, later);
  const took = await timed(async () => {
    const summary = await fill(db);
    if (typeof summary === 'string') say(summary);
  });
  say(`${name} created in ${seconds(took)}`);
  const services = await openServices({ ...env, DEBUG_TOKEN }, later);
  const app = await createPartApp('api', services);
  later(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const callerWith =
    (headers: Record<string, string>): Caller =>
    async (path, body) => {
      const json = { 'content-type': 'application/json', ...headers };
      const post = { method: 'POST', headers: json, body: JSON.stringify(body) };
      const answer = await fetch(url + path, body ? post : { headers });
      if (!answer.ok) throw new Error(`${path} ${post.body}: ${await answer.text()}`);
      return (await answer.json()) as Answer;
    };
  const debug = callerWith({ 'x-debug-token': DEBUG_TOKEN });
  const signIn = async (username: string) => {
    const { accessToken } = await debug(`/debug/auth/login/${username}`, {});
    return callerWith({ authorization: `Bearer ${accessToken.token}` });
  };
  await debug('/debug/user/create', { username: 'boss', roles: ['SUPERADMIN'] });
  const staff = await signIn('boss');
  return {
    db,
    services,
    staff,
    signIn,
    /** Creates an API key for a partner's user, as staff do. Returns a caller that uses the key. */
    async createPartner(userId: number): Promise<Caller> {
      const { key } = await staff('/admin/api-keys', { userId });
      return callerWith({ 'x-api-key': key });
    },
  };
}

/** Sends the request of a comparison for the `i`-th time. */
export type Ask = (i: number) => Promise<unknown>;
/** A named request that is compared on two databases. */
export type Case = readonly [name: string, ask: Ask];
/** Two requests to compare: `few` for a short list, and `many` for a long list. */
export type Pair = { name: string; few: Ask; many: Ask };

/** Returns the time this many days ago, in ISO 8601. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

type Limits = {
  heads: readonly [few: string, many: string];
  rounds: number;
  mostRatio?: number;
  mostMs?: number;
};
type Sizes<Size> = Omit<Limits, 'heads'> & {
  /** The sizes of the small and the large database, by the names of the databases. */
  sizes: Readonly<Record<string, Size>>;
  fill: (db: Db, size: Size) => ReturnType<Fill>;
  /** Returns the requests to one server. Their order must be the same for both sizes. */
  cases: (house: House, size: Size) => readonly Case[] | Promise<readonly Case[]>;
};

/** Compares the same requests on a small and on a large database, each with its own main API, in alternating requests over HTTP. */
export async function compareSizes<Size>(
  context: Context,
  { sizes, fill, cases, ...limits }: Sizes<Size>,
): Promise<Report> {
  const sides: (readonly Case[])[] = [];
  for (const [name, size] of Object.entries(sizes))
    sides.push(await cases(await openHouse(context, name, (db) => fill(db, size)), size));
  const [small, large] = sides;
  const pairs = small!.map(([name, few], i): Pair => ({ name, few, many: large![i]![1] }));
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
