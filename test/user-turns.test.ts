import { beforeEach, expect, test } from 'vitest';
import { route } from '../src/http/route.ts';
import { type Answer, betOnDice, cashOf, type Player, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { picture, upload } from './kit/http/images.ts';
import { until } from './kit/until.ts';

const MONEY = { atOnce: 2, waiting: 3 };
const OTHER = { atOnce: 1, waiting: 2 };
const ENV = {
  USER_MONEY_AT_ONCE: String(MONEY.atOnce),
  USER_MONEY_WAITING: String(MONEY.waiting),
  USER_CALLS_AT_ONCE: String(OTHER.atOnce),
  USER_CALLS_WAITING: String(OTHER.waiting),
};

/** Calls that wait until the test releases them. `peak` is the maximum number of calls that ran concurrently. */
const held: (() => void)[] = [];
let running = 0;
let peak = 0;
const hold = async () => {
  peak = Math.max(peak, ++running);
  await new Promise<void>((resolve) => held.push(resolve));
  running--;
};
const extra = { tag: 'Test', summary: 'For the test', status: 200, handler: hold } as const;
const extraRoutes = [
  route({
    ...extra,
    method: 'POST',
    path: '/test/money',
    access: 'auth',
    gate: 'vault',
    idempotent: true,
  }),
  route({ ...extra, method: 'GET', path: '/test/other', access: 'auth' }),
  route({ ...extra, method: 'GET', path: '/test/staff', access: { permission: 'user.read' } }),
];
const money = (player: Player) => player.call('POST', '/test/money');
const other = (player: Player) => player.call('GET', '/test/other');

const app = fixture(() => startApp({ env: ENV, extraRoutes }));
beforeEach(() => {
  held.splice(0);
  peak = 0;
});

/**
 * Sends enough concurrent calls that `refused` of them are rejected. Returns the rejections, and `letGo`, which finishes the other calls
 * and returns their responses.
 */
async function flood(call: () => Promise<Answer>, { atOnce, waiting }: typeof MONEY, refused = 4) {
  const refusals: Answer[] = [];
  const others: Answer[] = [];
  const sent = Array.from({ length: atOnce + waiting + refused }, () =>
    call().then((answer) => void (answer.status === 429 ? refusals : others).push(answer)),
  );
  await until(async () => refusals.length === refused);
  expect(held).toHaveLength(atOnce);
  const letGo = async () => {
    for (let i = 0; i < atOnce + waiting; i++) {
      await until(async () => held.length > i);
      held[i]!();
    }
    await Promise.all(sent);
    expect(peak).toBe(atOnce);
    return others;
  };
  return { refusals, letGo };
}

test("runs a limited number of a player's money requests concurrently, queues some more, and rejects further ones with Retry-After", async () => {
  const player = await app.newPlayer();
  const { refusals, letGo } = await flood(() => money(player), MONEY);
  for (const { body, headers } of refusals) {
    expect(body).toMatchObject({ statusCode: 429, code: 'TOO_MANY_AT_ONCE' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await letGo()).map(({ status }) => status)).toEqual(Array(5).fill(200));
  const again = money(player);
  await until(async () => held.length === 6);
  held[5]!();
  expect((await again).status).toBe(200);
});

test("serves other players, and the player's reads and bets, while their money requests are at the limit", async () => {
  const [player, neighbour] = [await app.newPlayer({ usdt: 10 }), await app.newPlayer({ usdt: 10 })];
  const { letGo } = await flood(() => money(player), MONEY);
  const move = { body: { currencyId: 'USDT', amount: '1' } };
  expect((await neighbour.call('POST', '/accounting/to-vault', move)).status).toBe(201);
  expect((await betOnDice(player)).status).toBe(201);
  expect(await cashOf(player)).toMatch(/^\d/);
  expect((await player.call('POST', '/accounting/to-vault', move)).body.code).toBe('TOO_MANY_AT_ONCE');
  await letGo();
  expect((await player.call('POST', '/accounting/to-vault', move)).status).toBe(201);
});

test('stores no response for the idempotency key of a request that was rejected because of concurrency', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const { letGo } = await flood(() => money(player), MONEY);
  const move = {
    body: { currencyId: 'USDT', amount: '1' },
    headers: { 'idempotency-key': 'repeat-after-429' },
  };
  expect((await player.call('POST', '/accounting/to-vault', move)).status).toBe(429);
  await letGo();
  expect((await player.call('POST', '/accounting/to-vault', move)).status).toBe(201);
});

test("counts a player's reads and uploads separately, and counts staff requests too", async () => {
  const [player, staff] = [await app.newPlayer(), await app.as({ permissions: ['user.read'] })];
  const { refusals, letGo } = await flood(() => other(player), OTHER);
  expect(refusals[0]!.body.code).toBe('TOO_MANY_AT_ONCE');
  const image = await picture(20, 20).png().toBuffer();
  expect((await upload(player, image)).body.code).toBe('TOO_MANY_AT_ONCE');
  expect((await player.call('GET', '/user/me')).status).toBe(429);
  expect((await staff.call('GET', '/user/me')).status).toBe(200);
  await letGo();
  expect((await upload(player, image)).status).toBe(200);
  held.splice(0);
  peak = 0;
  const ofStaff = await flood(() => staff.call('GET', '/test/staff'), OTHER);
  expect(ofStaff.refusals[0]!.body.code).toBe('TOO_MANY_AT_ONCE');
  await ofStaff.letGo();
});

test('rejects a queued request when its session ends in the meantime', async () => {
  const player = await app.newPlayer();
  const first = other(player);
  await until(async () => held.length === 1);
  const answers: Answer[] = [];
  const waited = Array.from({ length: OTHER.waiting + 1 }, () =>
    player.call('GET', '/user/me').then((answer) => void answers.push(answer)),
  );
  // As soon as one of the calls has been rejected, all others are waiting.
  await until(async () => answers.length === 1);
  expect(answers[0]!.status).toBe(429);
  await app.db
    .updateTable('sessions')
    .set({ revoked_at: new Date() })
    .where('user_id', '=', player.id)
    .execute();
  await app.sql`select pg_notify('access_changed', ${`user:${player.id}`})`.execute(app.db);
  await until(async () => (await other(player)).status === 401);
  held[0]!();
  expect((await first).status).toBe(200);
  await Promise.all(waited);
  expect(answers.slice(1).map(({ status }) => status)).toEqual([401, 401]);
});
