import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { act, active, cards, deal, lay, playLaid } from '../../../../../test/kit/games/blackjack.ts';
import { whileSet } from '../../../../../test/kit/games/house-rounds.ts';

const app = fixture(startApp);

const PATH = '/casino/games/house/blackjack';
const nonceOf = async (player: Player) => (await player.call('GET', '/fairness/seeds')).body.nonce;
const exclude = (player: Player) =>
  player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
const ban = ({ id }: Player) =>
  app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', id).execute();
const wagerLimit = (player: Player, amount: string) =>
  player.call('POST', '/user-limits/gambling-limits', { body: { type: 'WAGER', period: 'DAY', amount } });

/** Expects a rejection with this code that changes neither the balance, nor the nonce, nor the open round. */
async function expectRefused(player: Player, code: string, attempt: () => Promise<any>): Promise<void> {
  const facts = async () => [await cashOf(player), await nonceOf(player), await active(player)];
  const before = await facts();
  const answer = await attempt();
  expect(codeOf(answer)).toBe(code);
  expect(await facts()).toEqual(before);
}

describe('a start', () => {
  test.each([
    ['an unknown field', { bet: '1' }],
    ['no currency', { currencyId: undefined }],
    ['no amount', { betAmount: undefined }],
    ['an amount as a number', { betAmount: 1 }],
    ['a zero amount', { betAmount: '0' }],
    ['a negative amount', { betAmount: '-1' }],
    ['an exponent', { betAmount: '1e1' }],
    ['too many decimals', { betAmount: '1.0000001' }],
    ['a side bet as a number', { sideBetAmount: 1 }],
    ['a negative side bet', { sideBetAmount: '-1' }],
    ['no number as side bet', { sideBetAmount: '' }],
    ['a point as side bet', { sideBetAmount: '.' }],
    ['too many decimals of the side bet', { sideBetAmount: '0.0000001' }],
    ['an empty windowId', { windowId: '' }],
    ['a long windowId', { windowId: 'w'.repeat(65) }],
    ['a deck', { deck: cards('Th 9d 7c Ts') }],
  ])('rejects a start with 400 VALIDATION_FAILED: %s', async (_, fields) => {
    const player = await app.newPlayer({ usdt: 100 });
    await expectRefused(player, '400 VALIDATION_FAILED', () => deal(player, fields));
  });

  test.each([
    ['too few cards', cards('Th 9d 7c')],
    ['a card twice', [...cards('Th 9d 7c Ts'), cards('Th')[0]]],
    ['card 0', [0, 1, 2, 3]],
    ['card 53', [53, 1, 2, 3]],
    ['a fractional card', [1.5, 1, 2, 3]],
    ['a card as text', ['1', 2, 3, 4]],
    ['53 cards', Array.from({ length: 53 }, (_, i) => i + 1)],
    ['no deck', undefined],
    ['null', null],
  ])('rejects a start with 400 VALIDATION_FAILED for a deck with %s', async (_, deck) => {
    const player = await app.newPlayer({ usdt: 100 });
    await expectRefused(player, '400 VALIDATION_FAILED', () => lay(player, '', { deck }));
  });

  test('accepts a complete deck', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const deck = Array.from({ length: 52 }, (_, i) => 52 - i);
    expect((await lay(player, '', { deck })).body.data.hands[0].cards).toEqual([52, 51]);
  });

  test.each([
    ['a bet below minBet', { betAmount: '0.009' }],
    ['a bet above maxBet', { betAmount: '1000.01' }],
    ['a side bet below minBet', { sideBetAmount: '0.009' }],
    ['a side bet above the bet', { sideBetAmount: '10.01' }],
    ['a side bet above the column limit', { sideBetAmount: '999999999999' }],
    ['a bet and a side bet above it', { betAmount: '999999999999', sideBetAmount: '999999999999' }],
    ['a side bet above maxBet', { betAmount: '1000', sideBetAmount: '1000.01' }],
  ])('rejects a start with 400 AMOUNT_OUT_OF_RANGE: %s', async (_, fields) => {
    const player = await app.newPlayer({ usdt: 5000 });
    await expectRefused(player, '400 AMOUNT_OUT_OF_RANGE', () => deal(player, fields));
    await expectRefused(player, '400 AMOUNT_OUT_OF_RANGE', () => lay(player, 'Th 9d 7c Ts', fields));
  });

  test('accepts the minimum and maximum amounts of the range', async () => {
    const player = await app.newPlayer({ usdt: 5000 });
    for (const betAmount of ['0.01', '1000']) {
      const fields = { betAmount, sideBetAmount: betAmount };
      expect(await playLaid(player, 'Th 9d 7c Ts', fields, ['STAND'])).toMatchObject(fields);
    }
  });

  test('rejects a start with 400 INSUFFICIENT_BALANCE if the balance does not cover the bet and its side bet', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await expectRefused(player, '400 INSUFFICIENT_BALANCE', () => deal(player, { sideBetAmount: '0.01' }));
    await expectRefused(player, '400 INSUFFICIENT_BALANCE', () => deal(player, { betAmount: '10.01' }));
    expect((await lay(player, 'Th 9d 7c Ts')).status).toBe(201);
  });

  test('rejects a start in an unknown currency with 404 CURRENCY_NOT_FOUND', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await expectRefused(player, '404 CURRENCY_NOT_FOUND', () => deal(player, { currencyId: 'NONE' }));
  });

  test('rejects a start by either operation with 409 ROUND_OPEN during a round', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await lay(player, 'Th 9d 7c Ts');
    await expectRefused(player, '409 ROUND_OPEN', () => deal(player));
    await expectRefused(player, '409 ROUND_OPEN', () => lay(player, 'Th 9d 7c Ts'));
    await act(player, 'STAND');
    expect((await deal(player)).status).toBe(201);
  });

  test('rejects a start by banned, excluded and limited players with 403, and counts the side bet towards the limit', async () => {
    const [banned, excluded, limited] = await Promise.all([1, 2, 3].map(() => app.newPlayer({ usdt: 100 })));
    await ban(banned!);
    await exclude(excluded!);
    await wagerLimit(limited!, '10.5');
    for (const start of [deal, (player: Player, fields?: object) => lay(player, 'Th 9d 7c Ts', fields)]) {
      await expectRefused(banned!, '403 USER_BANNED', () => start(banned!));
      await expectRefused(excluded!, '403 SELF_EXCLUDED', () => start(excluded!));
      await expectRefused(limited!, '403 LIMIT_REACHED', () => start(limited!, { sideBetAmount: '1' }));
    }
    const allowed = await playLaid(limited!, 'Th 9d 7c Ts', { sideBetAmount: '0.5' }, ['STAND']);
    expect(allowed.status).toBe('FINISHED');
  });

  test('rejects a start with 409 GAME_DISABLED, but lets open rounds continue', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await lay(player, '8h 8d 7c Ts 2c 3c');
    await whileSet(app, 'blackjack', { enabled: false }, async () => {
      await expectRefused(player, '409 GAME_DISABLED', () => deal(player));
      await expectRefused(player, '409 GAME_DISABLED', () => lay(player, 'Th 9d 7c Ts'));
      for (const action of ['SPLIT', 'STAND', 'STAND']) expect((await act(player, action)).status).toBe(201);
      expect(await active(player)).toBeNull();
    });
    expect((await deal(player)).status).toBe(201);
  });
});

describe('an action', () => {
  test.each([
    [{}],
    [{ action: 'FOLD' }],
    [{ action: 'hit' }],
    [{ action: null }],
    [{ action: ['HIT'] }],
    [{ action: 'HIT', handIndex: 1 }],
    [{ action: 'HIT', windowId: '' }],
  ])('rejects an action with 400 VALIDATION_FAILED for %j', async (body) => {
    const player = await app.newPlayer({ usdt: 100 });
    await lay(player, 'Th 2d 7c Ts');
    await expectRefused(player, '400 VALIDATION_FAILED', () =>
      player.call('POST', `${PATH}/handleAction`, { body }),
    );
  });

  test('rejects an action with 404 ROUND_NOT_FOUND when no round is open', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    for (const action of ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'])
      await expectRefused(player, '404 ROUND_NOT_FOUND', () => act(player, action));
  });

  test('rejects an action with 409 ACTION_NOT_ALLOWED before it checks the balance, and keeps the insurance offer', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await lay(player, 'Th 2d Ac 5s');
    for (const action of ['DOUBLE', 'SPLIT'])
      await expectRefused(player, '409 ACTION_NOT_ALLOWED', () => act(player, action));
    expect((await active(player)).availableActions).toEqual(['HIT', 'STAND', 'INSURANCE']);
  });

  /** The dealer shows a ten or lower, or an ace with and without a natural. In each case the balance is checked first. */
  test.each([
    ['DOUBLE', '6h 5d 7c Ts', '9.999999', '10'],
    ['DOUBLE', '6h 5d Ac 7s', '9.999999', '10'],
    ['DOUBLE', '6h 5d Ac Ts', '9.999999', '10'],
    ['SPLIT', '8h 8d 7c Ts', '9.999999', '10'],
    ['SPLIT', '8h 8d Ac 7s', '9.999999', '10'],
    ['SPLIT', '8h 8d Ac Ts', '9.999999', '10'],
    ['INSURANCE', '8h 8d Ac 7s', '4.999999', '5'],
    ['INSURANCE', '8h 8d Ac Ts', '4.999999', '5'],
    ['INSURANCE', 'Ah Kd Ac Ts', '4.999999', '5'],
  ])(
    'rejects an action with 400 INSUFFICIENT_BALANCE: %s on %s with a balance of %s, but not with %s',
    async (action, top, less, enough) => {
      const player = await app.newPlayer({ usdt: 20 });
      await lay(player, top);
      const leave = (amount: string) => setCash(player, amount);
      await leave(less);
      await expectRefused(player, '400 INSUFFICIENT_BALANCE', () => act(player, action));
      await leave(enough);
      expect((await act(player, action)).status).toBe(201);
    },
  );

  test.each([
    ['USER_BANNED', (player: Player) => ban(player)],
    ['SELF_EXCLUDED', (player: Player) => exclude(player)],
    ['LIMIT_REACHED', (player: Player) => wagerLimit(player, '12')],
  ] as [string, (player: Player) => Promise<unknown>][])(
    'rejects DOUBLE, SPLIT and INSURANCE with 403 %s, even if the dealer has a natural',
    async (code, restrict) => {
      for (const [action, top] of [
        ['DOUBLE', '5h 5d 7c Ts'],
        ['SPLIT', '5h 5d 7c Ts'],
        ['DOUBLE', '5h 5d Ac Ts'],
        ['SPLIT', '5h 5d Ac Ts'],
        ['INSURANCE', '5h 5d Ac Ts'],
        ['INSURANCE', '5h 5d Ac 7s'],
      ] as const) {
        const player = await app.newPlayer({ usdt: 100 });
        await lay(player, top);
        await restrict(player);
        await expectRefused(player, `403 ${code}`, () => act(player, action));
        expect((await act(player, 'HIT')).status).toBe(201);
        if (await active(player)) expect((await act(player, 'STAND')).body.data.status).toBe('FINISHED');
        expect(await active(player)).toBeNull();
      }
    },
  );
});

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'blackjack-1' };

  test('returns the same round when a start is repeated with the same key, and rejects a different start', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const first = await lay(player, 'Th 2d 7c Ts', {}, key);
    const again = await lay(player, 'Th 2d 7c Ts', {}, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await cashOf(player)).toBe('90');
    await expectRefused(player, '409 IDEMPOTENCY_KEY_REUSED', () => lay(player, 'Th 3d 7c Ts', {}, key));
    await expectRefused(player, '409 IDEMPOTENCY_KEY_REUSED', () => deal(player, {}, key));
    await expectRefused(player, '409 IDEMPOTENCY_KEY_REUSED', () => act(player, 'HIT', key));
  });

  test('returns the same round and uses one nonce when a deal is repeated with the same key', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const [first, again] = [await deal(player, {}, key), await deal(player, {}, key)];
    expect(again.body).toEqual(first.body);
    expect(await nonceOf(player)).toBe(1);
  });

  test('performs a repeated action only once, including the last action of a round', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    await lay(player, '8h 8d 7c Ts 2c 3c');
    const split = await act(player, 'SPLIT', key);
    expect((await act(player, 'SPLIT', key)).body).toEqual(split.body);
    expect(await cashOf(player)).toBe('80');
    await act(player, 'STAND');
    const end = await act(player, 'STAND', { 'idempotency-key': 'blackjack-2' });
    expect(end.body.data.status).toBe('FINISHED');
    const again = await act(player, 'STAND', { 'idempotency-key': 'blackjack-2' });
    expect([again.status, again.body]).toEqual([201, end.body]);
  });

  test('returns a stored rejection again, even if money has arrived since', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await lay(player, '6h 5d 7c Ts 9c');
    expect(codeOf(await act(player, 'DOUBLE', key))).toBe('400 INSUFFICIENT_BALANCE');
    await setCash(player, '10');
    expect(codeOf(await act(player, 'DOUBLE', key))).toBe('400 INSUFFICIENT_BALANCE');
    expect((await act(player, 'DOUBLE')).body.data).toMatchObject({ status: 'FINISHED', payout: '40' });
  });
});

test('performs only one of several concurrent actions', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  for (let round = 0; round < 5; round++) {
    await lay(player, '6h 5d 7c Ts 9c');
    const answers = await Promise.all(Array.from({ length: 8 }, () => act(player, 'DOUBLE')));
    const codes = answers.map(codeOf).toSorted();
    expect(codes).toEqual(['201', ...Array(7).fill('404 ROUND_NOT_FOUND')]);
  }
  expect(await cashOf(player)).toBe('200');
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from bets where user_id = ${player.id} and status = 'SETTLED'`.execute(app.db);
  expect(rows[0]!.n).toBe(5);
});

const setCash = (player: Player, amount: string) =>
  app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params: { currencyId: 'USDT', amount } },
  });
