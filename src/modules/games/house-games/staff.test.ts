/** Settings of the house games that staff can change: limits, when changes take effect, concurrency, the audit log and the kill switch. */
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { HOUSE_SETTINGS } from '../../../../test/kit/http/requests.ts';

const one = fixture(startApp);
const two = fixture(() => startApp({ database: one.database, reconcileOnStop: false }));
const boss = fixture(() => one.as({ permissions: ['casino.read', 'casino.write'] }));
const clerk = fixture(() => one.as({ permissions: ['casino.read'] }));
const player = fixture(() => one.newPlayer({ usdt: 10_000 }));
afterEach(async () => {
  expect((await change(HOUSE_SETTINGS)).status).toBe(201);
  for (const app of [one, two]) await expect.poll(() => app.services.games.get('dice').settings.rtp).toBe(99);
});

const PATH = '/admin/casino/games/house/settings';
const change = (body: object, { call, token } = { call: boss.call, token: boss.token }) =>
  call('POST', PATH, { body, token });
const settings = async () => (await boss.call('GET', PATH)).body;
const times = (changes: object) => ({
  timeConfig: { ...HOUSE_SETTINGS['speed-roulette'].timeConfig, ...changes },
});
const auditRows = async () => {
  const { rows } = await sql<{ reason: string | null; before: any; after: any; path: string }>`
    select path, reason, before, after from admin_audit where user_id = ${boss.id} and method = 'POST' and status_code = 201
    order by id desc limit 2`.execute(one.db);
  return rows;
};

test('lists all nine games for staff with read permission, but rejects their changes', async () => {
  expect((await clerk.call('GET', PATH)).body).toEqual(HOUSE_SETTINGS);
  expect((await change({ dice: { enabled: false } }, clerk)).status).toBe(403);
  const kill = await clerk.call('POST', '/admin/casino/games/house/dice/kill-switch', {
    body: { enabled: true, reason: 'no right' },
  });
  expect([kill.status, (await player.call('GET', PATH)).status]).toEqual([403, 403]);
  expect(await settings()).toEqual(HOUSE_SETTINGS);
});

describe('bounds: accepted values', () => {
  test.each<[string, object]>([
    ['dice', { minBet: 1e-8 }],
    ['dice', { minBet: 1000 }],
    ['dice', { maxBet: 0.01 }],
    ['dice', { maxBet: 100000 }],
    ['dice', { maxProfit: 1000 }],
    ['dice', { maxBet: 123456.78901234, maxProfit: 123456.78901234 }],
    ['dice', { minBet: 90071992547.40993, maxBet: 90071992547.40993, maxProfit: 92233720368.54773 }],
    ['dice', { rtp: 80 }],
    ['dice', { rtp: 99.9 }],
    ['dice', { rtp: 98.76 }],
    ['dice', { maxMultiplier: 2 }],
    ['dice', { maxMultiplier: 9900 }],
    ['limbo', { minMultiplier: 1.01, maxMultiplier: 1.02 }],
    ['limbo', { minMultiplier: 999999.99, maxMultiplier: 1000000 }],
    ['limbo', { rtp: 80.01 }],
    ['mines', { rtp: 99.89 }],
    ['monkey-run', { rtp: 80 }],
    ['keno', { rtp: 99 }],
    ['plinko', { rtp: 99, manualMs: 0, autoMs: 60000 }],
    ['plinko', { manualMs: 60000, autoMs: 0 }],
    ['roulette', { rtp: 97.3, enabled: false }],
    ['blackjack', { rtp: 99.55, maxBet: 5 }],
    ['speed-roulette', { rtp: 93.33, ...times({ bettingMs: 3000, waitingMs: 0, resultMs: 1000 }) }],
    ['speed-roulette', times({ bettingMs: 120000, waitingMs: 60000, resultMs: 60000 })],
  ])('changes %s by %j', async (game, config) => {
    const { status, body } = await change({ [game]: config });
    const expected = { ...HOUSE_SETTINGS, [game]: { ...HOUSE_SETTINGS[game as 'dice'], ...config } };
    expect([status, body]).toEqual([201, expected]);
    expect(await settings()).toEqual(expected);
  });
});

describe('bounds: rejected values', () => {
  test.each<[string, object, string[]]>([
    ['dice', { minBet: 0 }, ['dice.minBet']],
    ['dice', { minBet: -0.01 }, ['dice.minBet']],
    ['dice', { minBet: 1e-9 }, ['dice.minBet']],
    ['dice', { minBet: 0.123456789 }, ['dice.minBet']],
    ['dice', { minBet: 1.0000000000000002 }, ['dice.minBet']],
    ['dice', { minBet: 0.1 + 0.2 }, ['dice.minBet']],
    ['dice', { minBet: 1000.00000001 }, ['dice.minBet']],
    ['dice', { maxBet: 0.00999999 }, ['dice.minBet']],
    ['dice', { maxBet: 100000.00000001 }, ['dice.maxProfit']],
    ['dice', { maxProfit: 999.99999999 }, ['dice.maxProfit']],
    ['dice', { maxProfit: 92233720368.54776 }, ['dice.maxProfit']],
    ['dice', { maxProfit: 1e21 }, ['dice.maxProfit']],
    ['dice', { rtp: 79.99 }, ['dice.rtp']],
    ['dice', { rtp: 99.91 }, ['dice.rtp']],
    ['dice', { rtp: 98.765 }, ['dice.rtp']],
    ['dice', { rtp: 95.00000000000001 }, ['dice.rtp']],
    ['dice', { maxMultiplier: 1.99 }, ['dice.maxMultiplier']],
    ['dice', { maxMultiplier: 9900.01 }, ['dice.maxMultiplier']],
    ['dice', { minMultiplier: 2 }, ['dice.minMultiplier']],
    ['limbo', { minMultiplier: 1 }, ['limbo.minMultiplier']],
    ['limbo', { maxMultiplier: 1000000.01 }, ['limbo.maxMultiplier']],
    ['limbo', { minMultiplier: 2, maxMultiplier: 2 }, ['limbo.minMultiplier']],
    ['limbo', { maxMultiplier: 1.01 }, ['limbo.minMultiplier']],
    ['limbo', { rtp: 79.99 }, ['limbo.rtp']],
    ['mines', { rtp: 99.91 }, ['mines.rtp']],
    ['mines', { maxMultiplier: 10 }, ['mines.maxMultiplier']],
    ['monkey-run', { rtp: 79.99 }, ['monkey-run.rtp']],
    ['monkey-run', { difficulties: {} }, ['monkey-run.difficulties']],
    ['keno', { rtp: 98 }, ['keno.rtp']],
    ['keno', { multipliers: {} }, ['keno.multipliers']],
    ['plinko', { rtp: 99.01 }, ['plinko.rtp']],
    ['plinko', { manualMs: -1 }, ['plinko.manualMs']],
    ['plinko', { manualMs: 1.5, autoMs: 60001 }, ['plinko.manualMs', 'plinko.autoMs']],
    ['roulette', { rtp: 97.29 }, ['roulette.rtp']],
    ['roulette', { timeConfig: HOUSE_SETTINGS['speed-roulette'].timeConfig }, ['roulette.timeConfig']],
    ['blackjack', { rtp: 99.56, manualMs: 1 }, ['blackjack.rtp', 'blackjack.manualMs']],
    ['speed-roulette', { rtp: 93.34 }, ['speed-roulette.rtp']],
    ['speed-roulette', times({ bettingMs: 2999 }), ['speed-roulette.timeConfig.bettingMs']],
    ['speed-roulette', times({ bettingMs: 120001 }), ['speed-roulette.timeConfig.bettingMs']],
    ['speed-roulette', times({ waitingMs: -1 }), ['speed-roulette.timeConfig.waitingMs']],
    ['speed-roulette', times({ waitingMs: 60001 }), ['speed-roulette.timeConfig.waitingMs']],
    ['speed-roulette', times({ resultMs: 999 }), ['speed-roulette.timeConfig.resultMs']],
    ['speed-roulette', times({ resultMs: 60001 }), ['speed-roulette.timeConfig.resultMs']],
  ])('rejects a change of %s by %j', async (game, config, paths) => {
    // The valid change in the same request is not applied either.
    const { status, body } = await change({ mines: { maxBet: 7 }, [game]: { maxBet: 1000, ...config } });
    expect([status, body.code, body.details.fields.map((f: { path: string }) => f.path)]).toEqual([
      400,
      'VALIDATION_FAILED',
      paths,
    ]);
    expect(await settings()).toEqual(HOUSE_SETTINGS);
  });

  test.each<[string, unknown]>([
    ['an unknown game', { poker: { enabled: true } }],
    ['an unknown field', { dice: { bomb: 1 } }],
    ['an amount as text', { dice: { minBet: '1' } }],
    ['null', { dice: { minBet: null } }],
    ['an incomplete timeConfig', { 'speed-roulette': { timeConfig: { bettingMs: 5000 } } }],
    ['a list', []],
  ])('%s', async (_, body) => {
    expect(codeOf(await change(body as object))).toBe('400 VALIDATION_FAILED');
    expect(await settings()).toEqual(HOUSE_SETTINGS);
  });
});

describe('audit', () => {
  test('records the changed fields with old and new values, and records nothing for a request without changes', async () => {
    await change({ dice: { rtp: 97, maxBet: 1000 }, mines: { maxBet: 500 }, keno: {} });
    const [row] = await auditRows();
    expect(row).toMatchObject({
      before: { dice: { rtp: 99 }, mines: { maxBet: 1000 } },
      after: { dice: { rtp: 97 }, mines: { maxBet: 500 } },
    });
    await change({ dice: { rtp: 97 } });
    await change({});
    for (const { before, after } of await auditRows()) expect([before, after]).toEqual([null, null]);
  });
});

test('keeps the changes of both administrators when they change settings concurrently', async () => {
  const fields = [
    { dice: { rtp: 90 } },
    { dice: { maxMultiplier: 50 } },
    { dice: { minBet: 2 }, limbo: { minBet: 3 } },
    { limbo: { maxBet: 400 }, dice: { maxBet: 500 } },
    { limbo: { rtp: 91 } },
    { dice: { maxProfit: 5000 } },
  ];
  for (let round = 0; round < 5; round++) {
    const all = fields.map((body, i) => change(body, { call: (i % 2 ? one : two).call, token: boss.token }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(fields.map(() => 201));
    expect(await settings()).toMatchObject({
      dice: { rtp: 90, maxMultiplier: 50, minBet: 2, maxBet: 500, maxProfit: 5000 },
      limbo: { rtp: 91, minBet: 3, maxBet: 400 },
    });
    await change(HOUSE_SETTINGS);
  }
  // Each value is valid alone, but not together with the other one, so one of the two changes is rejected.
  const both = [{ dice: { minBet: 600 } }, { dice: { maxBet: 500 } }];
  const answers = await Promise.all(both.map((body) => change(body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
});

describe('settings apply to later rounds only', () => {
  test('applies changes to the RTP and limits of dice to later rounds in both processes within a second', {
    retry: 2,
  }, async () => {
    const bet = (app: TestApp, betAmount = '1') =>
      betOnDice({ call: (m, p, o) => app.call(m, p, { token: player.token, ...o }) } as Player, {
        betAmount,
      });
    const before = await bet(two);
    expect(before.body.offeredMultiplier).toBe(1.98);
    await change({ dice: { rtp: 90.5, minBet: 0.5, maxBet: 5, maxProfit: 5 } });
    const changed = performance.now();
    await expect
      .poll(async () => (await bet(two)).body.offeredMultiplier, { timeout: 3000, interval: 20 })
      .toBe(1.81);
    expect(performance.now() - changed).toBeLessThan(1000);
    const after = await bet(one);
    expect(after.body.offeredMultiplier).toBe(1.81);
    for (const app of [one, two]) {
      expect(codeOf(await bet(app, '0.49'))).toBe('400 AMOUNT_OUT_OF_RANGE');
      expect(codeOf(await bet(app, '5.01'))).toBe('400 AMOUNT_OUT_OF_RANGE');
      expect(codeOf(await bet(app, '0.5'))).toBe('201');
    }
    expect((await player.call('GET', '/casino/games/house/dice/config')).body).toEqual({
      minBet: 0.5,
      maxBet: 5,
      maxProfit: 5,
      maxMultiplier: 9900,
      rtp: 90.5,
    });
    const terms = async (id: string) =>
      one.db
        .selectFrom('bets')
        .select(['rtp_bp', 'max_profit_usd'])
        .where('id', '=', BigInt(id))
        .executeTakeFirst();
    expect(await terms(before.body.betId)).toEqual({ rtp_bp: 9900, max_profit_usd: 10_000_000_000_000n });
    expect(await terms(after.body.betId)).toEqual({ rtp_bp: 9050, max_profit_usd: 500_000_000n });
  });
});

describe('the kill switch', () => {
  const kill = (game: string, body: object) =>
    boss.call('POST', `/admin/casino/games/house/${game}/kill-switch`, { body });

  test('stops and resumes one game, reports its open rounds, and writes the reason to the audit log', async () => {
    const mines = one.services.games.get('mines').id;
    await one.db
      .insertInto('rounds')
      .values({ user_id: player.id, game_id: mines, bet_id: 1n, bet_usd: 1n, stake: 1n, state: '{}' })
      .execute();
    const { status, body } = await kill('mines', { enabled: true, reason: '  bombs are seen  ' });
    const by = {
      id: boss.id,
      username: boss.username,
      email: expect.stringMatching(/^s_\*+@/),
      avatar: null,
      vipLevel: 0,
    };
    expect([status, body]).toEqual([
      201,
      { game: 'mines', enabled: true, reason: 'bombs are seen', openRounds: 1, by, at: expect.any(String) },
    ]);
    expect((await auditRows())[0]).toEqual({
      path: '/admin/casino/games/house/mines/kill-switch',
      reason: 'bombs are seen',
      before: { mines: { enabled: true } },
      after: { mines: { enabled: false } },
    });
    const { mines: stopped, ...others } = await settings();
    expect(stopped).toEqual({ ...HOUSE_SETTINGS.mines, enabled: false });
    expect(others).toEqual((({ mines: _, ...rest }) => rest)(HOUSE_SETTINGS));
    const again = await kill('mines', { enabled: false, reason: 'repaired' });
    expect([again.status, again.body.enabled]).toEqual([201, false]);
    expect(await settings()).toEqual(HOUSE_SETTINGS);
    await one.db.deleteFrom('rounds').execute();
  });

  test.each<[string, string, object, string]>([
    ['an unknown game', 'poker', { enabled: true, reason: 'x' }, '404 GAME_NOT_FOUND'],
    ['no reason', 'dice', { enabled: true }, '400 VALIDATION_FAILED'],
    ['a blank reason', 'dice', { enabled: true, reason: '  ' }, '400 VALIDATION_FAILED'],
    ['a reason too long', 'dice', { enabled: true, reason: 'x'.repeat(501) }, '400 VALIDATION_FAILED'],
    ['no switch', 'dice', { reason: 'x' }, '400 VALIDATION_FAILED'],
  ])('rejects %s', async (_, game, body, code) => {
    expect(codeOf(await kill(game, body))).toBe(code);
    expect(await settings()).toEqual(HOUSE_SETTINGS);
  });

  test('returns 404 for a game that is not a house game', async () => {
    await sql`update games set type = 'EVO_GAME' where slug = 'keno'`.execute(one.db);
    expect(codeOf(await kill('keno', { enabled: true, reason: 'x' }))).toBe('404 GAME_NOT_FOUND');
    await sql`update games set type = 'HOUSE_GAME' where slug = 'keno'`.execute(one.db);
  });
});
