import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureOf } from '../../src/modules/base/webhooks/signature.ts';
import { firstIdOf, monthOfId } from '../../src/modules/money/ledger/rules.ts';
import { readParts } from '../../src/modules/operations/partitions/queries.ts';
import { monthOf } from '../../src/modules/operations/partitions/rules.ts';
import { endedLeaderboard, problemsOf } from '../crash/leaderboard.ts';
import { createPlayers, type LoadPlayer } from '../crash/load.ts';
import { code } from '../kit/accounts/totp.ts';
import { connectSocket } from '../kit/http/sockets.ts';
import { DEPOSIT_HOOK, webhookOf } from '../kit/money/deposits.ts';
import { expectNothingLost, newName, type Platform, startPlatform, tellOnFailure } from './platform.ts';

const MINUTE = 60_000;
const ANOTHER_TIME = new URL('../kit/another-time.ts', import.meta.url).href;
const clock = (part: 'api' | 'realtime' | 'worker', shiftMs: number, env: Record<string, string> = {}) => ({
  part,
  imports: [ANOTHER_TIME],
  env: { CLOCK_SHIFT_MS: String(shiftMs), ...env },
});
const TOKEN_SECONDS = 12;

/**
 * Processes with a correct clock, wrong clocks, a clock that is set back while running, and a clock in the repeated hour of a DST change.
 */
const PARTS = [
  'api' as const,
  clock('api', 10 * MINUTE),
  clock('api', -10 * MINUTE),
  clock('api', 400 * 24 * 60 * MINUTE, { TZ: 'Europe/Berlin' }),
  clock('api', 0, {
    CLOCK_STEP_MS: String(-5 * MINUTE),
    CLOCK_STEP_AFTER_MS: '12000',
    TZ: 'America/New_York',
  }),
  clock('realtime', 10 * MINUTE),
  clock('worker', -10 * MINUTE),
  clock('worker', 400 * 24 * 60 * MINUTE),
];

let platform: Platform;
let apis: string[];
let player: LoadPlayer;
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({
    parts: PARTS,
    settings: {
      ACCESS_TOKEN_SECONDS: String(TOKEN_SECONDS),
      RATE_REFRESH_SECONDS: '1',
      BETS_KEEP_MONTHS: '2',
      LEDGER_KEEP_MONTHS: '2',
    },
  });
  apis = platform.cluster.names.filter((name) => name.startsWith('api'));
  [player] = (await createPlayers(platform.cluster.urlOf('api-1'), [100_000])) as [LoadPlayer];
}, 120_000);
afterAll(() => platform?.stop());

const at: Platform['at'] = (...asked) => platform.at(...asked);

/** Sends the same request to every API. */
const all = <T>(ask: (name: string) => Promise<T>): Promise<T[]> => Promise.all(apis.map(ask));
const every = <T>(value: T): T[] => apis.map(() => value);

const signInAt = async (name: string, username: string) => {
  const { body } = await at(name, 'POST', `/debug/auth/login/${username}`);
  return body as { accessToken: { token: string; expiresAt: string } };
};

test('accepts a token on every process until the token expires, and on none a second later', async () => {
  const askedAt = Date.now();
  const tokens = await all((name) => signInAt(name, `clock_${name.replace('-', '_')}`));
  const signedAt = Date.now();
  for (const { accessToken } of tokens) {
    const signed = Date.parse(accessToken.expiresAt) - TOKEN_SECONDS * 1000;
    // The times in the token match the database clock to the second.
    expect(signed).toBeGreaterThan(askedAt - 2000);
    expect(signed).toBeLessThan(signedAt + 1000);
    const statuses = await all((name) => at(name, 'GET', '/user/me', accessToken));
    expect(statuses.map(({ status }) => status)).toEqual(every(200));
  }
  const ends = Math.max(...tokens.map(({ accessToken }) => Date.parse(accessToken.expiresAt)));
  await sleep(ends - Date.now() + 1500);
  for (const { accessToken } of tokens) {
    const statuses = await all((name) => at(name, 'GET', '/user/me', accessToken));
    expect(statuses.map(({ status }) => status)).toEqual(every(401));
  }
}, 60_000);

test("uses the database clock for the times and order of all processes' bets", async () => {
  const { accessToken } = await signInAt('api-1', 'clock_player');
  await at('api-1', 'GET', '/debug/me/give-money?amount=1000', accessToken);
  const body = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  const dated: string[] = [];
  for (const name of apis) {
    const reply = await at(name, 'POST', '/casino/games/house/dice/bet', { ...accessToken, body });
    expect(reply.status, `${name}: ${JSON.stringify(reply.body)}`).toBe(201);
    dated.push(reply.body.createdAt);
    // All processes agree that a stored exchange rate is fresh.
    const rates = (await at(name, 'GET', '/exchange-rates')).body as { currencyId: string; stale: boolean }[];
    expect(rates.filter(({ stale }) => stale).map(({ currencyId }) => currencyId)).toEqual([]);
  }
  expect(dated).toEqual(dated.toSorted((a, b) => Date.parse(a) - Date.parse(b)));
  expect(Math.abs(Date.parse(dated.at(-1)!) - Date.now())).toBeLessThan(5000);
}, 60_000);

test('uses the database clock for the times of socket events and snapshots', async () => {
  const { body } = await at('api-1', 'POST', '/debug/auth/login/clock_listener');
  const token = body.accessToken.token as string;
  const { until, ask, heard, close } = await connectSocket(platform.cluster.urlOf('realtime'), {
    auth: { socket_token: body.socketToken.token },
  });
  await at('api-1', 'GET', '/debug/me/give-money?amount=10', { token });
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  await at('api-1', 'POST', '/casino/games/house/dice/bet', { token, body: bet });
  await until('bet.settled');
  await until('balance.updated', ({ data }) => data.version > 1);
  const dates = [...heard.map((frame) => frame.at), (await ask('ping')).at as string];
  expect(dates.length).toBeGreaterThanOrEqual(4);
  for (const date of dates) expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(5000);
  close();
}, 60_000);

test('accepts a current webhook on every process, and rejects one that is ten minutes early or late', async () => {
  const secret = 'sandbox-payment-webhook-secret';
  const tell = (shiftMs: number) => async (name: string) => {
    const body = webhookOf('TNobodyHasThisAddress', { externalId: randomBytes(8).toString('hex') });
    const signature = signatureOf(JSON.stringify(body), secret, Math.floor((Date.now() + shiftMs) / 1000));
    return (await at(name, 'POST', DEPOSIT_HOOK, { body, headers: { 'x-signature': signature } })).status;
  };
  expect(await all(tell(0))).toEqual(every(200));
  expect(await all(tell(-10 * MINUTE))).toEqual(every(401));
  expect(await all(tell(10 * MINUTE))).toEqual(every(401));
});

test('accepts a current second-factor code on every process (RFC 6238)', async () => {
  const answers = await all(async (name) => {
    const { accessToken } = await signInAt(name, `factor_${name.replace('-', '_')}`);
    const { secret } = (await at(name, 'GET', '/user/generate-2fa', accessToken)).body as { secret: string };
    const enable = async (when: number) => {
      const body = { mfaCode: code(secret, when) };
      return (await at(name, 'POST', '/user/enable-2fa', { ...accessToken, body })).status;
    };
    return [
      await enable(Date.now() - 10 * MINUTE),
      await enable(Date.now() + 10 * MINUTE),
      await enable(Date.now()),
    ];
  });
  expect(answers).toEqual(every([400, 400, 201]));
});

test('ends a leaderboard once by the database clock, with one set of ranks and one payment', async () => {
  const [winner] = (await createPlayers(platform.cluster.urlOf('api-1'), [1])) as [LoadPlayer];
  const boss = newName('boss');
  const made = await at('api-2', 'POST', '/admin/leaderboards', {
    ...(await platform.signIn(boss, { roles: ['SUPERADMIN'] })),
    body: {
      name: 'Until tomorrow',
      description: '',
      endDate: new Date(Date.now() + 24 * 60 * MINUTE).toISOString(),
      currencyId: 'USDT',
      prizes: [{ place: 1, usdAmount: '10' }],
    },
  });
  expect([made.status, made.body.status]).toEqual([201, 'ACTIVE']);
  const ended = await platform.onDb((db) => endedLeaderboard(db, winner.id));
  const statusOf = async () => (await at('api-1', 'GET', `/leaderboards/${ended}`)).body.status;
  await expect.poll(statusOf, { timeout: 30_000 }).toBe('AWAITING_PAYOUT');
  const body = { leaderboardId: String(ended), userId: winner.id, currency: 'USDT' };
  const { token } = await platform.signIn(boss);
  const answers = await all((name) => at(name, 'POST', '/admin/leaderboards/give-prize', { token, body }));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ body }) => body.code)).toEqual(every('LEADERBOARD_PRIZE_PAID').slice(1));
  expect(await platform.onDb((db) => problemsOf(db, ended, winner.id))).toEqual([]);
  const shown = await all((name) => at(name, 'GET', `/leaderboards/${made.body.id}`));
  expect(shown.map(({ body }) => body.status)).toEqual(every('ACTIVE'));
  // According to the database clock, the leaderboard begins now, regardless of the machine that created it.
  expect(Math.abs(Date.parse(made.body.startDate) - Date.now())).toBeLessThan(5000 + MINUTE);
}, 120_000);

test("uses the database clock for the times and order of the workers' rows", async () => {
  await platform.onDb(async (db) => {
    const { rows: rates } = await sql<{ age: number }>`
      select extract(epoch from clock_timestamp() - max(updated_at))::float8 as age from exchange_rates`.execute(
      db,
    );
    expect(Math.abs(rates[0]!.age)).toBeLessThan(20);
    const { rows: sessions } = await sql`
      select id from sessions where abs(extract(epoch from clock_timestamp() - last_used_at)) > 300
        or abs(extract(epoch from expires_at - created_at) - 86400 * 30) > 60`.execute(db);
    expect(sessions).toEqual([]);
    const { rows: disorder } = await sql`
      select id from (select id, created_at, lag(created_at) over (order by id) as before from bets) b
      where created_at < before`.execute(db);
    expect(disorder).toEqual([]);
  });
  await expectNothingLost(platform, [], [player]);
});

test("uses the database's time for ids and months, however far ahead a process's clock is", async () => {
  await platform.onDb(async (db) => {
    const { rows } = await sql<{ lastId: bigint; now: Date }>`
      select last_value as "lastId", now() as now from ledger_ids`.execute(db);
    expect(monthOfId(rows[0]!.lastId)).toBe(monthOf(rows[0]!.now));
    const parts = await readParts(db);
    expect(parts.filter(({ state }) => state !== 'attached')).toEqual([]);
    const below = firstIdOf(monthOf(rows[0]!.now) + 3);
    expect(parts.filter((part) => part.below > below)).toEqual([]);
  });
});
