/** Countries where series of bets are forbidden, and the minimum time between bets. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { playLaid } from '../../../../test/kit/games/blackjack.ts';
import { HOUSE_BETS, type SingleStep } from '../../../../test/kit/games/house.ts';
import {
  betOn as betOnColor,
  startLongRounds,
  turnUntil,
} from '../../../../test/kit/games/speed-roulette.ts';

const app = fixture(() => startLongRounds({ TRUSTED_PROXIES: '127.0.0.1' }));
const second = fixture(() => startApp({ database: app.database, env: app.env }));
const boss = fixture(() => app.as('superadmin'));
afterEach(() =>
  configure({ seriesByCountry: { GB: false }, minBetIntervalMs: 0, minBetIntervalMsByCountry: {} }),
);

const HOUSE = '/casino/games/house';
const BRITISH = { 'x-forwarded-for': '81.2.69.142' };
const GERMAN = { 'x-forwarded-for': '91.10.0.1' };

/** Changes the site settings and waits until the other process has loaded the new ones. */
async function configure(body: object, by = boss) {
  const answer = await by.call('PATCH', '/admin/config/COMMON', { body });
  if (answer.status === 200)
    await expect.poll(() => second.services.siteConfig.get('COMMON')).toMatchObject(answer.body);
  return answer;
}
const series = (player: Player, game: SingleStep = 'dice', headers = {}, count = 3) =>
  player.call('POST', `${HOUSE}/${game}/series`, { body: { ...HOUSE_BETS[game], count }, headers });
const bet = (player: Player, headers = {}, through: TestApp = app) =>
  through.call('POST', `${HOUSE}/dice/bet`, { token: player.token, body: HOUSE_BETS.dice, headers });
const nonceOf = async (player: Player): Promise<number> =>
  (await player.call('GET', '/fairness/seeds')).body.nonce;
/** Moves the time of the player's last bet into the past. */
const wait = ({ id }: Player, ms: number) =>
  sql`update players set last_bet_at = last_bet_at - ${ms} * interval '1 millisecond' where user_id = ${id}`.execute(
    app.db,
  );

describe('series', () => {
  test.each(Object.keys(HOUSE_BETS) as SingleStep[])(
    'rejects a series of %s in Great Britain, but not elsewhere, and accepts single bets',
    async (game) => {
      const player = await app.newPlayer({ usdt: 100 });
      const refused = await series(player, game, BRITISH);
      expect([codeOf(refused), refused.body.details]).toEqual(['403 SERIES_CLOSED', { country: 'GB' }]);
      expect([await cashOf(player), await nonceOf(player)]).toEqual(['100', 0]);
      expect((await bet(player, BRITISH)).status).toBe(201);
      expect((await series(player, game, GERMAN)).status).toBe(201);
      expect((await series(player, game)).status).toBe(201);
    },
  );

  test('rejects a series of bets by players linked to a country that forbids series, even if they are elsewhere now', async () => {
    const [byAccount, byRegistration] = [
      await app.newPlayer({ usdt: 100 }),
      await app.newPlayer({ usdt: 100 }),
    ];
    await app.db.updateTable('users').set({ country_code: 'GB' }).where('id', '=', byAccount.id).execute();
    await app.db
      .updateTable('registration_info')
      .set({ country_code: 'GB' })
      .where('user_id', '=', byRegistration.id)
      .execute();
    for (const player of [byAccount, byRegistration])
      expect(codeOf(await series(player, 'dice', GERMAN))).toBe('403 SERIES_CLOSED');
  });

  test('returns the stored response for a repeated key after series were disabled, without placing more bets', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const key = { 'idempotency-key': randomUUID() };
    const made = await series(player, 'dice', { ...GERMAN, ...key });
    expect((await series(player, 'dice', { ...BRITISH, ...key })).body).toEqual(made.body);
    const other = { ...BRITISH, 'idempotency-key': randomUUID() };
    expect(codeOf(await series(player, 'dice', other))).toBe('403 SERIES_CLOSED');
    // The rejection is not stored, so the same key can be used from another country.
    expect((await series(player, 'dice', { ...other, ...GERMAN })).status).toBe(201);
    expect(await nonceOf(player)).toBe(6);
  });

  test('publishes the countries where series are disabled, as configured by superadmins', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    expect((await configure({ seriesByCountry: { DE: false } })).status).toBe(200);
    expect((await app.call('GET', '/config/USER')).body.seriesByCountry).toEqual({ DE: false });
    expect(codeOf(await series(player, 'dice', GERMAN))).toBe('403 SERIES_CLOSED');
    expect((await series(player, 'dice', BRITISH)).status).toBe(201);
    for (const bad of [
      { seriesByCountry: { gb: false } },
      { seriesByCountry: [] },
      { minBetIntervalMs: -1 },
      { minBetIntervalMs: 60_001 },
      { minBetIntervalMs: 2.5 },
      { minBetIntervalMsByCountry: { GBR: 1 } },
      { minBetIntervalMsByCountry: { GB: '2500' } },
    ])
      expect(codeOf(await configure(bad)), JSON.stringify(bad)).toBe('400 VALIDATION_FAILED');
    const clerk = await app.as({ permissions: ['casino.write'] });
    expect(codeOf(await configure({ minBetIntervalMs: 0 }, clerk))).toBe('403 FORBIDDEN');
  });
});

describe('time between bets', () => {
  test('rejects an early bet in every process with the time to wait, and accepts the bet later', async () => {
    await configure({ minBetIntervalMs: 30_000 });
    const player = await app.newPlayer({ usdt: 100 });
    expect((await bet(player)).status).toBe(201);
    for (const through of [second, app]) {
      const refused = await bet(player, {}, through);
      expect(codeOf(refused)).toBe('429 BET_TOO_SOON');
      const { retryAfterMs, minBetIntervalMs } = refused.body.details;
      expect(minBetIntervalMs).toBe(30_000);
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(retryAfterMs).toBeLessThanOrEqual(30_000);
      expect(Number(refused.headers.get('retry-after'))).toBe(Math.ceil(retryAfterMs / 1000));
    }
    expect(await nonceOf(player)).toBe(1);
    await wait(player, 30_000);
    expect((await bet(player, {}, second)).status).toBe(201);
    expect(codeOf(await bet(player))).toBe('429 BET_TOO_SOON');
    expect(await nonceOf(player)).toBe(2);
    // The minimum time applies to each player separately.
    expect((await bet(await app.newPlayer({ usdt: 1 }))).status).toBe(201);
  });

  test('accepts only one of several concurrent bets in two processes', async () => {
    await configure({ minBetIntervalMs: 30_000 });
    const player = await app.newPlayer({ usdt: 100 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => bet(player, {}, i % 2 ? app : second)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await nonceOf(player)).toBe(1);
    const { body } = await series(await app.newPlayer({ usdt: 100 }), 'dice');
    expect([body.bets.length, body.refused.code]).toEqual([1, 'BET_TOO_SOON']);
  });

  test('returns the stored response for a repeated key, and accepts a rejected key once the minimum time has passed', async () => {
    await configure({ minBetIntervalMs: 30_000 });
    const player = await app.newPlayer({ usdt: 100 });
    const [first, next] = [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }];
    const made = await bet(player, first);
    expect((await bet(player, first)).text).toBe(made.text);
    expect(codeOf(await bet(player, next))).toBe('429 BET_TOO_SOON');
    await wait(player, 30_000);
    expect((await bet(player, next)).status).toBe(201);
  });

  test('starts the waiting time after a bet of any kind, but not after an action on an open round', async () => {
    await configure({ minBetIntervalMs: 30_000 });
    await turnUntil(app, 'BETTING');
    const begins: ((player: Player) => Promise<unknown>)[] = [
      (player) => betOnColor(player, 'RED'),
      (player) => playLaid(player, '6h 5d 7c Ts 9h', {}, ['DOUBLE']),
      (player) => playLaid(player, '8h 8d 7c Ts 3h Tc', {}, ['SPLIT', 'STAND', 'STAND']),
      async (player) => {
        const body = { currencyId: 'USDT', betAmount: '1', gridCellsCount: 64, bombsCount: 1 };
        expect((await player.call('POST', `${HOUSE}/mines/play`, { body })).status).toBe(201);
        for (const cellIndex of [0, 1]) {
          const { status } = await player.call('POST', `${HOUSE}/mines/open`, { body: { cellIndex } });
          // The first pick hits a bomb and ends the round.
          expect([201, 404]).toContain(status);
        }
      },
    ];
    for (const begin of begins) {
      const player = await app.newPlayer({ usdt: 100 });
      await begin(player);
      expect(codeOf(await bet(player))).toBe('429 BET_TOO_SOON');
      expect(codeOf(await betOnColor(player, 'RED'))).toBe('429 BET_TOO_SOON');
      await wait(player, 30_000);
      expect((await bet(player)).status).toBe(201);
    }
  });

  test("applies the longer of the general minimum time and the minimum time in the bet's country", async () => {
    await configure({ minBetIntervalMsByCountry: { GB: 30_000 } });
    const player = await app.newPlayer({ usdt: 100 });
    for (let i = 0; i < 3; i++) expect((await bet(player, GERMAN)).status).toBe(201);
    expect(codeOf(await bet(player, BRITISH))).toBe('429 BET_TOO_SOON');
    await configure({ minBetIntervalMs: 40_000 });
    expect((await bet(player, BRITISH)).body.details.minBetIntervalMs).toBe(40_000);
  });

  test('stores no bet time when no minimum time is set', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    for (let i = 0; i < 5; i++) expect((await bet(player)).status).toBe(201);
    const { rows } = await sql<{ at: Date | null }>`
      select last_bet_at as at from players where user_id = ${player.id}`.execute(app.db);
    expect(rows).toEqual([{ at: null }]);
  });
});
