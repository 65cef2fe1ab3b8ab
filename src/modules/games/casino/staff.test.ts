/** Staff operations on games, providers and the main page. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { changeGame, newGame, newGames, newProvider } from '../../../../test/kit/games/catalogue.ts';
import { form, picture } from '../../../../test/kit/http/images.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-games-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const app = fixture(() => startApp({ env: { DATA_DIR: folder, BRAND_NAME: 'Goldmine' } }));
const staff = fixture(() => app.as({ permissions: ['casino.read', 'casino.write'] }));
const player = fixture(() => app.newPlayer({ usdt: 10 }));
const provider = fixture(() => newProvider(app, { slug: 'works', name: 'Works', prefix: 'w' }));

const GAMES = '/admin/casino/games';
const get = async (path: string) => {
  const answer = await staff.call('GET', GAMES + path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const post = (path: string, body?: object, method = 'POST') =>
  staff.call(method, GAMES + path, body === undefined ? {} : { body });
const slugsOf = ({ data }: { data: { slug: string }[] }) => data.map(({ slug }) => slug);
const isShown = async (slug: string) => (await player.call('GET', `/casino/games/${slug}`)).status === 200;
const lastAudit = () =>
  app.db
    .selectFrom('admin_audit')
    .select(['path', 'before', 'after'])
    .where('user_id', '=', staff.id)
    .where('method', '<>', 'GET')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();

describe('games', () => {
  test('returns a game with every field', async () => {
    const facts = JSON.stringify({ rtp: 96 });
    const { id, slug } = await newGame(app, { provider_id: provider.id, external_code: 'x1', facts });
    const shown = await get(`/${slug}`);
    expect(shown).toEqual({
      type: 'SLOTS',
      categories: ['SLOTS'],
      id,
      createdAt: expect.stringMatching(/Z$/),
      addedAt: expect.stringMatching(/Z$/),
      lastPlayedAt: null,
      slug,
      name: slug,
      providerId: provider.id,
      walletId: 'works',
      provider: {
        id: provider.id,
        name: 'Works',
        originName: 'Works',
        createdAt: expect.stringMatching(/Z$/),
        slug: 'works',
        prefix: 'w',
        enabled: true,
        gamesCount: expect.any(Number),
        images: [],
        customImages: [],
      },
      enabled: true,
      tags: [],
      originalSlug: 'x1',
      info: expect.objectContaining({ rtp: 96 }),
      settings: null,
      images: [],
      customImages: [],
      promoGameWhitelist: [],
    });
    expect(await get('/dice')).toMatchObject({ settings: { rtp: 99 }, provider: { name: 'Goldmine' } });
  });

  test('lists all games, including hidden ones, with every filter and order', async () => {
    const own = await newProvider(app);
    const made = await newGames(
      app,
      Array.from({ length: 25 }, (_, i) => ({
        provider_id: own.id,
        name: `Listed ${i % 7}`,
        enabled: i % 2 === 0,
        removed_at: i === 3 ? new Date() : null,
        categories: i < 5 ? ['LIVE'] : ['SLOTS'],
      })),
    );
    const all = `/all?providerId=${own.id}&take=10`;
    for (const sortBy of ['name', 'addedAt', 'default', 'popular', 'lastPlayed', 'random'])
      for (const sortOrder of ['asc', 'desc']) {
        const ids: number[] = [];
        for (const page of [1, 2, 3]) {
          const { data, total } = await get(`${all}&sortBy=${sortBy}&sortOrder=${sortOrder}&page=${page}`);
          expect(total).toBe(25);
          ids.push(...data.map((game: { id: number }) => game.id));
        }
        expect(ids.toSorted((a, b) => a - b)).toEqual(made.map(({ id }) => id));
      }
    const totals = async (query: string) => (await get(all + query)).total;
    expect([await totals('&enabled=true'), await totals('&enabled=false')]).toEqual([13, 12]);
    expect([await totals('&category=LIVE'), await totals('&type=EVO_GAME')]).toEqual([5, 0]);
    expect(await totals('&name=LISTED%203')).toBe(4);
    expect(slugsOf(await get(`/all?id=${made[7]!.id}`))).toEqual([made[7]!.slug]);
    expect(slugsOf(await get(`/all?slug=${made[7]!.slug}`))).toEqual([made[7]!.slug]);
    expect((await get(`/all?slug=${made[7]!.slug}`)).data[0].info).toBeNull();
    expect((await get(`/all?slug=${made[7]!.slug}&withInfo=true`)).data[0].info).not.toBeNull();
  });

  test('updates single fields, and writes the previous values to the audit log', async () => {
    const categories = ['SLOTS', 'CRASH', 'LIVE'];
    const { slug } = await newGame(app, { provider_id: provider.id, categories });
    const { status, body } = await post(`/${slug}`, { category: 'CRASH', rtp: 94.125, enabled: false });
    expect([status, body.categories, body.enabled]).toEqual([201, ['CRASH', 'SLOTS', 'LIVE'], false]);
    expect(body.info.rtp).toBe(94.125);
    expect(await isShown(slug)).toBe(false);
    expect(await lastAudit()).toEqual({
      path: `${GAMES}/${slug}`,
      before: { categories, rtp: null, enabled: true },
      after: { categories: ['CRASH', 'SLOTS', 'LIVE'], rtp: 94.125, enabled: false },
    });
    expect((await post(`/${slug}`, { category: 'FISHING' })).body.categories).toEqual([
      'FISHING',
      ...['CRASH', 'SLOTS', 'LIVE'],
    ]);
    expect((await post(`/${slug}`, { enabled: true })).body.enabled).toBe(true);
    expect(await isShown(slug)).toBe(true);
    expect((await post(`/${slug}`, {})).status).toBe(201);
  });

  test('rejects a displayed RTP for a house game, and rejects bets while the game is disabled', async () => {
    expect(codeOf(await post('/dice', { rtp: 95 }))).toBe('400 VALIDATION_FAILED');
    expect((await post('/dice', { enabled: false })).status).toBe(201);
    await expect.poll(async () => codeOf(await betOnDice(player))).toBe('409 GAME_DISABLED');
    expect((await post('/dice', { enabled: true })).status).toBe(201);
    await expect.poll(async () => (await betOnDice(player)).status).toBe(201);
  });

  test('replaces tags, at most 20 and without duplicates', async () => {
    const { slug } = await newGame(app, { provider_id: provider.id });
    const put = (tags: string[]) => post(`/${slug}/tags`, { tags }, 'PUT');
    expect((await put(['hot', 'new'])).body.tags).toEqual(['hot', 'new']);
    expect(await lastAudit()).toMatchObject({ before: { tags: [] }, after: { tags: ['hot', 'new'] } });
    expect((await put([])).body.tags).toEqual([]);
    const many = Array.from({ length: 21 }, (_, i) => `tag ${i}`);
    for (const tags of [many, ['a', 'a'], [''], [' '], ['x'.repeat(31)]])
      expect(codeOf(await put(tags))).toBe('400 VALIDATION_FAILED');
  });

  test('updates many games, and lets each update succeed or fail independently', async () => {
    const made = await newGames(app, [{ provider_id: provider.id }, { provider_id: provider.id }]);
    const slugs = [made[0]!.slug, 'nothing', made[1]!.slug];
    const { status, body } = await post('/bulk', { slugs, enabled: false, category: 'LIVE' });
    expect([status, body]).toEqual([
      201,
      {
        updated: 2,
        results: [
          { slug: slugs[0], success: true, code: null },
          { slug: 'nothing', success: false, code: 'GAME_NOT_FOUND' },
          { slug: slugs[2], success: true, code: null },
        ],
      },
    ]);
    for (const { slug } of made)
      expect(await get(`/${slug}`)).toMatchObject({ enabled: false, categories: ['LIVE', 'SLOTS'] });
    const change = { categories: ['LIVE', 'SLOTS'], enabled: false };
    expect((await lastAudit()).after).toEqual({ [slugs[0]!]: change, [slugs[2]!]: change });
    for (const wrong of [
      { slugs },
      { slugs: [], enabled: true },
      { slugs: Array(201).fill('a'), enabled: true },
    ])
      expect(codeOf(await post('/bulk', wrong))).toBe('400 VALIDATION_FAILED');
  });

  test('shows the RTP set by staff in the returns report, without a confidence band', async () => {
    const facts = JSON.stringify({ rtp: 96 });
    const { id, slug } = await newGame(app, { provider_id: provider.id, facts });
    expect(await get(`/${slug}/rtp`)).toMatchObject({ rounds: 0, configuredRtp: 96, bandLow: null });
    await changeGame(app, id, { staff_rtp: '95.5' });
    expect((await get(`/${slug}/rtp`)).configuredRtp).toBe(95.5);
  });
});

describe('images', () => {
  const upload = async (path: string, color: string) =>
    staff.call(
      'POST',
      GAMES + path,
      form([{ bytes: await picture(900, 900, color).png().toBuffer(), filename: 'a.png' }]),
    );

  test.each(['game', 'provider'] as const)(
    'converts uploaded images of a %s, lists the newest image first and keeps the original',
    async (of) => {
      const owner = await newProvider(app, { images: ['/original.webp'] });
      const game = await newGame(app, { provider_id: owner.id, images: ['/original.webp'] });
      const path = of === 'game' ? `/${game.slug}` : `/providers/${owner.slug}`;
      const first = await upload(`${path}/images`, '#f00');
      expect(first.status, first.text).toBe(201);
      const [cover] = first.body.customImages;
      const file = await fetch(`${app.url}${new URL(cover).pathname}`);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/webp']);
      const second = (await upload(`${path}/images`, '#0f0')).body;
      expect(second.customImages).toEqual([expect.stringMatching(/\/games\/[\w-]{22}\.webp$/), cover]);
      expect(second.images).toEqual(['/original.webp']);
      const shown = (await player.call('GET', `/casino/games/${game.slug}`)).body;
      expect((of === 'game' ? shown : shown.provider).images[0]).toBe(second.customImages[0]);
      for (let i = 0; i < 4; i++) await upload(`${path}/images`, '#00f');
      expect((await get(path)).customImages).toHaveLength(5);
      expect((await fetch(`${app.url}${new URL(cover).pathname}`)).status).toBe(404);

      const { status, body } = await post(`${path}/images`, undefined, 'DELETE');
      expect([status, body.customImages, body.images]).toEqual([200, [], ['/original.webp']]);
      expect((await lastAudit()).after).toEqual({ customImages: [] });
      expect((await fetch(`${app.url}${new URL(second.customImages[0]).pathname}`)).status).toBe(404);
    },
  );

  test('rejects invalid images and unknown targets', async () => {
    const bytes = await picture(10, 10).png().toBuffer();
    const send = (path: string, content: Buffer | string) =>
      staff.call('POST', `${GAMES}${path}/images`, form([{ bytes: content, filename: 'a.png' }]));
    expect(codeOf(await send('/dice', 'no image'))).toBe('400 IMAGE_INVALID');
    expect(codeOf(await send('/nothing', bytes))).toBe('404 GAME_NOT_FOUND');
    expect(codeOf(await send('/providers/nobody', bytes))).toBe('404 PROVIDER_NOT_FOUND');
    expect((await staff.call('POST', `${GAMES}/dice/images`, form([]))).status).toBe(201);
  });
});

describe('providers', () => {
  test('lists and returns providers, including the provider of house games', async () => {
    const { slug } = await newProvider(app, { enabled: false, name: 'Sleeping' });
    expect(slugsOf(await get('/providers?name=SLEEP&enabled=false'))).toEqual([slug]);
    expect(slugsOf(await get('/providers?name=SLEEP&enabled=true'))).toEqual([]);
    expect(slugsOf(await get('/providers?gameCategory=HOUSE_GAME'))).toEqual(['house']);
    expect(await get('/providers/house')).toMatchObject({
      id: 0,
      name: 'Goldmine',
      originName: 'House',
      gamesCount: 9,
    });
    const names = (await get('/providers?sortBy=name&sortOrder=asc&take=30')).data.map(
      (one: any) => one.name,
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('renames a provider in all lists, keeps its original name, and disables it', async () => {
    const owner = await newProvider(app, { name: 'Former' });
    const game = await newGame(app, { provider_id: owner.id, provider_name: 'Former' });
    const { status, body } = await post(
      `/providers/${owner.slug}`,
      { name: 'Newer', enabled: false },
      'PATCH',
    );
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: 'Newer', originName: 'Former', enabled: false }),
    ]);
    expect(await lastAudit()).toMatchObject({
      before: { name: 'Former', enabled: true },
      after: { name: 'Newer', enabled: false },
    });
    expect(await isShown(game.slug)).toBe(false);
    const row = await app.db
      .selectFrom('games')
      .select('provider_name')
      .where('id', '=', game.id)
      .executeTakeFirst();
    expect(row).toEqual({ provider_name: 'Newer' });
    await post(`/providers/${owner.slug}`, { enabled: true }, 'PATCH');
    expect(await isShown(game.slug)).toBe(true);
    expect(codeOf(await post(`/providers/${owner.slug}`, { originName: 'x' }, 'PATCH'))).toBe(
      '400 VALIDATION_FAILED',
    );
  });
});

describe('the main page', () => {
  test('shows games in the order that staff chose, without games hidden from players', async () => {
    const made = await newGames(
      app,
      [1, 2, 3].map(() => ({ provider_id: provider.id })),
    );
    const slugs = made.map(({ slug }) => slug).toReversed();
    expect((await post('/main', { category: 'SLOTS', slugs })).body).toEqual({ success: true });
    expect((await lastAudit()).after).toEqual({ category: 'SLOTS', slugs });
    const shown = async () =>
      (await player.call('GET', '/casino/games/main')).body.SLOTS.map((game: { slug: string }) => game.slug);
    expect(await shown()).toEqual(slugs);
    await changeGame(app, made[1]!.id, { enabled: false });
    expect(await shown()).toEqual([slugs[0], slugs[2]]);
    const rows = await get('/main');
    expect(rows.map(({ category }: { category: string }) => category)).toHaveLength(20);
    const row = rows.find(({ category }: { category: string }) => category === 'SLOTS');
    expect([row.enabled, row.slugs, row.games.length]).toEqual([true, slugs, 3]);
    expect(row.games[0]).toEqual({
      id: made[2]!.id,
      slug: slugs[0],
      name: slugs[0],
      type: 'SLOTS',
      images: [expect.stringMatching(/^\/covers\//)],
      providerName: 'Works',
    });
    await post('/main', { category: 'SLOTS', slugs: [] });
    expect((await shown()).length).toBeGreaterThan(3);
  });

  test('rejects unknown games, duplicates, more than 20 games and unknown sections', async () => {
    const main = async (category: string, slugs: string[]) =>
      codeOf(await post('/main', { category, slugs }));
    expect(await main('SLOTS', ['dice', 'nothing'])).toBe('404 GAME_NOT_FOUND');
    for (const slugs of [['dice', 'dice'], Array.from({ length: 21 }, (_, i) => `s${i}`)])
      expect(await main('SLOTS', slugs)).toBe('400 VALIDATION_FAILED');
    expect(await main('NONE', ['dice'])).toBe('400 VALIDATION_FAILED');
    expect((await post('/main', { category: 'NEW_RELEASES', slugs: ['dice'] })).status).toBe(201);
    expect((await player.call('GET', '/casino/games/main')).body.NEW_RELEASES).toHaveLength(1);
  });

  test('stores the list of only one of several concurrent changes to the main page', async () => {
    const lists = [['dice'], ['limbo', 'keno'], ['plinko'], ['mines', 'dice']];
    const answers = await Promise.all(lists.map((slugs) => post('/main', { category: 'ROULETTE', slugs })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const row = (await get('/main')).find(({ category }: { category: string }) => category === 'ROULETTE');
    expect(lists).toContainEqual(row.slugs);
  });
});

test.each([
  ['GET', '/nothing', undefined, 'GAME_NOT_FOUND'],
  ['POST', '/nothing', { enabled: true }, 'GAME_NOT_FOUND'],
  ['PUT', '/nothing/tags', { tags: [] }, 'GAME_NOT_FOUND'],
  ['DELETE', '/nothing/images', undefined, 'GAME_NOT_FOUND'],
  ['GET', '/nothing/rtp', undefined, 'GAME_NOT_FOUND'],
  ['GET', '/providers/nobody', undefined, 'PROVIDER_NOT_FOUND'],
  ['PATCH', '/providers/nobody', { enabled: true }, 'PROVIDER_NOT_FOUND'],
  ['DELETE', '/providers/nobody/images', undefined, 'PROVIDER_NOT_FOUND'],
])('returns 404 for %s %s', async (method, path, body, code) => {
  expect(codeOf(await post(path, body, method))).toBe(`404 ${code}`);
});

test('rejects changes by staff with read-only permissions', async () => {
  const reader = await app.as({ permissions: ['casino.read'] });
  for (const path of ['/all', '/dice', '/main', '/providers', '/providers/house'])
    expect((await reader.call('GET', GAMES + path)).status).toBe(200);
  for (const [method, path, body] of [
    ['POST', '/dice', { enabled: false }],
    ['PUT', '/dice/tags', { tags: [] }],
    ['POST', '/bulk', { slugs: ['dice'], enabled: false }],
    ['POST', '/main', { category: 'SLOTS', slugs: [] }],
    ['PATCH', '/providers/house', { enabled: false }],
    ['DELETE', '/dice/images', undefined],
    ['DELETE', '/providers/house/images', undefined],
  ] as const)
    expect(codeOf(await reader.call(method, GAMES + path, body ? { body } : {}))).toBe('403 FORBIDDEN');
});
