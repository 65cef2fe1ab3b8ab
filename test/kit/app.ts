import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import { createPartApp, type PartName } from '../../src/app/apps.ts';
import { reconcile } from '../../src/app/commands/reconcile.ts';
import { createServices, type Services } from '../../src/app/services.ts';
import { startSockets } from '../../src/app/sockets.ts';
import type { Route } from '../../src/http/route.ts';
import { TYPE_OF_KIND } from '../../src/modules/backoffice/accounting/rules.ts';
import { kindsPosted } from '../../src/modules/money/ledger/sources.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import type { DB } from '../../src/platform/database/tables.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { assertNothingLeaked, keepSecret, seeAnswer, seeLine } from './http/canaries.ts';

export type Answer<T = any> = { status: number; body: T; text: string; headers: Headers };
export type CallOptions = {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  raw?: string | Buffer;
};
export type Player = {
  id: number;
  username: string;
  token: string;
  refreshToken: string;
  socketToken: string;
  call: TestApp['call'];
};
export type TestApp = Awaited<ReturnType<typeof startApp>>;

export type StartOptions = {
  part?: PartName;
  env?: Record<string, string>;
  /** An existing database, which the app shares with other processes instead of creating its own. The app does not drop this database. */
  database?: TestDatabase;
  extraRoutes?: readonly Route[];
  /** Connection string to use instead of the database's own, for example to connect through a fault proxy. */
  databaseUrl?: string;
  /** If true, invariants are checked when the app stops. Tests that violate invariants intentionally set `false`. */
  reconcileOnStop?: boolean;
  /** True if the test moves money without payments and grants. Invariants N6 and N10 and the posting kinds are then not checked. */
  movesFreely?: boolean;
  /** True if the test sets nonces itself. N7 is then not checked, because it would report a gap. */
  skipsNonces?: boolean;
};

const TEST_ENV = {
  APP_ENV: 'test',
  ALLOW_UNSAFE_DATABASE: 'true',
  LOG_LEVEL: 'warn',
  DEBUG_TOKEN: 'test-debug-token',
  RATE_LIMIT_AUTH: '0',
  RATE_LIMIT_MONEY: '0',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_FILE: '0',
  RATE_LIMIT_UPLOAD: '0',
  RATE_LIMIT_APIKEY: '0',
  // These limits are off, because race tests send many concurrent calls from one player. Tests of these limits override them.
  USER_MONEY_AT_ONCE: '0',
  USER_CALLS_AT_ONCE: '0',
  REALTIME_HANDSHAKES_PER_MINUTE: '0',
  // These deadlines are long, so that a slow machine does not look like a lost response. Tests of these deadlines override them.
  PROVIDER_CALL_DEADLINE_MS: '20000',
  SPORTSBOOK_CALL_DEADLINE_MS: '20000',
  DATABASE_POOL_SIZE: '8',
  // Dashboard responses are not cached. Only the test of this cache changes the setting.
  DASHBOARD_SHARED_SECONDS: '0',
};

/** Long timeouts for tests in which hundreds of requests wait for one lock, so that a slow machine does not look like a deadlock. */
export const PATIENCE = {
  DATABASE_CONNECT_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '20000',
  BET_DEADLINE_MS: '20000',
} as const;

/** Secrets shared by all processes of a test. */
const SECRETS = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  SEED_SECRET: randomBytes(32).toString('hex'),
  DATA_SECRET: randomBytes(32).toString('hex'),
};

/** Starts one part of the platform on its own port, with real HTTP and a real database used only by this test file. */
export async function startApp(options: StartOptions = {}) {
  const database = options.database ?? (await createTestDatabase());
  const config = loadConfig({ ...TEST_ENV, ...SECRETS, ...options.env });
  keepSecret(config, options.databaseUrl ?? database.url);
  const lines: string[] = [];
  const write = (line: string) => {
    seeLine(line);
    lines.push(line);
  };
  const log = createLog({
    level: config.LOG_LEVEL,
    service: 'test',
    destination: { write },
  });
  const part = options.part ?? 'api';
  const services: Services = await createServices({
    config,
    log,
    name: part,
    databaseUrl: options.databaseUrl ?? database.url,
  });
  const app = await createPartApp(part, services, options.extraRoutes ?? []);
  const sockets = part === 'realtime' ? await startSockets(services, app.server) : undefined;
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const call = <T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>> =>
    callAt<T>(url, method, path, options);

  /** Creates a signed-in player with play money. */
  const newPlayer = async ({
    usdt = 0,
    username = `p_${randomBytes(7).toString('hex')}`,
  } = {}): Promise<Player> => {
    const headers = { 'x-debug-token': config.DEBUG_TOKEN ?? '' };
    const { body, status } = await call('POST', `/debug/auth/login/${username}`, { headers });
    expect(status).toBe(201);
    const token = body.accessToken.token as string;
    if (usdt > 0)
      expect((await call('GET', `/debug/me/give-money?amount=${usdt}`, { token })).status).toBe(200);
    const me = await call('GET', '/user/me', { token });
    const bound = <T>(method: string, path: string, o: CallOptions = {}) =>
      call<T>(method, path, { token, ...o });
    return {
      id: me.body.id,
      username,
      token,
      refreshToken: body.refreshToken.token,
      socketToken: body.socketToken.token,
      call: bound as TestApp['call'],
    };
  };

  let approvers: Promise<[Player, Player]> | undefined;
  const twoSuperadmins = () => (approvers ??= Promise.all([as('superadmin'), as('superadmin')]));

  /** Creates a signed-in staff member with exactly these permissions. */
  const as = async (rights: 'superadmin' | { permissions: string[] }): Promise<Player> => {
    const username = `s_${randomBytes(7).toString('hex')}`;
    const body =
      rights === 'superadmin'
        ? { username, roles: ['SUPERADMIN'] }
        : { username, permissions: rights.permissions };
    const headers = { 'x-debug-token': config.DEBUG_TOKEN ?? '' };
    expect((await call('POST', '/debug/user/create', { body, headers })).status).toBe(201);
    const made = await newPlayer({ username });
    superadminsOf.set(made.token, twoSuperadmins);
    return made;
  };

  /** Throws with the findings if money, bets or nonces are inconsistent. */
  const assertInvariants = async () => {
    const report = await reconcile(services.db, { seedSecret: config.SEED_SECRET });
    const counts = (invariant: string) =>
      !(options.movesFreely && ['N6', 'N10'].includes(invariant)) &&
      !(options.skipsNonces && invariant === 'N7');
    expect(report.findings.filter(({ invariant }) => counts(invariant))).toEqual([]);
    if (options.movesFreely) return;
    const unknown = (await kindsPosted(services.db)).filter(
      (kind) => !Object.hasOwn(TYPE_OF_KIND, kind) && !kind.startsWith('test'),
    );
    expect(
      unknown,
      'kinds that the statement has no name for (modules/backoffice/accounting/rules.ts)',
    ).toEqual([]);
  };

  return {
    url,
    app,
    services,
    sockets,
    config,
    database,
    lines,
    call,
    newPlayer,
    as,
    assertInvariants,
    db: services.db as Kysely<DB>,
    sql,
    async stop() {
      if (options.reconcileOnStop !== false && options.databaseUrl === undefined) await assertInvariants();
      await sockets?.close();
      await app.close();
      await services.close();
      if (!options.database) await database.drop();
      assertNothingLeaked();
    },
  };
}

/** Superadmins by the token of the staff member. The token is the key, because a fixture returns a new object each time. */
const superadminsOf = new Map<string, () => Promise<[Player, Player]>>();

/** Returns two superadmins of the staff member's service, who approve operations that need a second person. */
export const approversOf = (staff: Player): Promise<[Player, Player]> => superadminsOf.get(staff.token)!();

/** Makes a staff call and, if it needs a second person, repeats it as a second person. */
export async function callByTwo(staff: Player, method: string, path: string, options: CallOptions = {}) {
  const first = await staff.call(method, path, options);
  if (first.body?.code !== 'APPROVAL_NEEDED') return first;
  const [approver] = await approversOf(staff);
  return approver.call(method, path, options);
}

/** A dice bet at even odds. */
export const DICE = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true } as const;

export const betOnDice = (
  player: Pick<Player, 'call'>,
  fields: object = {},
  headers: Record<string, string> = {},
) => player.call('POST', '/casino/games/house/dice/bet', { body: { ...DICE, ...fields }, headers });

/** Returns a player's cash in one currency as the API shows it. */
export async function cashOf(player: Player, currencyId = 'USDT'): Promise<string> {
  const { body } = await player.call<{ currencyId: string; amount: string }[]>('GET', '/accounting/balances');
  return body.find((b) => b.currencyId === currencyId)?.amount ?? '0';
}

/** Calls a service and searches the response for secrets. */
export async function callAt<T = any>(
  url: string,
  method: string,
  path: string,
  { token, body, headers, raw }: CallOptions = {},
): Promise<Answer<T>> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent as string }),
  });
  const text = await answer.text();
  seeAnswer(`${method} ${path}`, text, answer.headers);
  const isJson = answer.headers.get('content-type')?.includes('json');
  return {
    status: answer.status,
    text,
    body: (isJson && text ? JSON.parse(text) : undefined) as T,
    headers: answer.headers,
  };
}
