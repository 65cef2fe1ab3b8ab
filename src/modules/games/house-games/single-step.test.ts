/** Common behaviour of the five single-step games: money, proofs, repeated requests and rejections. */
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  betOn,
  betPath,
  HOUSE_BETS,
  nextWords,
  type SingleStep,
  setGame,
  wordsOf,
} from '../../../../test/kit/games/house.ts';
import { formatUnits, units } from '../../../platform/money.ts';

const app = fixture(startApp);

/** The expected result of a bet: its response fields, inputs and outcome, and its exact total return `pays` / `of`. */
type Due = { shown: Record<string, unknown>; inputs: object; outcome: object; pays: bigint; of: bigint };

const pick = (word: number, n: number) => Number((BigInt(word) * BigInt(n)) >> 32n);

/** The multiplier of a lost bet is 0. */
const offer = (offeredMultiplier: number, hasWon: boolean) => ({
  multiplier: hasWon ? offeredMultiplier : 0,
  offeredMultiplier,
});

/** For each game, a request body and a second implementation of the rules, which uses none of the service's code. */
const GAMES: Record<SingleStep, { body: Record<string, unknown>; due: (words: number[]) => Due }> = {
  dice: {
    body: { threshold: 33.33, above: false },
    due: ([u]) => {
      const randomValue = pick(u!, 10_001) / 100;
      const outcome = { randomValue, didWin: randomValue < 33.33, multiplier: 2.9702 };
      const inputs = { threshold: 33.33, above: false };
      return {
        shown: { ...inputs, ...outcome, ...offer(2.9702, outcome.didWin) },
        inputs,
        outcome,
        pays: outcome.didWin ? 29_702n : 0n,
        of: 10_000n,
      };
    },
  },
  limbo: {
    body: { multiplier: 1.57 },
    due: ([u]) => {
      const point = Number((9900n * 2n ** 32n) / (100n * BigInt(u!)));
      const outcome = { multiplier: 1.57, randomMultiplier: Math.max(point, 100) / 100 };
      return {
        shown: { ...outcome, ...offer(1.57, point >= 157) },
        inputs: { multiplier: 1.57 },
        outcome,
        pays: point >= 157 ? 157n : 0n,
        of: 100n,
      };
    },
  },
  keno: {
    body: { risk: 'LOW', selected: [40, 3, 17] },
    due: (words) => {
      const left = Array.from({ length: 40 }, (_, i) => i + 1);
      const results = words.slice(0, 10).map((u) => left.splice(pick(u, left.length), 1)[0]!);
      const hits = [40, 3, 17].filter((n) => results.includes(n)).length;
      const pays = [0n, 110n, 138n, 2600n][hits]!;
      const outcome = { results, multiplier: Number(pays) / 100 };
      return { shown: outcome, inputs: { risk: 'LOW', selected: [40, 3, 17] }, outcome, pays, of: 100n };
    },
  },
  plinko: {
    body: { risk: 'MEDIUM', rowsCount: 9 },
    due: (words) => {
      const results = words.slice(0, 9).map((u) => pick(u, 2));
      const bucket = results.reduce((a, b) => a + b);
      const pays = [1800n, 400n, 170n, 90n, 50n, 50n, 90n, 170n, 400n, 1800n][bucket]!;
      const outcome = { results, multiplier: Number(pays) / 100 };
      return { shown: outcome, inputs: { risk: 'MEDIUM', rowsCount: 9 }, outcome, pays, of: 100n };
    },
  },
  roulette: {
    body: {
      params: {
        bets: [
          { type: 'RED', amount: '1.01' },
          { type: 'STREET', numbers: [6, 4, 5], amount: '0.2' },
          { type: 'DOZEN', numbers: [2], amount: '0.02' },
        ],
      },
      betAmount: '1.23',
    },
    due: ([u]) => {
      const randomPosition = pick(u!, 37);
      const red = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36].includes(
        randomPosition,
      );
      const pays =
        (red ? 202n : 0n) +
        (randomPosition >= 4 && randomPosition <= 6 ? 240n : 0n) +
        (randomPosition >= 13 && randomPosition <= 24 ? 6n : 0n);
      const outcome = { randomPosition, multiplier: Number((pays * 10_000n) / 123n) / 10_000 };
      return { shown: outcome, inputs: GAMES.roulette.body.params as object, outcome, pays, of: 123n };
    },
  },
};
const SLUGS = Object.keys(GAMES) as SingleStep[];
const bet = (player: Player, game: SingleStep, fields: object = {}, headers = {}) =>
  betOn(player, game, { betAmount: '1.23', ...GAMES[game].body, ...fields }, headers);
const DISABLED = '409 GAME_DISABLED';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Creates a player with 500 units of a currency. */
async function rich(currencyId: string): Promise<Player> {
  const player = await app.newPlayer();
  const body = { userId: player.id, action: 'SET_BALANCE', params: { currencyId, amount: '500' } };
  expect((await app.call('POST', '/debug/user/action', { body })).status).toBe(201);
  return player;
}

describe.each(SLUGS)('%s bets', (game) => {
  const { due } = GAMES[game];

  test('derives 30 bets from their seeds, with exact payouts, one nonce and one history entry for each bet', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    let cash = units('1000');
    const seen = new Set<bigint>();
    for (let nonce = 0; nonce < 30; nonce++) {
      const expected = due(await nextWords(app, player));
      seen.add(expected.pays);
      const answer = await bet(player, game, { windowId: `w${nonce}` });
      // USDT has six decimals, so only digits after the sixth would be rounded.
      const payout = (123n * expected.pays * 1_000_000n) / expected.of / 100n;
      const paid = formatUnits(payout * 100n);
      const common = {
        currencyId: 'USDT',
        betAmount: '1.23',
        payout: paid,
        createdAt: TIME,
        betId: answer.body.betId,
      };
      expect([answer.status, answer.body]).toEqual([201, { ...common, ...expected.shown }]);
      cash += payout * 100n - units('1.23');
      expect(await cashOf(player)).toBe(formatUnits(cash));
    }
    expect(seen.size).toBeGreaterThan(1);
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(30);
    const { body: history } = await player.call('GET', '/bets');
    expect(history.total).toBe(30);
    expect(history.data[0]).toMatchObject({
      status: 'SETTLED',
      amount: '1.23',
      usdAmount: '1.23',
      game: { slug: game },
    });
  });

  test('stores all inputs, so that anyone can verify the bet after the reveal', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const expected = due(await nextWords(app, player));
    const { body } = await bet(player, game, { windowId: 'tab one' });
    const row = await app.db
      .selectFrom('bets')
      .select([
        'window_id',
        'rtp_bp',
        'nonce',
        'algorithm_version',
        'usd_amount',
        'max_profit_usd',
        'inputs',
        'outcome',
      ])
      .where('id', '=', BigInt(body.betId))
      .executeTakeFirstOrThrow();
    const { inputs, outcome } = expected;
    const rtpBp = game === 'roulette' ? 9730 : 9900;
    expect(row).toEqual({
      window_id: 'tab one',
      rtp_bp: rtpBp,
      nonce: 0,
      algorithm_version: '1',
      usd_amount: units('1.23'),
      max_profit_usd: units('100000'),
      inputs,
      outcome,
    });
    const info = await player.call('GET', `/bets/house-games/info/${body.betId}`);
    expect(info.body).toMatchObject({
      betId: body.betId,
      currencyId: 'USDT',
      amount: '1.23',
      payout: body.payout,
      windowId: 'tab one',
      game: { slug: game, inputs, outcome: body.payout === '0' ? { ...outcome, multiplier: 0 } : outcome },
      user: { username: player.username },
    });
    expect(info.body.game.multiplier).toBe(Math.floor((Number(body.payout) / 1.23) * 10_000 + 1e-6) / 10_000);
    const proof = () => app.call('GET', `/fairness/bets/${body.betId}`);
    const before = (await proof()).body;
    expect(before).toMatchObject({ game, nonce: 0, inputs, outcome, serverSeed: null, verified: null });
    const { revealed } = (await player.call('POST', '/fairness/seeds/rotate', { body: {} })).body;
    const after = (await proof()).body;
    expect(after).toEqual({ ...before, serverSeed: revealed.serverSeed, verified: true });
    expect(due(wordsOf(after, after.nonce)).outcome).toEqual(outcome);
  });

  test.each([
    ['EUR', 2],
    ['BTC', 8],
  ])(
    'rounds the stake and payout in %s down once, and limits the payout by the maximum profit',
    async (currencyId, decimals) => {
      const player = await rich(currencyId);
      const { body: all } = await app.call('GET', '/currency');
      const rate = units(all.find((c: { id: string }) => c.id === currencyId).usdRate);
      const toCurrency = (usd: bigint) => {
        const quantum = 10n ** BigInt(8 - decimals);
        const amount = (usd * 100_000_000n) / rate;
        return amount - (amount % quantum);
      };
      const cut = (amount: bigint) => amount - (amount % 10n ** BigInt(8 - decimals));
      const cap = units('0.1');
      await setGame(app, game, { settings: { maxProfit: '0.1' } });
      const stake = toCurrency(units('1.23'));
      let isCapped = false;
      for (let i = 0; i < 80 && !(isCapped && i > 3); i++) {
        const { pays, of, shown } = due(await nextWords(app, player));
        const before = units(await cashOf(player, currencyId));
        const { body } = await bet(player, game, { currencyId });
        const least = (a: bigint, b: bigint) => (a < b ? a : b);
        const payout = least(cut((stake * pays) / of), stake + toCurrency(cap));
        const shownPayout = least(cut((units('1.23') * pays) / of), units('1.23') + cap);
        isCapped ||= cut((units('1.23') * pays) / of) > shownPayout;
        expect(body).toMatchObject({ ...shown, payout: formatUnits(shownPayout) });
        expect(await cashOf(player, currencyId)).toBe(formatUnits(before - stake + payout));
      }
      expect(isCapped).toBe(true);
      await setGame(app, game, { settings: { maxProfit: '100000' } });
    },
  );

  test('returns the same bet for the same Idempotency-Key and rejects a different bet', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const key = { 'idempotency-key': `key of ${game}`.replaceAll(' ', '-') };
    const first = await bet(player, game, {}, key);
    const again = await bet(player, game, {}, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(codeOf(await bet(player, game, { windowId: 'other' }, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(1);
    expect((await player.call('GET', '/bets')).body.total).toBe(1);
  });

  test('requires a session for the config and for bets', async () => {
    const path = `/casino/games/house/${game}/config`;
    const player = await app.newPlayer();
    expect((await player.call('GET', path)).body).toMatchObject({
      minBet: 0.01,
      maxBet: 1000,
      maxProfit: 100_000,
    });
    expect(codeOf(await app.call('GET', path))).toBe('401 UNAUTHORIZED');
    expect(codeOf(await app.call('POST', betPath(game), { body: HOUSE_BETS[game] }))).toBe(
      '401 UNAUTHORIZED',
    );
  });
});

describe.each(SLUGS)('%s rejections', (game) => {
  const player = fixture(() => app.newPlayer({ usdt: 5 }));
  /** Expects that nothing has changed. */
  const untouched = async () => {
    expect(await cashOf(player)).toBe('5');
    expect((await player.call('GET', '/fairness/seeds')).body.nonce).toBe(0);
  };
  /** Returns the fields for the amount of a bet. In roulette, the only entry has the same amount as the bet. */
  const amount = (betAmount: unknown) =>
    game === 'roulette'
      ? { betAmount, params: { bets: [{ type: 'RED', amount: betAmount }] } }
      : { betAmount };

  test('rejects missing, mistyped and unknown fields', async () => {
    const good: Record<string, unknown> = { betAmount: '1.23', currencyId: 'USDT', ...GAMES[game].body };
    const asText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
    const bodies = Object.entries(good).flatMap(([name, value]) => [
      { ...good, [name]: undefined },
      { ...good, [name]: null },
      { ...good, [name]: [value] },
      { ...good, [name]: typeof value === 'string' ? Number(value) : asText(value) },
    ]);
    const others = [
      { windowId: '' },
      { windowId: 'x'.repeat(65) },
      { windowId: 1 },
      { rtp: 99 },
      { risks: 'LOW' },
    ];
    for (const body of [...bodies, ...others.map((more) => ({ ...good, ...more })), [], 'x', null]) {
      const answer = await player.call('POST', betPath(game), { body });
      expect([JSON.stringify(body), codeOf(answer)]).toEqual([JSON.stringify(body), '400 VALIDATION_FAILED']);
    }
    await untouched();
  });

  test.each([
    ['0', '400 VALIDATION_FAILED'],
    ['0.0000001', '400 VALIDATION_FAILED'],
    ['-1', '400 VALIDATION_FAILED'],
    ['1e1', '400 VALIDATION_FAILED'],
    [1, '400 VALIDATION_FAILED'],
    ['0.009999', '400 AMOUNT_OUT_OF_RANGE'],
    ['1000.000001', '400 AMOUNT_OUT_OF_RANGE'],
    ['5.000001', '400 INSUFFICIENT_BALANCE'],
  ])('rejects an amount of %j with %s', async (betAmount, refusal) => {
    expect(codeOf(await bet(player, game, amount(betAmount)))).toBe(refusal);
    await untouched();
  });

  test('rejects a stake that rounds to zero, and an unknown currency', async () => {
    expect(codeOf(await bet(player, game, { ...amount('0.01'), currencyId: 'EUR' }))).toBe(
      '400 AMOUNT_OUT_OF_RANGE',
    );
    for (const currencyId of ['usdt', 'NONE'])
      expect(codeOf(await bet(player, game, { currencyId }))).toBe('404 CURRENCY_NOT_FOUND');
    await untouched();
  });

  test('rejects malformed bets, and all other bets while the game is disabled', async () => {
    await setGame(app, game, { enabled: false });
    expect(codeOf(await bet(player, game))).toBe(DISABLED);
    expect(codeOf(await bet(player, game, amount('0.001')))).toBe(DISABLED);
    expect(codeOf(await bet(player, game, amount('400')))).toBe(DISABLED);
    expect(codeOf(await bet(player, game, amount('0')))).toBe('400 VALIDATION_FAILED');
    expect((await player.call('GET', `/casino/games/house/${game}/config`)).status).toBe(200);
    await setGame(app, game, { enabled: true });
    await untouched();
  });

  test('rejects self-excluded players before it checks the range', async () => {
    const excluded = await app.newPlayer({ usdt: 5 });
    const exclusion = await excluded.call('POST', '/user-limits/self-exclusion', {
      body: { durationDays: 1 },
    });
    expect(exclusion.status).toBe(201);
    expect(codeOf(await bet(excluded, game))).toBe('403 SELF_EXCLUDED');
    expect(codeOf(await bet(excluded, game, amount('2000')))).toBe('403 SELF_EXCLUDED');
    expect(codeOf(await bet(excluded, game, amount('0')))).toBe('400 VALIDATION_FAILED');
  });

  test("rejects bets above the player's limit", async () => {
    const careful = await app.newPlayer({ usdt: 5 });
    const body = { type: 'WAGER', period: 'DAY', amount: '1' };
    expect((await careful.call('POST', '/user-limits/gambling-limits', { body })).status).toBe(201);
    expect(codeOf(await bet(careful, game))).toBe('403 LIMIT_REACHED');
    expect(await cashOf(careful)).toBe('5');
  });

  test('applies changed limits to bets from the next bet on', async () => {
    const other = await app.newPlayer({ usdt: 5 });
    expect((await bet(other, game)).status).toBe(201);
    await setGame(app, game, { settings: { minBet: '2', maxBet: '3' } });
    const refused = await bet(other, game);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '400 AMOUNT_OUT_OF_RANGE',
      { currencyId: 'USDT', minBet: '2', maxBet: '3', minStake: '0.0001' },
    ]);
    for (const edge of ['1.999999', '3.000001'])
      expect(codeOf(await bet(other, game, amount(edge)))).toBe('400 AMOUNT_OUT_OF_RANGE');
    await setGame(app, game, { settings: { minBet: '0.01', maxBet: '1000' } });
    expect((await bet(other, game, amount('0.01'))).status).toBe(201);
  });
});

test.each(Object.keys(HOUSE_BETS) as SingleStep[])(
  'rejects huge amounts on %s as out of range, not malformed, and moves no money',
  async (game) => {
    const player = await app.newPlayer({ usdt: 10 });
    for (const betAmount of ['92233720368.6', '999999999999']) {
      const { status, body } = await betOn(player, game, { betAmount });
      expect([status, body.code]).toEqual([400, 'AMOUNT_OUT_OF_RANGE']);
    }
    expect(await cashOf(player)).toBe('10');
  },
);
