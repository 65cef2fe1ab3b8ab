/** Authentication of the sportsbook and its players, and access to their data. */
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { jwtVerify } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { storedTexts } from '../../../../../test/kit/http/fingerprint.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { deleteDue } from '../../../../platform/jobs/purge.ts';
import { units } from '../../../../platform/money.ts';
import { setBanned } from '../../../base/players/service.ts';
import { restrict } from '../../../compliance/gate/service.ts';
import { keyIdOf, remainingOf, signClaims } from './rules.ts';
import { TOKEN_EXPIRY } from './service.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));

const LOGIN = { login: 'sandbox', password: 'sandbox-sportsbook-password' };
const logIn = (body: object = LOGIN, at = app, path = '/sportsbook/external/auth/login') =>
  at.call('POST', path, { body });
const ask = (path: string, key: string, at = app) =>
  at.call('GET', `/sportsbook/external${path}`, { headers: { 'x-api-key': key } });
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code}`;

describe('the login', () => {
  test('returns a token for the sportsbook operations, and stores the hash of the token', async () => {
    const { id } = await app.newPlayer({ usdt: 5 });
    const { status, body } = await logIn();
    expect([status, body]).toEqual([201, { token: expect.stringMatching(/^[\w-]{43}$/), expiresIn: 3600 }]);
    expect((await ask(`/players/${id}`, body.token)).status).toBe(200);
    expect([...(await storedTexts(app.db))].filter((text) => text.includes(body.token))).toEqual([]);
    expect(app.lines.filter((line) => line.includes(body.token))).toEqual([]);
  });

  test('returns 401 for wrong credentials, and 429 after too many attempts', async () => {
    const wrong = [
      { ...LOGIN, password: 'x' },
      { ...LOGIN, login: 'x' },
      { login: '', password: '' },
      { login: LOGIN.password, password: LOGIN.login },
    ];
    const codes = await Promise.all(wrong.map(async (body) => outcome(await logIn(body))));
    expect(codes).toEqual([
      '401 AUTH_INVALID_CREDENTIALS',
      '401 AUTH_INVALID_CREDENTIALS',
      '400 VALIDATION_FAILED',
      '401 AUTH_INVALID_CREDENTIALS',
    ]);
    const statuses: number[] = [];
    for (let n = 0; n < app.config.SIGN_IN_TRIES; n++)
      statuses.push((await logIn({ ...LOGIN, password: `guess-${n}` })).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await logIn()).status).toBe(429);
    await app.db.deleteFrom('attempts').execute();
    expect((await logIn()).status).toBe(201);
  });

  test('keeps two tokens valid, and rejects older, expired and malformed tokens', async () => {
    const tokens: string[] = [];
    for (const at of [app, second, app]) tokens.push((await logIn(LOGIN, at)).body.token);
    const { id } = await app.newPlayer();
    const statuses = async () =>
      Promise.all(tokens.map(async (token) => (await ask(`/players/${id}`, token, second)).status));
    expect(await statuses()).toEqual([401, 200, 200]);
    await app.db
      .updateTable('sportsbook_tokens')
      .set({ expires_at: new Date(0) })
      .execute();
    expect(await statuses()).toEqual([401, 401, 401]);
    for (const none of ['', 'x', 'k'.repeat(300), randomBytes(32).toString('base64url')])
      expect(outcome(await ask(`/players/${id}`, none))).toBe('401 API_KEY_INVALID');
    await deleteDue(app.db, TOKEN_EXPIRY);
    expect(await app.db.selectFrom('sportsbook_tokens').selectAll().execute()).toEqual([]);
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => logIn()));
    const alive = await Promise.all(
      atOnce.map(async ({ body }) => (await ask(`/players/${id}`, body.token)).status),
    );
    expect(alive.filter((status) => status === 200)).toHaveLength(2);
  });

  test('rejects players and partners in sportsbook operations, and the sportsbook in other operations', async () => {
    const player = await app.newPlayer();
    const staff = await app.as({ permissions: ['apikey.write'] });
    const { key } = (await staff.call('POST', '/admin/api-keys', { body: { userId: player.id } })).body;
    const jwt = (await player.call('GET', '/sportsbook/external/token?currencyId=USDT')).body.token;
    const { token } = (await logIn()).body;
    for (const path of [`/players/${player.id}`, `/wallet/${player.id}/balances`]) {
      for (const other of [key, jwt, player.token])
        expect(outcome(await ask(path, other))).toBe('401 API_KEY_INVALID');
      expect(outcome(await player.call('GET', `/sportsbook/external${path}`))).toBe('401 API_KEY_INVALID');
      expect((await ask(path, token)).status).toBe(200);
    }
    for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }])
      for (const path of ['/user/me', '/sportsbook/external/token?currencyId=USDT'])
        expect(outcome(await app.call('GET', path, { headers }))).toBe('401 UNAUTHORIZED');
  });

  test("serves both debug routes under the provider's path", async () => {
    const { status, body } = await logIn(LOGIN, app, '/debug/sportsbook/auth');
    const { id } = await app.newPlayer();
    expect([status, (await ask(`/players/${id}`, body.token)).status]).toEqual([201, 200]);
    const keys = ['/debug/sportsbook/auth', '/sportsbook/external/auth/public-key'];
    const [debug, real] = await Promise.all(keys.map(async (path) => (await app.call('GET', path)).body));
    expect(debug).toEqual(real);
  });
});

describe("a player's token", () => {
  const issue = (player: { call: typeof app.call }, query = 'currencyId=USDT') =>
    player.call('GET', `/sportsbook/external/token?${query}`);

  test('identifies the player for 300 seconds, and can be verified with the public key', async () => {
    const player = await app.newPlayer();
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await issue(player, 'currencyId=BTC&language=pt-BR');
    expect(status).toBe(200);
    const shown = (await app.call('GET', '/sportsbook/external/auth/public-key')).body;
    expect(shown).toEqual({
      kid: expect.stringMatching(/^[0-9a-f]{16}$/),
      alg: 'RS256',
      publicKey: expect.any(String),
    });
    const key = createPublicKey(shown.publicKey);
    expect(keyIdOf(key.export({ type: 'spki', format: 'der' }))).toBe(shown.kid);
    const { payload, protectedHeader } = await jwtVerify(body.token, key, { algorithms: ['RS256'] });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: shown.kid });
    expect(payload).toEqual({
      externalUserId: String(player.id),
      defaultCurrency: 'BTC',
      country: '',
      language: 'pt-BR',
      iat: expect.any(Number),
      exp: payload.iat! + 300,
    });
    expect(Math.abs(payload.iat! - before)).toBeLessThan(30);
    const cut = body.token.slice(0, -2) + (body.token.endsWith('AA') ? 'BA' : 'AA');
    await expect(jwtVerify(cut, key)).rejects.toThrow();
  });

  test('matches the published signed tokens', () => {
    const file = new URL('../../../../../test/kit/games/providers-vectors.json', import.meta.url);
    const { sportsbookToken } = JSON.parse(readFileSync(file, 'utf8'));
    const { publicKey, privateKey, kid, vectors } = sportsbookToken;
    expect(keyIdOf(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))).toBe(kid);
    for (const { payload, token } of vectors)
      expect(signClaims(payload, { kid, key: createPrivateKey(privateKey) })).toBe(token);
  });

  test('uses one encrypted key in all processes and replaces it after 90 days', async () => {
    const shown = async (at = app) => (await at.call('GET', '/sportsbook/external/auth/public-key')).body;
    await app.db.deleteFrom('sportsbook_keys').execute();
    const made = await Promise.all([shown(), shown(second), shown(), shown(second)]);
    expect(new Set(made.map(({ kid }) => kid)).size).toBe(1);
    const rows = () => app.db.selectFrom('sportsbook_keys').selectAll().orderBy('created_at').execute();
    const [row] = await rows();
    expect(() => createPrivateKey({ key: row!.private_key, format: 'der', type: 'pkcs8' })).toThrow();
    await app.services.sportsbook.keys.renew();
    expect(await rows()).toHaveLength(1);
    await sql`update sportsbook_keys set created_at = now() - interval '91 days'`.execute(app.db);
    await Promise.all([app, second].map(({ services }) => services.sportsbook.keys.renew()));
    const [old, next, ...more] = await rows();
    expect([old!.kid, old!.retired_at !== null, next!.retired_at, more]).toEqual([row!.kid, true, null, []]);
    expect((await shown()).kid).toBe(next!.kid);
    const { token } = (await issue(await app.newPlayer())).body;
    expect(JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid).toBe(next!.kid);
  });

  test('rejects a token request for the same reasons as a launch', async () => {
    const player = await app.newPlayer();
    expect(outcome(await issue(player, 'currencyId=NONE'))).toBe('404 CURRENCY_NOT_FOUND');
    expect(outcome(await issue(player, ''))).toBe('400 VALIDATION_FAILED');
    expect(outcome(await issue(player, 'currencyId=USDT&language=x'))).toBe('400 VALIDATION_FAILED');
    expect(outcome(await app.call('GET', '/sportsbook/external/token?currencyId=USDT'))).toBe(
      '401 UNAUTHORIZED',
    );
    await transaction(app.db, (tx) => setBanned(tx, player.id, true));
    expect(outcome(await issue(player))).toBe('403 USER_BANNED');
    const excluded = await app.newPlayer();
    const until = new Date(Date.now() + 60_000);
    await transaction(app.db, (tx) =>
      restrict(tx, { userId: excluded.id, excludedUntil: until, playFrom: until, limits: {}, play: null }),
    );
    expect(outcome(await issue(excluded))).toBe('403 SELF_EXCLUDED');
    await app.db.updateTable('games').set({ enabled: false }).where('slug', '=', 'sportsbook').execute();
    await app.services.catalogue.state.reload();
    expect(outcome(await issue(await app.newPlayer()))).toBe('409 GAME_DISABLED');
    await app.db.updateTable('games').set({ enabled: true }).where('slug', '=', 'sportsbook').execute();
    await app.services.catalogue.state.reload();
  });

  test('keeps only one active launch when one page requests many tokens', async () => {
    const player = await app.newPlayer();
    for (const currency of ['USDT', 'USDT', 'BTC', 'BTC']) await issue(player, `currencyId=${currency}`);
    const kept = await app.db
      .selectFrom('provider_sessions')
      .select(['currency_id', 'ended_at'])
      .where('user_id', '=', player.id)
      .orderBy('id')
      .execute();
    expect(kept.map((k) => [k.currency_id, k.ended_at === null])).toEqual([
      ['USDT', false],
      ['BTC', true],
    ]);
  });
});

describe("a player's data for the sportsbook", () => {
  test('returns identity, remaining limits and balances', async () => {
    const { token } = (await logIn()).body;
    const player = await app.newPlayer({ usdt: 12 });
    await player.call('GET', '/sportsbook/external/token?currencyId=BTC');
    expect((await ask(`/players/${player.id}`, token)).body).toEqual({
      id: String(player.id),
      username: player.username,
      currency: 'BTC',
      country: '',
      language: 'en',
      isBlocked: false,
      isExcluded: false,
      limits: { wagerRemaining: null, lossRemaining: null },
    });
    const until = new Date(Date.now() + 60_000);
    await transaction(app.db, (tx) =>
      restrict(tx, {
        userId: player.id,
        excludedUntil: until,
        playFrom: null,
        limits: { WAGER: { DAY: units('25'), WEEK: units('20.5') }, LOSS: { MONTH: units('7') } },
        play: null,
      }),
    );
    await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', player.id).execute();
    expect((await ask(`/players/${player.id}`, token)).body).toMatchObject({
      isBlocked: true,
      isExcluded: true,
      limits: { wagerRemaining: '20.5', lossRemaining: '7' },
    });
    const balances = async (query = '') => (await ask(`/wallet/${player.id}/balances${query}`, token)).body;
    const usdt = { currency: 'USDT', cash: '12', locked: '0', bonus: '0' };
    expect(await balances()).toEqual([{ ...usdt, currency: 'BTC', cash: '0' }, usdt]);
    expect(await balances('?currencies=USDT')).toEqual([usdt]);
    expect(await balances('?currencies=ETH&currencies=USDT&currencies=NONE')).toEqual([
      { ...usdt, currency: 'ETH', cash: '0' },
      usdt,
    ]);
  });

  test("rejects unknown ids in the sportsbook's own error format", async () => {
    const { token } = (await logIn()).body;
    for (const id of ['2147483647', '0', '-1', 'x', '1e3', '99999999999999999999', 'a'.repeat(500)])
      for (const path of [`/players/${id}`, `/wallet/${id}/balances`])
        expect(outcome(await ask(path, token)), path).toBe('400 error.user.not-found');
  });

  test('returns the lowest remaining limit, which is never below zero', () => {
    const at = new Date('2026-11-25T12:00:00.000Z');
    const start = new Date('2026-11-25T00:00:00.000Z');
    const played = { start, staked: units('30'), paid: units('4'), playedMs: 0 };
    const play = {
      lastAt: at,
      DAY: played,
      WEEK: { ...played, start: new Date('2026-11-23T00:00:00.000Z') },
      MONTH: { ...played, start: new Date('2026-11-01T00:00:00.000Z') },
    };
    const of = (limits: object) =>
      remainingOf({ userId: 1, excludedUntil: null, playFrom: null, limits, play }, at);
    expect(remainingOf(undefined, at)).toEqual({ wagerRemaining: null, lossRemaining: null });
    expect(of({ WAGER: { DAY: units('31'), MONTH: units('30.5') } })).toEqual({
      wagerRemaining: '0.5',
      lossRemaining: null,
    });
    expect(of({ WAGER: { DAY: units('20') }, LOSS: { WEEK: units('26.25') } })).toEqual({
      wagerRemaining: '0',
      lossRemaining: '0.25',
    });
  });
});
