/** Tests what visitors without a session can read: what the lobby shows to them, and that nothing depends on a session. */
import { beforeAll, expect, test } from 'vitest';
import { mainRoutes } from '../src/app/apps.ts';
import { betOnDice } from './kit/app.ts';
import { HALF, newPromo, PROMO_STAFF, startPromo } from './kit/engagement/promo.ts';
import { fixture } from './kit/fixture.ts';
import { newRealPlayer } from './kit/games/bet-rows.ts';
import { changeGame, newGame, newProvider } from './kit/games/catalogue.ts';
import { rawRequest } from './kit/http/raw-http.ts';

const app = fixture(() => startPromo({ env: { BRAND_NAME: 'Goldmine' } }));
const staff = fixture(() => app.as(PROMO_STAFF));
const player = fixture(() => newRealPlayer(app, { usdt: 1000 }));
const provider = fixture(() => newProvider(app, { name: 'Fruit Works', slug: 'fruit-works' }));

/** An IP address in Germany. */
const GERMAN = { 'x-forwarded-for': '85.214.132.117' };
const PUBLIC = [
  '/public/casino/games?take=30',
  '/public/casino/games?sortBy=random',
  '/public/casino/games/main',
  '/public/casino/games/categories',
  '/public/casino/games/providers',
  '/public/casino/games/dice',
  '/public/casino/games/house/configs',
  '/public/live-bets?type=ALL&count=10',
  '/public/promo',
  '/covers/dice.svg',
];
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await app.call('GET', `/public${path}`, { headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const slugsOf = ({ data }: { data: { slug: string }[] }) => data.map(({ slug }) => slug);

let betId: string;
beforeAll(async () => {
  await player.call('POST', '/casino/games/favorite/dice');
  betId = (await betOnDice(player, { betAmount: '5' })).body.betId;
});

test('lists every public operation in this file', () => {
  const routes = mainRoutes(app.services).filter(({ path }) => /^\/(public|covers)\//.test(path));
  const shapes = new Set(PUBLIC.map((path) => path.replace(/\?.*/, '')));
  const isTested = (path: string) => shapes.has(path.replace('{slug}', 'dice'));
  expect(routes.filter(({ path }) => !isTested(path)).map(({ path }) => path)).toEqual([]);
  for (const { path, access, method, cache } of routes)
    expect([access, method, cache !== undefined], path).toEqual(['anonymous', 'GET', true]);
});

test.each(PUBLIC)(
  'returns the same response for %s with and without a session, and lets clients cache it',
  async (path) => {
    const visitor = await rawRequest(app.url, 'GET', path);
    const signedIn = await rawRequest(app.url, 'GET', path, {
      headers: { authorization: `Bearer ${player.token}` },
    });
    expect([visitor.status, signedIn.status], visitor.text).toEqual([200, 200]);
    expect(signedIn.text).toBe(visitor.text);
    expect(visitor.headers.get('cache-control')).toMatch(/^(public|private), max-age=\d+$/);
    const etag = visitor.headers.get('etag')!;
    const again = await rawRequest(app.url, 'GET', path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = path + (path.includes('?') ? '&' : '?');
    expect((await rawRequest(app.url, 'GET', `${other}userId=1`)).status).toBe(400);
    const head = await rawRequest(app.url, 'HEAD', path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
  },
);

test('lists games with the RTP, and filters and sorts them as the list for players does', async () => {
  const own = await get('/casino/games?providerId=0&sortBy=name&sortOrder=asc&take=30');
  expect(own.total).toBe(9);
  expect(own.data.find(({ slug }: { slug: string }) => slug === 'dice')).toMatchObject({
    info: { rtp: 99 },
    images: ['/art/tile-dice.svg'],
    provider: { name: 'Goldmine' },
    isFavorite: false,
  });
  const forPlayers = await player.call('GET', '/casino/games?providerId=0&sortBy=name&sortOrder=asc&take=30');
  expect(slugsOf(own)).toEqual(slugsOf(forPlayers.body));
  expect((await app.call('GET', '/public/casino/games?sortBy=lastPlayed')).status).toBe(400);
  expect((await get('/casino/games/dice')).info).toMatchObject({ rtp: 99, minBetUsd: '0.01' });
  expect(Object.keys(await get('/casino/games/main'))).toContain('HOUSE_GAME');
});

test('counts the games of each category that contains any', async () => {
  await newGame(app, { provider_id: provider.id, categories: ['SLOTS', 'CRASH'] });
  const categories = await get('/casino/games/categories');
  expect(categories).toContainEqual({ category: 'HOUSE_GAME', gamesCount: 9 });
  expect(categories).toContainEqual({ category: 'CRASH', gamesCount: 1 });
  expect(categories.map(({ category }: { category: string }) => category)).not.toContain('SCRATCH');
});

test("hides games that are blocked in the country of the visitor's address, so shared caches may not store the list", async () => {
  const { slug } = await newGame(app, { provider_id: provider.id, blocked_countries: ['DE'] });
  const headersOf = async (path: string) =>
    (await rawRequest(app.url, 'GET', path)).headers.get('cache-control');
  expect(slugsOf(await get(`/casino/games?name=${slug}`))).toEqual([slug]);
  expect(slugsOf(await get(`/casino/games?name=${slug}`, GERMAN))).toEqual([]);
  expect((await app.call('GET', `/public/casino/games/${slug}`, { headers: GERMAN })).status).toBe(404);
  for (const path of PUBLIC.filter((one) => /games[?]|main|categories|providers|promo/.test(one)))
    expect(await headersOf(path), path).toMatch(/^private, /);
});

test('returns the limits of every house game', async () => {
  const configs = await get('/casino/games/house/configs');
  expect(Object.keys(configs).toSorted((a, b) => a.localeCompare(b))).toEqual([
    ...['blackjack', 'dice', 'keno', 'limbo', 'mines', 'monkey-run', 'plinko', 'roulette', 'speed-roulette'],
  ]);
  for (const [slug, config] of Object.entries(configs))
    expect(config, slug).toEqual((await player.call('GET', `/casino/games/house/${slug}/config`)).body);
});

test('masks hidden players in live bets and returns no field of the owner of a bet', async () => {
  const userOf = async () => {
    const rows = await get('/live-bets?type=ALL&count=10');
    const own = rows.find(({ id }: { id: string }) => id === betId);
    expect(Object.keys(own)).not.toContain('windowId');
    return own.user;
  };
  expect(await userOf()).toMatchObject({ id: player.id, username: player.username });
  await player.call('PATCH', '/user/me', { body: { isPrivate: true } });
  const masked = { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };
  await expect.poll(userOf, { timeout: 3000 }).toEqual(masked);
});

test('lists the promotions that every new player can claim', async () => {
  const open = await newPromo(staff, { ...HALF, conditions: { minDepositUsd: '20', emailVerified: true } });
  const abroad = await newPromo(staff, { ...HALF, conditions: { countriesAllow: ['DE'] } });
  const closed = [
    await newPromo(staff),
    await newPromo(staff, { type: 'MANUAL' }),
    await newPromo(staff, { ...HALF, startAt: '2126-01-01T00:00:00.000Z' }),
    await newPromo(staff, { ...HALF, conditions: { minVipLevel: 1 } }),
    await newPromo(staff, { ...HALF, conditions: { turnoverUsd: '1' } }),
    await newPromo(staff, { ...HALF, conditions: { affiliateCodes: ['some-code'] } }),
    await newPromo(staff, { ...HALF, conditions: { minAccountAgeDays: 1 } }),
  ];
  const idsFor = async (headers = {}) => (await get('/promo', headers)).map(({ id }: { id: string }) => id);
  const listed = await idsFor();
  expect(listed).toContain(open);
  expect(listed).not.toContain(abroad);
  expect(await idsFor(GERMAN)).toContain(abroad);
  for (const id of closed) expect(listed).not.toContain(id);
  expect(Object.keys((await get('/promo'))[0])).not.toContain('claimed');
});

const FIVE_MINUTES = 'public, max-age=300';

test('lets clients cache a cover for five minutes, with its version and without', async () => {
  const { slug } = await newGame(app, { provider_id: provider.id, name: 'Moon Harbour' });
  const [address] = (await get(`/casino/games/${slug}`)).images as [string];
  const cacheOf = async (path: string) =>
    (await rawRequest(app.url, 'GET', path)).headers.get('cache-control');
  for (const path of [address, `/covers/${slug}.svg`, `/covers/${slug}.svg?v=zzz`])
    expect(await cacheOf(path), path).toBe(FIVE_MINUTES);
});

test('draws a cover for a game without a picture, with an address that changes with its name', async () => {
  const { id, slug } = await newGame(app, { provider_id: provider.id, name: 'Ruby <Rush>' });
  const imageOf = async () => (await get(`/casino/games/${slug}`)).images[0] as string;
  const address = await imageOf();
  expect(address).toMatch(new RegExp(`^/covers/${slug}\\.svg\\?v=\\w+$`));
  const { status, headers, text } = await rawRequest(app.url, 'GET', address);
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'image/svg+xml; charset=utf-8',
    FIVE_MINUTES,
  ]);
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(text).toContain('aria-label="Ruby &#60;Rush&#62;"');
  expect(text).toContain('FRUIT WORKS');
  await changeGame(app, id, { name: 'Ruby Rain' });
  expect(await imageOf()).not.toBe(address);
  await changeGame(app, id, { images: ['/original.webp'] });
  expect(await imageOf()).toBe('/original.webp');
  expect((await app.call('GET', '/covers/no-such-game.svg')).body.code).toBe('GAME_NOT_FOUND');
});
