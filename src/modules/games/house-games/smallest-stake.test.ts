/** The minimum stake of a currency: 100 of its smallest unit, or the value set by staff. */
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { playLaid } from '../../../../test/kit/games/blackjack.ts';
import { betOn, HOUSE_BETS, type SingleStep } from '../../../../test/kit/games/house.ts';
import { whileSet } from '../../../../test/kit/games/house-rounds.ts';
import {
  betOn as betOnColor,
  startLongRounds,
  turnUntil,
} from '../../../../test/kit/games/speed-roulette.ts';
import { units } from '../../../platform/money.ts';

const app = fixture(startLongRounds);
const second = fixture(() => startApp({ database: app.database, env: app.env }));
const boss = fixture(() => app.as('superadmin'));

const HOUSE = '/casino/games/house';
const euros = (betAmount: string) => ({ currencyId: 'EUR', betAmount });
/** One euro is 1.08 dollars, so 1.07 dollars are 0.99 euros. */
const [TOO_LITTLE, ENOUGH] = ['1.07', '1.08'];
const REFUSED = {
  status: 400,
  body: {
    code: 'AMOUNT_OUT_OF_RANGE',
    details: { currencyId: 'EUR', minBet: '1.08', minStake: '1' },
  },
};

async function withEuros(): Promise<Player> {
  const balances = [{ currencyId: 'EUR', amount: '100' }];
  const { body } = await app.call('POST', '/debug/user/create', { body: { balances } });
  return app.newPlayer({ username: body.username });
}
async function expectNothing(player: Player): Promise<void> {
  expect(await cashOf(player, 'EUR')).toBe('100');
  expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(0);
  expect((await player.call('GET', '/bets')).body.total).toBe(0);
}
const inRoulette = (game: SingleStep, amount: string) =>
  game === 'roulette' ? { params: { bets: [{ type: 'RED', numbers: [], amount }] } } : {};
const set = (minStakes: unknown, by: Pick<Player, 'call'> = boss) =>
  by.call('PATCH', '/admin/config/COMMON', { body: { minStakes } });
const listed = async (at: TestApp = app) => (await at.call('GET', '/config/USER')).body.minStakes;

/** Functions that place a bet of each kind with the given first stake in dollars. */
const BETS: readonly [string, (player: Player, usd: string) => Promise<{ status: number; body: any }>][] = [
  ...(Object.keys(HOUSE_BETS) as SingleStep[]).flatMap((game): typeof BETS => [
    [game, (player, usd) => betOn(player, game, { ...euros(usd), ...inRoulette(game, usd) })],
    [
      `a series of ${game}`,
      (player, usd) =>
        player.call('POST', `${HOUSE}/${game}/series`, {
          body: { ...HOUSE_BETS[game], ...euros(usd), ...inRoulette(game, usd), count: 3 },
        }),
    ],
  ]),
  [
    'mines',
    (player, usd) =>
      player.call('POST', `${HOUSE}/mines/play`, {
        body: { ...euros(usd), gridCellsCount: 25, bombsCount: 1 },
      }),
  ],
  [
    'mines by itself',
    (player, usd) =>
      player.call('POST', `${HOUSE}/mines/auto-spin`, {
        body: { ...euros(usd), gridCellsCount: 25, bombsCount: 1, cellIndices: [0] },
      }),
  ],
  [
    'monkey-run',
    (player, usd) =>
      player.call('POST', `${HOUSE}/monkey-run/bet`, { body: { ...euros(usd), difficulty: 'EASY' } }),
  ],
  ['blackjack', (player, usd) => player.call('POST', `${HOUSE}/blackjack/init`, { body: euros(usd) })],
  [
    'a side bet',
    (player, usd) =>
      player.call('POST', `${HOUSE}/blackjack/init`, { body: { ...euros('10'), sideBetAmount: usd } }),
  ],
  ['speed-roulette', (player, usd) => betOnColor(player, 'RED', euros(usd))],
];

describe('a stake below 100 of the smallest units', () => {
  test.each(BETS)(
    'rejects a small stake on %s with an error that contains the smallest accepted stake',
    async (_, bet) => {
      const player = await withEuros();
      await turnUntil(app, 'BETTING');
      expect(await bet(player, TOO_LITTLE)).toMatchObject(REFUSED);
      await expectNothing(player);
      expect((await bet(player, ENOUGH)).status).toBe(201);
    },
  );

  test('applies the minimum to the total of a roulette bet, so that single chips may be smaller', async () => {
    const player = await withEuros();
    const chips = Array.from({ length: 36 }, (_, n) => ({ type: 'STRAIGHT', numbers: [n], amount: '0.03' }));
    const { status } = await betOn(player, 'roulette', { ...euros(ENOUGH), params: { bets: chips } });
    expect(status).toBe(201);
  });

  test('does not apply the minimum to insurance, which is half the stake', async () => {
    const player = await withEuros();
    const end = await playLaid(player, 'Th 9d Ac Ts', euros(ENOUGH), ['INSURANCE']);
    expect(end).toMatchObject({ status: 'FINISHED', insuranceAmount: '0.54' });
    // Stakes of 1 and 0.5 euros are debited, and 1.5 euros are returned.
    expect(await cashOf(player, 'EUR')).toBe('100');
  });

  test("applies the higher of the game's and the currency's minimum stake", async () => {
    const player = await withEuros();
    await whileSet(app, 'dice', { minBet: '2.5' }, async () => {
      await expect.poll(() => app.services.games.get('dice').settings.minBet).toBe(units('2.5'));
      const details = { minBet: '2.5', minStake: '1', currencyId: 'EUR' };
      expect((await betOn(player, 'dice', euros('2.49'))).body).toMatchObject({ details });
      expect((await betOn(player, 'dice', euros('2.5'))).status).toBe(201);
    });
  });

  test('returns the same rejection for a repeated Idempotency-Key', async () => {
    const player = await withEuros();
    const headers = { 'idempotency-key': 'less-than-enough' };
    const answers = [await betOn(player, 'dice', euros(TOO_LITTLE), headers)];
    answers.push(await betOn(player, 'dice', euros(TOO_LITTLE), headers));
    for (const answer of answers) expect(answer).toMatchObject(REFUSED);
    await expectNothing(player);
  });
});

describe('the minimum set by staff', () => {
  test('shows the minimum stake to everyone, applies it in every process, audits its changes and allows a reset', async () => {
    expect(await listed()).toMatchObject({ BTC: '0.000001', USDT: '0.0001', EUR: '1', USD: '1' });
    const player = await withEuros();
    expect((await set({ EUR: '5', BTC: '0.00001' })).status).toBe(200);
    try {
      expect(await listed()).toMatchObject({ BTC: '0.00001', USDT: '0.0001', EUR: '5' });
      await expect.poll(() => listed(second)).toMatchObject({ EUR: '5' });
      const body = { ...HOUSE_BETS.dice, ...euros('5.39') };
      const refused = await second.call('POST', `${HOUSE}/dice/bet`, { token: player.token, body });
      expect(refused.body).toMatchObject({
        code: 'AMOUNT_OUT_OF_RANGE',
        details: { currencyId: 'EUR', minStake: '5', minBet: '5.4', maxBet: '1000' },
      });
      expect((await betOn(player, 'dice', euros('5.4'))).status).toBe(201);
      const audited = await app.db
        .selectFrom('admin_audit')
        .select(['before', 'after'])
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      expect(audited).toEqual({
        before: { minStakes: {} },
        after: { minStakes: { EUR: '5', BTC: '0.00001' } },
      });
    } finally {
      expect((await set({})).status).toBe(200);
    }
    expect(await listed()).toMatchObject({ BTC: '0.000001', EUR: '1' });
  });

  test('allows a minimum stake of a single unit, but never a stake of zero units', async () => {
    const player = await withEuros();
    expect((await set({ EUR: '0.01' })).status).toBe(200);
    try {
      expect(await betOn(player, 'dice', euros('0.01'))).toMatchObject({
        status: 400,
        body: { details: { minBet: '0.02', minStake: '0.01' } },
      });
      await expectNothing(player);
      expect((await betOn(player, 'dice', euros('0.02'))).status).toBe(201);
    } finally {
      await set({});
    }
  });

  test.each<[string, unknown, string]>([
    ['set for an unknown currency', { XYZ: '1' }, 'minStakes.XYZ'],
    ['set for an invalid currency id', { 'e u r': '1' }, 'minStakes.e u r'],
    ['zero', { EUR: '0' }, 'minStakes.EUR'],
    ['below the smallest unit', { EUR: '0.001' }, 'minStakes.EUR'],
    ['a malformed amount', { EUR: '1e2' }, 'minStakes.EUR'],
    ['a number', { EUR: 1 }, 'minStakes.EUR'],
    ['text', '1', 'minStakes'],
  ])('rejects a minimum stake that is %s', async (_, minStakes, path) => {
    const { status, body } = await set(minStakes);
    expect([status, body.code, body.details.fields[0].path]).toEqual([400, 'VALIDATION_FAILED', path]);
    expect(await listed()).toMatchObject({ EUR: '1' });
  });

  test('requires a superadmin to change the minimum stake', async () => {
    const clerk = await app.as({ permissions: ['casino.write'] });
    for (const who of [clerk, await withEuros()])
      expect(codeOf(await set({ EUR: '0.01' }, who))).toBe('403 FORBIDDEN');
    expect(codeOf(await set({ EUR: '0.01' }, app))).toBe('401 UNAUTHORIZED');
    expect(await listed()).toMatchObject({ EUR: '1' });
  });
});
