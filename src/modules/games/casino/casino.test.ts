/** The catalogue that players see: its contents, its order, and how quickly changes appear. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  changeGame,
  manyGames,
  newGame,
  newGames,
  newProvider,
} from '../../../../test/kit/games/catalogue.ts';
import { transaction } from '../../../platform/database/db.ts';
import { fold } from './rules.ts';

const env = { BRAND_NAME: 'Goldmine', TRUSTED_PROXIES: '127.0.0.1/32' };
const app = fixture(() => startApp({ env }));
const player = fixture(() => app.newPlayer({ usdt: 10 }));
const provider = fixture(() => newProvider(app, { name: 'Fruit Works', slug: 'fruit-works' }));

const get = async (
  path: string,
  { who = player, headers = {} }: { who?: Player; headers?: Record<string, string> } = {},
) => {
  const answer = await who.call('GET', `/casino/games${path}`, { headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const slugsOf = ({ data }: { data: { slug: string }[] }) => data.map(({ slug }) => slug);
/** An IP address in Germany. */
const GERMAN = { 'x-forwarded-for': '85.214.132.117' };
const MAIN = ['HOUSE_GAME', 'SLOTS', 'ROULETTE', 'GAME_SHOWS', 'NEW_RELEASES'];

describe('the visible catalogue', () => {
  test('lists house games with the brand and provider games with their provider, including every field', async () => {
    const { data, total } = await get('?providerId=0&sortBy=name&sortOrder=asc&take=30');
    expect([data.length, total]).toEqual([9, 9]);
    expect(data.find((game: { slug: string }) => game.slug === 'dice')).toEqual({
      categories: ['HOUSE_GAME'],
      id: expect.any(Number),
      addedAt: expect.stringMatching(/Z$/),
      lastPlayedAt: null,
      type: 'HOUSE_GAME',
      slug: 'dice',
      name: expect.any(String),
      images: ['/art/tile-dice.svg'],
      info: { rtp: 99 },
      provider: { id: 0, name: 'Goldmine', slug: 'house', images: [] },
      isFavorite: false,
    });
    const facts = {
      description: 'Fruits.',
      rtp: 96.5,
      volatility: 'HIGH',
      maxWinMultiplier: 500,
      hasDemo: true,
    };
    const { slug } = await newGame(app, {
      provider_id: provider.id,
      facts: JSON.stringify(facts),
      images: ['/original.webp'],
      custom_images: ['/custom.webp'],
    });
    const shown = await get(`/${slug}`);
    expect(shown.info).toEqual({ ...facts, minBetUsd: null, maxBetUsd: null, hasFreeSpins: false });
    expect(shown).toMatchObject({ images: ['/custom.webp'], provider: { name: 'Fruit Works' } });
    expect((await get('/dice')).info).toMatchObject({ rtp: 99, minBetUsd: '0.01', hasDemo: false });
  });

  test("shows the RTP set by staff instead of the supplier's RTP", async () => {
    const facts = JSON.stringify({ rtp: 96.5 });
    const { id, slug } = await newGame(app, { provider_id: provider.id, facts });
    expect((await get(`/${slug}`)).info.rtp).toBe(96.5);
    await changeGame(app, id, { staff_rtp: '94.25' });
    expect((await get(`/${slug}`)).info.rtp).toBe(94.25);
  });

  test.each([
    ['is stopped', { enabled: false }, { enabled: true }],
    ['is in no list of its provider any more', { removed_at: new Date() }, { removed_at: null }],
  ])('hides a game that %s, and shows it again afterwards', async (_, hidden, back) => {
    const { id, slug } = await newGame(app, { provider_id: provider.id });
    expect((await player.call('POST', `/casino/games/favorite/${slug}`)).status).toBe(201);
    const seen = async () => [
      (await player.call('GET', `/casino/games/${slug}`)).status,
      slugsOf(await get(`?name=${slug}`)).includes(slug),
      (await get('/main')).NEW_RELEASES.some((game: { slug: string }) => game.slug === slug),
      slugsOf(await get('/favorite')).includes(slug),
    ];
    expect(await seen()).toEqual([200, true, true, true]);
    await changeGame(app, id, hidden);
    expect(await seen()).toEqual([404, false, false, false]);
    expect(codeOf(await player.call('POST', `/casino/games/favorite/${slug}`))).toBe('404 GAME_NOT_FOUND');
    await changeGame(app, id, back);
    expect(await seen()).toEqual([200, true, true, true]);
    expect((await player.call('DELETE', `/casino/games/favorite/${slug}`)).status).toBe(200);
  });

  test('hides a disabled provider and its games', async () => {
    const other = await newProvider(app);
    const { slug } = await newGame(app, { provider_id: other.id });
    const set = async (enabled: boolean) => {
      await app.db.updateTable('game_providers').set({ enabled }).where('id', '=', other.id).execute();
      await app.services.catalogue.state.reload();
      return [
        (await player.call('GET', `/casino/games/${slug}`)).status,
        slugsOf(await get('/providers?take=30')).includes(other.slug),
      ];
    };
    expect(await set(false)).toEqual([404, false]);
    expect(await set(true)).toEqual([200, true]);
  });

  test('hides a game in countries where it or its provider is blocked', async () => {
    const blocked = await newProvider(app, { blocked_countries: ['DE'] });
    const [own, others] = [
      await newGame(app, { provider_id: provider.id, blocked_countries: ['DE', 'AT'] }),
      await newGame(app, { provider_id: blocked.id }),
    ];
    for (const { slug } of [own, others]) {
      expect((await player.call('GET', `/casino/games/${slug}`)).status).toBe(200);
      const answer = await player.call('GET', `/casino/games/${slug}`, { headers: GERMAN });
      expect(codeOf(answer)).toBe('404 GAME_NOT_FOUND');
      expect(slugsOf(await get(`?name=${slug}`))).toEqual([slug]);
      expect(slugsOf(await get(`?name=${slug}`, { headers: GERMAN }))).toEqual([]);
    }
    expect(slugsOf(await get('/providers?take=30'))).toContain(blocked.slug);
    expect(slugsOf(await get('/providers?take=30', { headers: GERMAN }))).not.toContain(blocked.slug);
    expect((await get('', { headers: GERMAN })).total).toBe((await get('')).total - 2);
  });
});

describe('lists', () => {
  const letters = ['a', 'B', 'é', 'z', '1'];
  const made: { id: number; slug: string }[] = [];
  const lists = fixture(() => newProvider(app, { slug: 'lists' }));
  beforeAll(async () => {
    // Many games have the same name and creation time.
    const games = Array.from({ length: 47 }, (_, i) => ({
      provider_id: lists.id,
      name: `${letters[i % letters.length]} ${i % 4}`,
      categories: i % 3 ? ['SLOTS', 'CRASH'] : ['LIVE'],
      added_at: new Date(Date.UTC(2026, 0, 1 + (i % 5))),
    }));
    made.push(...(await newGames(app, games)));
  });

  test('lists every game once in every sort order, page size and direction', async () => {
    const orders = ['name', 'addedAt', 'default', 'popular', 'lastPlayed', 'random'] as const;
    const asked = fc.record({
      sortBy: fc.constantFrom(...orders),
      sortOrder: fc.constantFrom('asc', 'desc'),
      take: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ sortBy, sortOrder, take }) => {
        const query = `?providerId=${lists.id}&sortBy=${sortBy}&sortOrder=${sortOrder}&take=${take}`;
        const all: any[] = [];
        for (let page = 1; page <= Math.ceil(made.length / take) + 1; page++) {
          const { data, total, totalPages } = await get(`${query}&page=${page}`);
          expect([total, totalPages]).toEqual([made.length, Math.ceil(made.length / take)]);
          all.push(...data);
        }
        const ids = all.map(({ id }) => id);
        expect(ids.toSorted((a, b) => a - b)).toEqual(made.map(({ id }) => id));
        const keys = all.map((game) => (sortBy === 'name' ? fold(game.name) : Date.parse(game.addedAt)));
        if (sortBy === 'name' || sortBy === 'addedAt') {
          const sign = sortOrder === 'asc' ? 1 : -1;
          const sorted = keys.toSorted((a, b) => sign * (Number(a > b) - Number(a < b)));
          expect(keys).toEqual(sorted);
        }
      }),
      { numRuns: 25, seed: 1 },
    );
    expect(slugsOf(await get(`?providerId=${lists.id}&page=9007199254740991`))).toEqual([]);
  });

  test('filters games by category, type and part of the name, ignoring case and accents', async () => {
    const all = `?providerId=${lists.id}&take=30`;
    expect((await get(`${all}&category=CRASH`)).total).toBe(31);
    expect((await get(`${all}&category=FISHING`)).total).toBe(0);
    expect((await get(`${all}&type=SLOTS`)).total).toBe(47);
    expect((await get(`${all}&type=EVO_GAME`)).total).toBe(0);
    const odd = ['Éclair 50%', 'Under_score', 'Back\\slash'];
    await newGames(
      app,
      odd.map((name) => ({ provider_id: provider.id, name })),
    );
    for (const [asked, found] of [
      ['ECLAIR', 'Éclair 50%'],
      ['%', 'Éclair 50%'],
      ['r_s', 'Under_score'],
      ['\\', 'Back\\slash'],
    ] as const) {
      const { data } = await get(`?providerId=${provider.id}&name=${encodeURIComponent(asked)}`);
      expect(data.map(({ name }: { name: string }) => name)).toEqual([found]);
    }
  });

  test('returns games in a random order that is stable for each player and day', async () => {
    const query = `?providerId=${lists.id}&sortBy=random&take=30`;
    const [first, again] = [slugsOf(await get(query)), slugsOf(await get(query))];
    expect(again).toEqual(first);
    expect(slugsOf(await get(query, { who: await app.newPlayer() }))).not.toEqual(first);
  });

  test('sorts games by popularity and by when the caller last played them, with unplayed games last', async () => {
    const [dice, limbo] = await Promise.all([get('/dice'), get('/limbo')]);
    const [old, late] = [new Date('2026-01-01'), new Date('2026-02-01')];
    const stats = app.services.userStats.games;
    const players = new Map([
      [limbo.id, 5],
      [dice.id, 3],
    ]);
    vi.spyOn(stats, 'popularity').mockResolvedValue(players);
    vi.spyOn(stats, 'playedBy').mockResolvedValue(
      new Map([
        [dice.id, late],
        [limbo.id, old],
      ]),
    );
    vi.spyOn(stats, 'lastPlayed').mockResolvedValue(new Map([[dice.id, late]]));
    try {
      await app.services.catalogue.played.refresh();
      const house = '?category=HOUSE_GAME&take=30';
      for (const sortBy of ['default', 'popular'])
        expect(slugsOf(await get(`${house}&sortBy=${sortBy}`)).slice(0, 2)).toEqual(['limbo', 'dice']);
      expect(slugsOf(await get(`${house}&sortOrder=asc`)).slice(-2)).toEqual(['dice', 'limbo']);
      const own = async (sortOrder: string) =>
        slugsOf(await get(`${house}&sortBy=lastPlayed&sortOrder=${sortOrder}`)).slice(0, 2);
      expect([await own('desc'), await own('asc')]).toEqual([
        ['dice', 'limbo'],
        ['limbo', 'dice'],
      ]);
      expect((await get('/dice')).lastPlayedAt).toBe(late.toISOString());
      expect((await get('/main')).HOUSE_GAME[0].slug).toBe('limbo');
    } finally {
      vi.restoreAllMocks();
      await app.services.catalogue.played.refresh();
    }
  });

  test('changes the order by last play after a new bet', async () => {
    const someone = await app.newPlayer({ usdt: 10 });
    expect((await betOnDice(someone)).status).toBe(201);
    await expect
      .poll(async () => {
        await app.services.userStats.catchUp();
        return slugsOf(await get('?sortBy=lastPlayed&take=1', { who: someone }));
      })
      .toEqual(['dice']);
  });

  test('lists providers with the games available to the player, sorted by name and time', async () => {
    const { data } = await get('/providers?sortBy=name&sortOrder=asc&take=30');
    const names = data.map(({ name }: { name: string }) => fold(name));
    expect(names).toEqual(names.toSorted());
    expect(data).toContainEqual({
      id: lists.id,
      name: lists.name,
      slug: 'lists',
      images: [],
      gamesCount: 47,
    });
    expect(data).toContainEqual({ id: 0, name: 'Goldmine', slug: 'house', images: [], gamesCount: 9 });
    expect(slugsOf(await get('/providers?name=GOLDM'))).toEqual(['house']);
    expect(slugsOf(await get('/providers?gameCategory=LIVE'))).toEqual(['lists']);
    expect(slugsOf(await get('/providers?sortOrder=asc&take=1'))).toEqual(['house']);
  });

  test('shows the sections of the main page with at most 20 games each, including the newest', async () => {
    const page = await get('/main');
    expect(new Set(Object.keys(page))).toEqual(new Set(MAIN));
    for (const games of Object.values(page)) expect((games as unknown[]).length).toBeLessThanOrEqual(20);
    const newest = slugsOf(await get('?sortBy=addedAt&take=20'));
    expect(page.NEW_RELEASES.map(({ slug }: { slug: string }) => slug)).toEqual(newest);
  });
});

describe('favourites', () => {
  test('adds and removes a favourite once, and marks it in every list of games', async () => {
    const [one, other] = [await app.newPlayer(), await app.newPlayer()];
    const favorites = async (who: Player, query = '') => slugsOf(await get(`/favorite${query}`, { who }));
    for (const slug of ['limbo', 'dice', 'limbo'])
      expect((await one.call('POST', `/casino/games/favorite/${slug}`)).body).toEqual({ success: true });
    expect(await favorites(one)).toEqual(['dice', 'limbo']);
    expect(await favorites(one, '?sortBy=NAME&sortOrder=desc')).toEqual(['limbo', 'dice']);
    expect(await favorites(one, '?sortOrder=asc&take=1&page=2')).toEqual(['dice']);
    expect(await favorites(one, '?name=LIM')).toEqual(['limbo']);
    expect(await favorites(one, '?category=SLOTS')).toEqual([]);
    expect(await favorites(other)).toEqual([]);
    const marks = async (who: Player) => [
      (await get('/dice', { who })).isFavorite,
      (await get('?name=dice', { who })).data[0].isFavorite,
      (await get('/main', { who })).HOUSE_GAME.some((game: any) => game.slug === 'dice' && game.isFavorite),
    ];
    expect(await marks(one)).toEqual([true, true, true]);
    expect(await marks(other)).toEqual([false, false, false]);
    for (let i = 0; i < 2; i++)
      expect((await one.call('DELETE', '/casino/games/favorite/dice')).body).toEqual({ success: true });
    expect(await marks(one)).toEqual([false, false, false]);
    expect(await favorites(one)).toEqual(['limbo']);
  });

  test('accepts only existing games as favourites', async () => {
    for (const method of ['POST', 'DELETE'])
      for (const slug of ['nothing', 'x'.repeat(65)])
        expect(codeOf(await player.call(method, `/casino/games/favorite/${slug}`))).toBe(
          '404 GAME_NOT_FOUND',
        );
    expect(codeOf(await player.call('GET', '/casino/games/nothing'))).toBe('404 GAME_NOT_FOUND');
  });
});

test.each([
  '?take=31',
  '?page=0',
  '?category=NONE',
  '?type=NONE',
  '?sortBy=NONE',
  '?providerId=-1',
  '?unknown=1',
  '/favorite?sortBy=slug',
  '/providers?gameCategory=NONE',
])('rejects %s', async (path) => {
  expect(codeOf(await player.call('GET', `/casino/games${path}`))).toBe('400 VALIDATION_FAILED');
});

test('requires a session for every operation of the catalogue', async () => {
  for (const path of ['', '/dice', '/main', '/providers', '/favorite'])
    expect((await app.call('GET', `/casino/games${path}`)).status).toBe(401);
});

describe('another process', () => {
  const two = fixture(() => startApp({ env, database: app.database }));
  const listed = async (name: string) =>
    (await two.call('GET', `/casino/games?name=${name}`, { token: player.token })).body.total;

  test('applies changes to games, favourites and providers within a second', async () => {
    const before = await listed('news');
    const { id } = await newGame(app, { provider_id: provider.id, slug: 'news' });
    await expect.poll(() => listed('news'), { timeout: 1000 }).toBe(before + 1);
    const isFavorite = async () =>
      (await two.call('GET', '/casino/games/news', { token: player.token })).body.isFavorite;
    expect(await isFavorite()).toBe(false);
    await player.call('POST', '/casino/games/favorite/news');
    await expect.poll(isFavorite, { timeout: 1000 }).toBe(true);
    await changeGame(app, id, { enabled: false });
    await expect.poll(() => listed('news'), { timeout: 1000 }).toBe(before);
  });

  test('applies the changes of a transaction that was open when it read the catalogue', async () => {
    const { id } = await newGame(app, { provider_id: provider.id, slug: 'late' });
    await expect.poll(() => listed('late')).toBe(1);
    await transaction(app.db, async (late) => {
      await late.updateTable('games').set({ enabled: false }).where('id', '=', id).execute();
      // The later change becomes visible before the earlier transaction commits.
      await newGame(app, { provider_id: provider.id, slug: 'early' });
      await expect.poll(() => listed('early')).toBe(1);
      expect(await listed('late')).toBe(1);
    });
    await expect.poll(() => listed('late')).toBe(0);
  });
});

test('caches 20,000 games, sorts them in every order, and reads only one row per change', async () => {
  const { state } = app.services.catalogue;
  const { id } = await newProvider(app, { slug: 'many' });
  global.gc?.();
  const heap = process.memoryUsage().heapUsed;
  await manyGames(app, id, 20_000);
  await state.reload();
  expect(process.memoryUsage().heapUsed - heap).toBeLessThan(150 * 1024 * 1024);
  for (const sortBy of ['name', 'addedAt', 'default', 'popular', 'lastPlayed', 'random']) {
    const page = await get(`?providerId=${id}&sortBy=${sortBy}&take=30&page=600`);
    expect([page.total, page.data.length]).toEqual([20_000, 30]);
  }
  expect((await get(`?providerId=${id}&category=CRASH`)).total).toBe(6666);
  await state.reload();
  const [before, game] = [state.now(), state.now().bySlug.get('many-7')!];
  await changeGame(app, game.id, { name: 'Another' });
  const after = state.now();
  const changed = after.games.filter((one) => before.byId.get(one.id) !== one);
  expect(changed.map(({ slug }) => slug)).toContain('many-7');
  expect(changed.length).toBeLessThan(100);
}, 240_000);
