import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { platformPorts } from '../../test/kit/processes/ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEBUG_TOKEN = 'the split of players';
const BOSS = 'demo_boss';

type Options = { databaseUrl: string; folder: string; statements: string };

/** Starts the whole platform on a database. Each of its processes records its statements. */
export async function startPlatform({ databaseUrl, folder, statements }: Options) {
  const ports = await platformPorts();
  const { PATH = '', HOME = '' } = process.env;
  const env: Record<string, string> = {
    PATH,
    HOME,
    APP_ENV: 'local',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, 'data'),
    DEBUG_TOKEN,
    // Settles each bet in a separate batch. If players were sharded, a batch of bets from many players would be split by database.
    BET_BATCH: '1',
    RATE_LIMIT_READ: '0',
    RATE_LIMIT_PUBLIC: '0',
    DASHBOARD_SHARED_SECONDS: '0',
    RECORD_STATEMENTS: statements,
    NODE_OPTIONS: `--import ${join(ROOT, 'bench/split/record.ts')}`,
    ...ports,
  };
  const child = spawn(process.execPath, ['src/bin/croupier.ts', 'start'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await isReady(child.stdout);
  const url = (port: keyof typeof ports) => `http://127.0.0.1:${ports[port]}`;
  return {
    /** Runs demo staff, and demo players who play, pay and chat for some days. The same seed creates the same people. */
    live: (players: number, days: number, seed: number) =>
      promisify(execFile)(
        process.execPath,
        [
          'src/bin/croupier.ts',
          'demo',
          '--players',
          String(players),
          '--days',
          String(days),
          '--seed',
          String(seed),
        ],
        { cwd: ROOT, env },
      ),
    /** Lets players tip players in the other half. A recipient must first have met their turnover requirement. */
    meet: () => meet(url('PORT')),
    /** Calls every read operation as players and as staff. Returns the number of successful calls. */
    lookAround: (players: readonly { id: number; username: string }[]) =>
      lookAround({ main: url('PORT'), backoffice: url('BACKOFFICE_PORT') }, players),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isReady(output: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface(output)) if (line.startsWith('ready')) return;
  throw new Error('the platform did not start');
}

const [GIVERS, TAKERS] = [
  ['split_giver_1', 'split_giver_2'],
  ['split_taker_1', 'split_taker_2'],
] as const;

async function meet(url: string): Promise<void> {
  const post = async (path: string, headers: Record<string, string>, body: object): Promise<void> => {
    const all = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers };
    const answer = await fetch(url + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
  };
  const balances = [{ currencyId: 'USDT', amount: '500' }];
  for (const username of [GIVERS[0], TAKERS[0], GIVERS[1], TAKERS[1]])
    await post(
      '/debug/user/create',
      { 'x-debug-token': DEBUG_TOKEN },
      { username, email: `${username}@mail.example`, password: randomUUID(), emailVerified: true, balances },
    );
  for (const username of GIVERS) {
    const authorization = `Bearer ${await signIn(url, username)}`;
    for (const recipientUsername of TAKERS)
      await post(
        '/user-tips',
        { authorization },
        { recipientUsername, currencyId: 'USDT', amount: '5', isPublic: username === GIVERS[0] },
      );
  }
}

type Doors = Readonly<Record<'main' | 'backoffice', string>>;

async function lookAround(
  doors: Doors,
  players: readonly { id: number; username: string }[],
): Promise<number> {
  const boss = await signIn(doors.main, BOSS);
  let answered = 0;
  for (const [door, url] of Object.entries(doors)) {
    const reads = readsOf(door);
    for (const { id, username } of players) {
      const own = door === 'main' ? await signIn(doors.main, username) : undefined;
      for (const read of reads) {
        const token = read.isOfStaff || !own ? boss : own;
        answered += await ask(url, read, token, String(id));
      }
    }
  }
  return answered;
}

async function signIn(url: string, username: string): Promise<string> {
  const headers = { 'x-debug-token': DEBUG_TOKEN };
  const answer = await fetch(`${url}/debug/auth/login/${username}`, { method: 'POST', headers });
  const { accessToken } = (await answer.json()) as { accessToken?: { token: string } };
  return accessToken?.token ?? '';
}

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  schema: { enum?: string[]; type?: string; format?: string };
};
type Operation = { parameters?: Parameter[]; requestBody?: unknown };
type Read = { method: 'GET' | 'POST'; path: string; parameters: Parameter[]; isOfStaff: boolean };

/** Returns the read operations in an OpenAPI document: GET operations, and POST operations that return lists. */
function readsOf(door: string): Read[] {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi', `${door}.json`), 'utf8')) as {
    paths: Record<string, { get?: Operation; post?: Operation }>;
  };
  return Object.entries(paths).flatMap(([path, { get, post }]) => {
    if (/^\/(debug|auth)/.test(path)) return [];
    const isOfStaff = door === 'backoffice' || path.startsWith('/admin');
    const common = { path, isOfStaff };
    const isList = JSON.stringify(post?.requestBody ?? '').includes('"take"');
    return [
      ...(get ? [{ ...common, method: 'GET' as const, parameters: get.parameters ?? [] }] : []),
      ...(post && isList ? [{ ...common, method: 'POST' as const, parameters: post.parameters ?? [] }] : []),
    ];
  });
}

const KNOWN: Readonly<Record<string, string>> = {
  sortOrder: 'desc',
  sortBy: 'createdAt',
  currencyId: 'USDT',
  networkId: 'TRC20',
  slug: 'dice',
  gameSlug: 'dice',
  count: '10',
  take: '20',
  codes: 'none',
  timeRange: 'LAST_30_DAYS',
  timeGroup: 'DAY',
};

function valueFor({ name, schema }: Parameter, id: string): string {
  if (KNOWN[name] !== undefined && !(schema.enum && !schema.enum.includes(KNOWN[name]))) return KNOWN[name];
  if (/date/i.test(name)) {
    const back = /start|from/i.test(name) ? 30 * 86_400_000 : 0;
    return new Date(Date.now() - back).toISOString().slice(0, schema.format === 'date' ? 10 : undefined);
  }
  return schema.enum?.[0] ?? (schema.type === 'boolean' ? 'true' : id);
}

async function ask(
  url: string,
  { method, path, parameters }: Read,
  token: string,
  id: string,
): Promise<number> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => KNOWN[name] ?? id);
  const query = new URLSearchParams(
    parameters
      .filter((each) => each.in === 'query' && each.required)
      .map((each): [string, string] => [each.name, valueFor(each, id)]),
  );
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = method === 'POST' ? { body: '{"take":20}' } : {};
  const answer = await fetch(`${url}${filled}?${query}`, { method, headers, ...body });
  await answer.arrayBuffer();
  return Number(answer.ok);
}
