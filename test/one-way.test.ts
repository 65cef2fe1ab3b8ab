/** Tests that the API is consistent about estimated totals, multipliers of lost bets, sort keys, pictures and progress. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mainRoutes } from '../src/app/apps.ts';
import { openApi } from '../src/http/docs/openapi.ts';
import { userAdminErrors } from '../src/modules/backoffice/user-admin/schemas.ts';
import { listErrors } from '../src/platform/errors.ts';
import { units } from '../src/platform/money.ts';
import { betOnDice, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { betOn, HOUSE_BETS } from './kit/games/house.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));
const boss = fixture(() => app.as('superadmin'));

const BOUNDED = new Set<unknown>([
  ...Object.values(listErrors).filter((error) => error !== listErrors.SORT_TOO_LONG),
  userAdminErrors.PAGE_TOO_DEEP,
]);

test('declares whether the total is exact for every list that may reject a page', () => {
  const lists = mainRoutes(app.services).filter(
    ({ response }) => response instanceof z.ZodObject && 'totalPages' in response.shape,
  );
  const bounded = lists.filter(({ errors }) => errors?.some((error) => BOUNDED.has(error)));
  expect(bounded.length).toBeGreaterThan(8);
  const silent = bounded.filter(({ response }) => !('totalIsExact' in (response as z.ZodObject).shape));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('shows multiplier 0 for a lost bet in every response', async () => {
  const player = await app.newPlayer({ usdt: 500 });
  for (const game of ['dice', 'limbo', 'keno', 'plinko', 'roulette'] as const) {
    let lost: any;
    for (let tries = 0; tries < 200 && !lost; tries++) {
      const { body, status } = await betOn(player, game, { windowId: 'tab' });
      expect(status).toBe(201);
      if (body.payout === '0') lost = body;
    }
    if (!lost) continue;
    expect(lost.multiplier, game).toBe(0);
    const { body: info } = await player.call('GET', `/bets/house-games/info/${lost.betId}`);
    expect(info.windowId).toBe('tab');
    expect([info.game.multiplier, info.game.outcome.multiplier], game).toEqual([0, 0]);
    const { body: live } = await player.call('GET', '/live-bets/my?count=20');
    const shown = live.find(({ id }: any) => id === lost.betId);
    expect([shown.multiplier, shown.windowId], game).toEqual([0, 'tab']);
  }
  const { body: series } = await player.call('POST', '/casino/games/house/dice/series', {
    body: { ...HOUSE_BETS.dice, count: 50 },
  });
  const results: any[] = series.bets ?? series.results;
  expect(results.length).toBe(50);
  const lists = [
    results,
    (await player.call('GET', '/bets')).body.data,
    (await boss.call('POST', '/admin/bets', { body: { where: { userId: player.id } } })).body.data,
    (await app.call('GET', '/live-bets?type=ALL&count=20', { token: player.token })).body,
  ];
  for (const bets of lists)
    for (const bet of bets) if (Number(bet.payout) === 0) expect(bet.multiplier, JSON.stringify(bet)).toBe(0);
});

test('returns the multiplier that dice and limbo offered, even when the bet lost', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const { body: dice } = await betOnDice(player);
  expect(dice).toMatchObject({ offeredMultiplier: 1.98, multiplier: dice.didWin ? 1.98 : 0 });
  const { body: limbo } = await betOn(player, 'limbo', { multiplier: 3 });
  expect(limbo).toMatchObject({ offeredMultiplier: 3, multiplier: limbo.payout === '0' ? 0 : 3 });
});

test('sorts bets and favourites by keys in camel case and by their older spellings', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  for (const betAmount of ['3', '1', '2']) await betOnDice(player, { betAmount });
  const amounts = async (sortBy: string) => {
    const { body, status } = await player.call('GET', `/bets?sortBy=${sortBy}&sortOrder=asc`);
    expect(status).toBe(200);
    return body.data.map(({ amount }: any) => amount);
  };
  expect(await amounts('usdAmount')).toEqual(['1', '2', '3']);
  expect(await amounts('USD_AMOUNT')).toEqual(['1', '2', '3']);
  expect(await amounts('createdAt')).toEqual(await amounts('CREATED_AT'));
  for (const sortBy of ['createdAt', 'CREATED_AT', 'name', 'NAME'])
    expect((await player.call('GET', `/casino/games/favorite?sortBy=${sortBy}`)).status).toBe(200);
  expect((await player.call('GET', '/bets?sortBy=amount')).body.code).toBe('VALIDATION_FAILED');
});

test("returns a user's VIP progress as exp, and null as the last sign-in of a user who has never signed in", async () => {
  const player = await app.newPlayer();
  await app.db
    .insertInto('vip_progress')
    .values({ user_id: player.id, wagered_usd: String(units('12.5')) })
    .execute();
  await app.db.updateTable('users').set({ last_login_at: null }).where('id', '=', player.id).execute();
  const { body } = await boss.call('GET', `/admin/user/${player.id}`);
  expect([body.exp, body.lastLoginAt]).toEqual(['12.5', null]);
});

test('serves house game artwork as a cacheable file', async () => {
  const player = await app.newPlayer();
  const { body } = await player.call('GET', '/casino/games?category=HOUSE_GAME&take=30');
  expect(body.data.length).toBe(9);
  for (const { slug, images } of body.data) {
    expect(images, slug).toEqual([`/art/tile-${slug}.svg`]);
    const picture = await app.call('GET', images[0]);
    expect([picture.status, picture.headers.get('content-type')], slug).toEqual([200, 'image/svg+xml']);
    expect(picture.headers.get('cache-control')).toContain('max-age=');
    const headers = { 'if-none-match': picture.headers.get('etag')! };
    expect((await app.call('GET', images[0], { headers })).status).toBe(304);
  }
  expect((await app.call('GET', '/art/LICENSE')).status).toBe(404);
});

test('marks the operation that the specification calls obsolete as deprecated', () => {
  const document = openApi({ title: '', description: '', tags: {} }, mainRoutes(app.services));
  const deprecated = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((one) => (one.deprecated ? [path] : [])),
  );
  expect(deprecated).toEqual(['/admin/casino/games/hydrate']);
});
