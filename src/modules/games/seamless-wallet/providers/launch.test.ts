import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';

/** A provider that opens every requested game. */
let supplier: Server;
const asked: { body: Record<string, unknown>; signature: string | undefined }[] = [];
let answers: (() => { status: number; body: object }) | undefined;
let app: TestApp;
let origin: string;
let providerId: number;

beforeAll(async () => {
  supplier = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}');
    asked.push({ body, signature: request.headers['x-signature'] as string | undefined });
    const answer = answers?.() ?? {
      status: 200,
      body: { url: `${origin}/play?s=${body.sessionToken ?? 'demo'}` },
    };
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  });
  await new Promise<void>((done) => supplier.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}`;
  const provider = {
    slug: 'lab',
    name: 'Lab',
    dialect: 'generic',
    apiUrl: `${origin}/api`,
    operatorId: 'casino',
    secrets: ['a secret of the lab'],
    launchOrigins: [origin],
    blockedCountries: [],
    currencies: [
      { ours: 'USDT', code: 'USDT', decimals: 8 },
      { ours: 'BTC', code: 'BTC', decimals: 8 },
    ],
  };
  app = await startApp({
    env: { GAME_PROVIDERS: JSON.stringify([provider]), SITE_ORIGINS: 'https://casino.example' },
  });
  const { id } = await app.db
    .selectFrom('game_providers')
    .select('id')
    .where('slug', '=', 'lab')
    .executeTakeFirstOrThrow();
  providerId = id;
  const game = (slug: string, more: object = {}) => ({
    slug,
    name: slug,
    type: 'SLOTS',
    provider_id: id,
    external_code: slug,
    facts: JSON.stringify({ hasDemo: slug !== 'lab-real' }),
    ...more,
  });
  await app.db
    .insertInto('games')
    .values([
      game('lab-slot'),
      game('lab-real'),
      game('lab-off', { enabled: false }),
      game('lab-gone', { removed_at: new Date() }),
      game('lab-btc', { currencies: ['BTC'] }),
      game('lab-closed', { blocked_countries: ['DE'] }),
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => game(`lab-${letter}`)),
    ])
    .execute();
});
afterAll(async () => {
  await app.stop();
  supplier.close();
});

const USDT = { currencyId: 'USDT' };
const launch = (player: Player, slug: string, body: object = USDT, more: object = {}) =>
  player.call('POST', `/casino/games/${slug}/launch`, { body, ...more });
const codeOf = async (answer: ReturnType<typeof launch>) => {
  const { status, body } = await answer;
  return status === 201 ? '201' : `${status} ${body.code}`;
};
const sessions = async (player: Player) =>
  (
    await sql<{
      slug: string;
      live: boolean;
    }>`select g.slug, s.ended_at is null as live from provider_sessions s
      join games g on g.id = s.game_id where s.user_id = ${player.id} order by s.id`.execute(app.db)
  ).rows;

test('launches a game for the player and stores only the hash of the token', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  const { status, body } = await launch(player, 'lab-slot', {
    ...USDT,
    device: 'MOBILE',
    returnUrl: 'https://casino.example/lobby',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    url: `${origin}/play?s=${body.sessionToken}`,
    sessionToken: expect.any(String),
    expiresAt: expect.any(String),
  });
  expect(Buffer.from(body.sessionToken, 'base64url')).toHaveLength(32);
  expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(7.9 * 3_600_000);
  expect(asked.at(-1)).toMatchObject({
    signature: expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    body: {
      gameCode: 'lab-slot',
      demo: false,
      playerId: String(player.id),
      currency: 'USDT',
      device: 'MOBILE',
      lobbyUrl: 'https://casino.example/lobby',
    },
  });
  const rows = await app.db
    .selectFrom('provider_sessions')
    .selectAll()
    .where('user_id', '=', player.id)
    .execute();
  expect(rows).toMatchObject([
    {
      token_hash: hashToken(body.sessionToken),
      provider_id: providerId,
      currency_id: 'USDT',
      device: 'MOBILE',
    },
  ]);
  const stored = await sql<{ row: string }>`select s::text as row from provider_sessions s`.execute(app.db);
  expect(stored.rows.map(({ row }) => row).join()).not.toContain(body.sessionToken);
});

test('launches a demo without a session or a player', async () => {
  const player = await app.newPlayer();
  const { status, body } = await launch(player, 'lab-slot', { demo: true });
  expect([status, body.sessionToken, body.url]).toEqual([201, null, `${origin}/play?s=demo`]);
  expect(asked.at(-1)!.body).not.toHaveProperty('playerId');
  expect(await sessions(player)).toEqual([]);
  expect(await codeOf(launch(player, 'lab-real', { demo: true }))).toBe('409 DEMO_NOT_AVAILABLE');
});

test('checks the reasons to reject a launch in a fixed order', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  expect(await codeOf(launch(player, 'nowhere'))).toBe('404 GAME_NOT_FOUND');
  expect(await codeOf(launch(player, 'dice'))).toBe('409 GAME_NOT_LAUNCHABLE');
  for (const slug of ['lab-off', 'lab-gone'])
    expect(await codeOf(launch(player, slug))).toBe('409 GAME_DISABLED');
  expect(await codeOf(launch(player, 'lab-slot', {}))).toBe('400 CURRENCY_REQUIRED');
  expect(await codeOf(launch(player, 'lab-btc', USDT))).toBe('409 CURRENCY_NOT_SUPPORTED');
  expect(await codeOf(launch(player, 'lab-slot', { currencyId: 'ETH' }))).toBe('409 CURRENCY_NOT_SUPPORTED');
  for (const returnUrl of [
    'http://casino.example.evil/',
    'https://evil.example/',
    'javascript:alert(1)',
    'https://a:b@casino.example/',
    'https://casino.example\\@evil.example/',
    'https:///casino.example/',
    'x',
  ])
    expect(await codeOf(launch(player, 'lab-slot', { ...USDT, returnUrl }))).toBe('400 VALIDATION_FAILED');
  await app.db.updateTable('game_providers').set({ enabled: false }).where('id', '=', providerId).execute();
  expect(await codeOf(launch(player, 'lab-slot'))).toBe('409 GAME_DISABLED');
  await app.db.updateTable('game_providers').set({ enabled: true }).where('id', '=', providerId).execute();
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', player.id).execute();
  expect(await codeOf(launch(player, 'lab-slot', {}))).toBe('403 USER_BANNED');
  expect(await codeOf(launch(player, 'lab-slot', { demo: true }))).toBe('201');
  const excluded = await app.newPlayer({ usdt: 5 });
  await excluded.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(await codeOf(launch(excluded, 'lab-slot'))).toBe('403 SELF_EXCLUDED');
  expect(await sessions(excluded)).toEqual([]);
  expect((await app.call('POST', '/casino/games/lab-slot/launch', { body: USDT })).status).toBe(401);
});

test('returns 502 and creates no session when the provider fails or returns an invalid address', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  const wrong = [
    { status: 500, body: {} },
    { status: 200, body: { url: 'https://evil.example/play' } },
    { status: 200, body: {} },
    { status: 403, body: { error: 'NO' } },
  ];
  for (const answer of wrong) {
    answers = () => answer;
    expect(await codeOf(launch(player, 'lab-slot'))).toBe('502 PROVIDER_UNAVAILABLE');
  }
  answers = undefined;
  expect((await sessions(player)).filter(({ live }) => live)).toEqual([]);
});

test('keeps at most five active launches per player and one per game, and ends all of them on sign-out', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  for (const letter of ['a', 'b', 'c', 'd', 'e', 'a', 'f'])
    expect((await launch(player, `lab-${letter}`)).status).toBe(201);
  const live = (await sessions(player)).filter((session) => session.live).map(({ slug }) => slug);
  expect(live).toEqual(['lab-c', 'lab-d', 'lab-e', 'lab-a', 'lab-f']);
});
