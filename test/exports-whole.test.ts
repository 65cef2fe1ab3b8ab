/** Tests that exports are complete: each contains every row of its list once, as of one point in time, even while rows are written. */
import { request } from 'node:http';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mainRoutes } from '../src/app/apps.ts';
import type { Permission } from '../src/http/access.ts';
import { listPlace } from '../src/http/content/csv.ts';
import { route } from '../src/http/route.ts';
import { PageNumber, page, take } from '../src/http/schemas.ts';
import { betOnDice, PATIENCE, type Player, startApp, type TestApp } from './kit/app.ts';
import { CASH, newCodes, newPromo } from './kit/engagement/promo.ts';
import { fixture } from './kit/fixture.ts';
import { meanwhile } from './kit/meanwhile.ts';
import { until } from './kit/until.ts';

const ROWS_AT_ONCE = 3;
const SLEEP = 'select pg_sleep(30) /* an export that takes long */';

const slow = route({
  method: 'GET',
  path: '/slow-rows',
  tag: 'Test',
  access: { permission: 'audit.read' as Permission },
  summary: 'Rows whose second page is slow',
  query: z.strictObject({ page: PageNumber, take: take(100) }),
  response: page(z.object({ id: z.number() })),
  handler: async ({ query }) => {
    if (query.page > 1) await sql.raw(SLEEP).execute(app.db);
    const data = Array.from({ length: query.take }, (_, id) => ({ id }));
    return { data, take: query.take, page: query.page, total: 1000, totalPages: 1000 };
  },
});

const app = fixture(() =>
  startApp({
    env: { ...PATIENCE, EXPORT_ROWS_AT_ONCE: String(ROWS_AT_ONCE), EXPORTS_AT_ONCE: '2' },
    extraRoutes: [slow],
    reconcileOnStop: false,
  }),
);
const boss = fixture(() => app.as('superadmin'));
const ids = fixture(() => seed(app, boss));

type Sent = {
  status: number;
  text: string;
  headers: Record<string, unknown>;
  trailers: Record<string, unknown>;
};

/** Returns a response with its trailers, which `fetch` does not expose. */
function send(method: string, path: string, body?: object, url = app.url): Promise<Sent> {
  const type = body && { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${boss.token}`, accept: 'text/csv', ...type };
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { method, headers });
    sending.on('error', reject);
    sending.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          text: Buffer.concat(chunks).toString(),
          headers: response.headers,
          trailers: response.trailers,
        }),
      );
    });
    sending.end(body && JSON.stringify(body));
  });
}

/** Query parameters that some lists require. */
const USERS = {
  withPermissions: true,
  withRoles: true,
  withNotes: true,
  withBalance: true,
  withStatsUsd: true,
};
const BODIES: Readonly<Record<string, object>> = {
  '/admin/user/all': { sortBy: 'createdAt', sortOrder: 'desc', ...USERS },
  '/admin/accounting/transactions': { page: 1, take: 20, sortBy: 'createdAt', sortOrder: 'desc' },
  '/admin/bets': { sortBy: 'CREATED_AT', sortOrder: 'desc' },
  '/admin/affiliate/users': { where: {} },
};
const QUERIES: Readonly<Record<string, string>> = {
  '/admin/bot-activity/all': '?isActive=true',
  '/admin/country': '?sortOrder=asc',
  '/admin/challenge': '?sortBy=createdAt&sortOrder=desc',
  '/admin/user/stats/transactions': '?transactionType=DEPOSIT',
};

/** Lists for which this file creates no more rows than one read returns. */
const SHORT = new Set([
  '/admin/payments/deposit',
  '/admin/payments/deposit/review',
  '/admin/payments/withdraw',
  '/admin/casino/games/commission',
  '/admin/challenge/{id}/bets',
  '/admin/leaderboards',
  '/admin/leaderboards/{leaderboardId}/users',
  '/admin/bot-activity/all',
  '/admin/affiliate/users',
  '/admin/affiliate/streamer/referrals',
]);

test('exports every row of every list once while rows are written', async () => {
  const { promoId, challengeId, players } = ids;
  const lists = mainRoutes(app.services).filter((r) => listPlace(r));
  expect(lists.length).toBeGreaterThan(25);
  const short: string[] = [];
  for (const { method, path } of lists) {
    if (path.includes('{leaderboardId}')) continue;
    const at = path.replace('{id}', path.includes('promo') ? promoId : challengeId);
    const url = at + (QUERIES[path] ?? '');
    const body = method === 'POST' ? (BODIES[path] ?? {}) : undefined;
    const before = (await boss.call(method, url, { ...(body && { body }) })).body;
    const exported = await meanwhile(
      () => send(method, url, body),
      [() => betOnDice(players[0]!, { betAmount: '0.01' }), () => app.newPlayer(), () => note(players[1]!)],
    );
    expect(exported.status, `${path} ${exported.text}`).toBe(200);
    const [head, ...lines] = exported.text.split('\r\n').slice(0, -1);
    expect(head!.startsWith('\uFEFF'), path).toBe(true);
    expect(new Set(lines).size, `${path} has rows twice`).toBe(lines.length);
    expect(lines.length, path).toBeGreaterThanOrEqual(before.total);
    expect(Number(exported.trailers['x-row-count']), path).toBe(lines.length);
    const announced = exported.headers['x-row-count'];
    if (announced !== undefined) expect(Number(announced), path).toBe(lines.length);
    if (lines.length <= ROWS_AT_ONCE) short.push(path);
  }
  expect(short.filter((path) => !SHORT.has(path))).toEqual([]);
}, 300_000);

const note = (player: Player) =>
  boss.call('POST', '/admin/user-notes', { body: { userId: player.id, note: 'seen', riskLevel: 'LOW' } });

test('sorts a whole export by amount', async () => {
  const { players } = ids;
  const body = { sortBy: 'USD_AMOUNT', sortOrder: 'asc', where: { userId: players[0]!.id } };
  const { text } = await send('POST', '/admin/bets', body);
  const [head, ...lines] = text.replace('\uFEFF', '').split('\r\n').slice(0, -1);
  const column = head!.split(',').indexOf('usdAmount');
  const amounts = lines.map((line) => Number(line.split(',')[column]));
  expect(amounts.length).toBeGreaterThan(ROWS_AT_ONCE);
  expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
});

test('exports more rows than can be read page by page', async () => {
  const { promoId } = ids;
  await sql`insert into promo_codes (promo_id, code, key, kind, max_uses)
    select promo_id, 'LONG' || n, 'long' || n, kind, max_uses
    from (select * from promo_codes where promo_id = ${promoId} limit 1) code, generate_series(1, 10100) n`.execute(
    app.db,
  );
  const page = await boss.call('GET', `/admin/promo/${promoId}/codes`);
  expect(page.body).toMatchObject({ total: 10_000, totalIsExact: false });
  const other = await startApp({ env: PATIENCE, database: app.database, reconcileOnStop: false });
  const { text, trailers } = await send('GET', `/admin/promo/${promoId}/codes`, undefined, other.url);
  await other.stop();
  expect(text.split('\r\n').length - 2).toBeGreaterThanOrEqual(10_100);
  expect(trailers['x-row-count']).toBe(String(text.split('\r\n').length - 2));
}, 120_000);

test('omits the byte-order mark on request, and rejects invalid values of the parameter', async () => {
  expect((await send('GET', '/admin/casino/games/providers?bom=false')).text).toMatch(/^[a-z]/i);
  const wrong = await send('GET', '/admin/casino/games/providers?bom=no');
  expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([400, 'VALIDATION_FAILED']);
});

test('records the number of exported rows in the audit log', async () => {
  await send('GET', '/admin/country?sortOrder=asc');
  const { body } = await boss.call('GET', '/admin/user/admin-audit?take=20');
  const [end] = body.data.filter((row: any) => row.path === '/admin/country (CSV)');
  expect(end.after).toMatchObject({ isWhole: true });
  expect(end.after.rows).toBeGreaterThan(100);
});

const running = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%an export that takes long%'
      and pid <> pg_backend_pid()`.execute(app.db);
  return rows[0]!.n;
};

test('cancels the query when the client disconnects, and limits concurrent exports', async () => {
  const headers = { authorization: `Bearer ${boss.token}`, accept: 'text/csv' };
  const open = () => {
    const sending = request(`${app.url}/slow-rows`, { headers });
    sending.on('error', () => {});
    sending.on('response', (response) => response.on('error', () => {}).resume());
    sending.end();
    return sending;
  };
  const clients = [open(), open()];
  await until(async () => (await running()) === 2);
  const third = await send('GET', '/slow-rows');
  expect([third.status, JSON.parse(third.text).code]).toEqual([429, 'TOO_MANY_AT_ONCE']);
  for (const client of clients) client.destroy();
  await until(async () => (await running()) === 0);
  const { body } = await boss.call('GET', '/admin/user/admin-audit?take=10');
  const ends = body.data.filter((row: any) => row.after?.isWhole === false);
  expect(ends.length).toBe(2);
  expect((await send('GET', '/admin/country?sortOrder=asc')).status).toBe(200);
}, 60_000);

async function seed(app: TestApp, boss: Player) {
  const players: Player[] = [];
  while (players.length < 7) players.push(await app.newPlayer({ usdt: 50 }));
  for (const [i, player] of players.entries()) {
    await betOnDice(player, { betAmount: String(1 + i) });
    await note(player);
  }
  for (let i = 0; i < 5; i++) await betOnDice(players[0]!, { betAmount: String(3 - i / 2) });
  for (let i = 0; i < 4; i++) await app.as({ permissions: ['audit.read'] });
  const staff = await app.as('superadmin');
  const promoId = await newPromo(staff, { ...CASH, type: 'CODE' });
  for (let i = 0; i < 4; i++) await newPromo(staff);
  await newCodes(staff, promoId, { kind: 'ONE_TIME', count: 7 });
  const userIds = players.map(({ id }) => id);
  const manual = await newPromo(staff, { type: 'MANUAL' });
  const granted = await staff.call('POST', `/admin/promo/${manual}/grant`, {
    body: { userIds, reason: 'a test' },
  });
  expect(granted.status, granted.text).toBe(201);
  let challengeId = '';
  for (let i = 0; i < 4; i++) {
    const body = {
      gameSlug: 'dice',
      minBetAmountUsd: '1',
      minBetMultiplier: 1,
      rewardCurrency: 'USDT',
      rewardAmount: '5',
      isHidden: false,
    };
    challengeId = (await boss.call('PUT', '/admin/challenge', { body })).body.id;
  }
  for (const { id } of players) await rowsAbout(app, id, boss.id);
  return { players, promoId, challengeId };
}

/** Rows for lists whose operations are too complex for an export test. */
async function rowsAbout({ db }: TestApp, userId: number, staffId: number): Promise<void> {
  await sql`insert into admin_tips (sender_id, recipient_id, currency_id, amount, usd_amount, kind, notes)
    values (${staffId}, ${userId}, 'USDT', 1, 1, 'TIP', 'a test')`.execute(db);
  await sql`insert into affiliates (user_id) values (${userId}) on conflict do nothing`.execute(db);
  await sql`insert into affiliate_codes (user_id, code, key) values (${userId}, ${`C${userId}`}, ${`c${userId}`})`.execute(
    db,
  );
  await sql`update users set is_streamer = true where id = ${userId}`.execute(db);
  await sql`insert into kyc_tiers (user_id, tier, status, as_of) values (${userId}, 'BASIC', 'PENDING', now())`.execute(
    db,
  );
  await sql`insert into payment_stats (kind, period, period_start, user_id, usd_amount, payments, last_at)
    values ('DEPOSIT', 'ALL', '-infinity', ${userId}, ${userId}, 1, now())`.execute(db);
  await sql`insert into provider_findings (provider_id, kind, subject, facts, user_id)
    select id, 'TEST', ${String(userId)}, '{}', ${userId} from game_providers limit 1`.execute(db);
  await sql`insert into vip_applications (id, user_id, platform_name, platform_username, total_wagered_usd, rank, contact_method, contact_username)
    values (gen_random_uuid(), ${userId}, 'Other', 'high', 1, 'Gold', 'TELEGRAM', '@high')`.execute(db);
}
