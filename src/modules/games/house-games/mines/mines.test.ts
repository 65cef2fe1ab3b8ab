import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Answer, cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { nextDraw, whileSet } from '../../../../../test/kit/games/house-rounds.ts';

const app = fixture(startApp);

const MINES = '/casino/games/house/mines';
const GAME = { currencyId: 'USDT', betAmount: '10', gridCellsCount: 25, bombsCount: 3 };

const post = (player: Player, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  player.call('POST', `${MINES}/${path}`, { body, headers });
const play = (player: Player, fields: object = {}) => post(player, 'play', { ...GAME, ...fields });
const open = (player: Player, cellIndex: unknown) => post(player, 'open', { cellIndex });
const cashOut = (player: Player) => post(player, 'cash-out', {});
const spin = (player: Player, cellIndices: number[], fields: object = {}) =>
  post(player, 'auto-spin', { ...GAME, ...fields, cellIndices });
const board = (player: Player) => player.call('GET', `${MINES}/board`);
const betsIn = async (player: Player, status: string) =>
  (await player.call('GET', `/bets?status=${status}`)).body.data;
const nonceOf = async (player: Player) => (await player.call('GET', '/fairness/seeds')).body.nonce;

/** Returns the bombs of the player's next bet, which are fixed when the bet is placed. */
async function foresee(player: Player, { gridCellsCount, bombsCount } = GAME) {
  const { hidden: bombs, rest: gems } = await nextDraw(app, player, {
    from: [0, gridCellsCount - 1],
    count: bombsCount,
  });
  return { bombs, gems };
}

/** Starts a round for a new player. Returns its bombs and first response. */
async function begin(fields: Partial<typeof GAME> = {}, usdt = 100) {
  const player = await app.newPlayer({ usdt });
  const { bombs, gems } = await foresee(player, { ...GAME, ...fields });
  const started = await play(player, fields);
  expect(codeOf(started)).toBe('201');
  return { player, bombs, gems, started, betId: started.body.betInfo.betId as string };
}

const boardWith = (bombs: readonly number[], cells = 25) =>
  Object.fromEntries(Array.from({ length: cells }, (_, i) => [i, bombs.includes(i) ? 'BOMB' : 'GEM']));

const gemsAt = (cells: readonly number[]) => Object.fromEntries(cells.map((cell) => [cell, 'GEM']));

test('shows the limits in US dollars in the config', async () => {
  const player = await app.newPlayer();
  expect((await player.call('GET', `${MINES}/config`)).body).toEqual({
    minBet: 0.01,
    maxBet: 1000,
    maxProfit: 100_000,
  });
});

describe('a round', () => {
  test('opens cells one by one, returns the round unchanged on reads, and cashes out', async () => {
    const { player, bombs, gems, started, betId } = await begin();
    const [first, second] = gems as [number, number];
    expect(started.body).toEqual({
      currentMultiplier: 1,
      nextMultiplier: 1.125,
      cells: {},
      openedCellsCount: 0,
      gridCellsCount: 25,
      bombsCount: 3,
      betInfo: { betId, currencyId: 'USDT', betAmount: '10', createdAt: expect.any(String) },
    });
    expect(await cashOf(player)).toBe('90');
    expect(await nonceOf(player)).toBe(1);
    expect((await board(player)).body).toEqual(started.body);
    const opened = await open(player, second);
    expect([opened.status, opened.body]).toEqual([
      201,
      {
        proceed: {
          ...started.body,
          currentMultiplier: 1.125,
          nextMultiplier: 1.2857,
          cells: gemsAt([second]),
          openedCellsCount: 1,
        },
      },
    ]);
    expect((await board(player)).body).toEqual(opened.body.proceed);
    const again = await open(player, first);
    expect(again.body.proceed).toMatchObject({ currentMultiplier: 1.2857, cells: gemsAt([first, second]) });
    expect(await betsIn(player, 'CREATED')).toMatchObject([{ id: betId, payout: '0', settledAt: null }]);
    expect(await betsIn(player, 'SETTLED')).toEqual([]);

    const done = await cashOut(player);
    expect([done.status, done.body]).toEqual([
      201,
      {
        currencyId: 'USDT',
        betAmount: '10',
        payout: '12.857',
        finishedAt: expect.any(String),
        multiplier: 1.2857,
        board: boardWith(bombs),
        betId,
      },
    ]);
    expect(await cashOf(player)).toBe('102.857');
    expect(await nonceOf(player)).toBe(1);
    expect(await betsIn(player, 'CREATED')).toEqual([]);
    expect(await betsIn(player, 'SETTLED')).toMatchObject([
      { id: betId, amount: '10', payout: '12.857', multiplier: 1.2857, game: { slug: 'mines' } },
    ]);
    for (const answer of [await board(player), await cashOut(player), await open(player, gems[3])])
      expect(codeOf(answer)).toBe('404 ROUND_NOT_FOUND');
  });

  test('loses a round when a bomb is opened', async () => {
    const { player, bombs, gems, betId } = await begin();
    await open(player, gems[0]);
    const lost = await open(player, bombs[1]);
    expect([lost.status, lost.body]).toEqual([
      201,
      {
        finished: {
          currencyId: 'USDT',
          betAmount: '10',
          payout: '0',
          multiplier: 0,
          betId,
          finishedAt: expect.any(String),
          board: boardWith(bombs),
        },
      },
    ]);
    expect(await cashOf(player)).toBe('90');
    expect(codeOf(await board(player))).toBe('404 ROUND_NOT_FOUND');
    expect(await betsIn(player, 'SETTLED')).toMatchObject([{ id: betId, payout: '0', multiplier: 0 }]);
    expect(codeOf(await play(player))).toBe('201');
  });

  test('cashes out a round automatically when its last safe cell is opened', async () => {
    const { player, bombs, gems } = await begin({ gridCellsCount: 9, bombsCount: 7 });
    expect((await open(player, gems[0])).body.proceed).toMatchObject({ currentMultiplier: 4.455 });
    const { body } = await open(player, gems[1]);
    expect(body).toEqual({
      finished: expect.objectContaining({ multiplier: 35.64, payout: '356.4', board: boardWith(bombs, 9) }),
    });
    expect(await cashOf(player)).toBe('446.4');
  });

  test('cashes out automatically when the profit reaches maxProfit, and caps the payout but not the multiplier', async () => {
    await whileSet(app, 'mines', { maxBet: '10', maxProfit: '100' }, async () => {
      const exact = await begin({ bombsCount: 24, gridCellsCount: 25 });
      const { finished } = (await open(exact.player, exact.gems[0])).body;
      expect(finished).toMatchObject({ multiplier: 24.75, payout: '110' });
      expect(await cashOf(exact.player)).toBe('200');
      const slow = await begin({ bombsCount: 20 });
      const multipliers = [4.95, 29.7];
      const answers = [await open(slow.player, slow.gems[0]), await open(slow.player, slow.gems[1])];
      expect(answers.map(({ body }) => body.proceed?.currentMultiplier ?? body.finished.multiplier)).toEqual(
        multipliers,
      );
      expect(answers[1]!.body.finished.payout).toBe('110');
    });
  });

  test('allows only the player who started a round to read and continue it', async () => {
    const { player, gems } = await begin();
    const other = await app.newPlayer({ usdt: 100 });
    for (const answer of [await board(other), await open(other, gems[0]), await cashOut(other)])
      expect(codeOf(answer)).toBe('404 ROUND_NOT_FOUND');
    expect((await board(player)).body.openedCellsCount).toBe(0);
  });

  test('debits the stake and pays the payout in the currency of the round', async () => {
    const player = await app.newPlayer();
    const params = { currencyId: 'BTC', amount: '1' };
    const body = { userId: player.id, action: 'SET_BALANCE', params };
    expect(codeOf(await app.call('POST', '/debug/user/action', { body }))).toBe('201');
    const { gems } = await foresee(player);
    const { rate } = await app.db
      .selectFrom('exchange_rates')
      .select('usd_rate as rate')
      .where('currency_id', '=', 'BTC')
      .executeTakeFirstOrThrow();
    await play(player, { currencyId: 'BTC', betAmount: '100.12345678' });
    const stake = (10_012_345_678n * 10n ** 12n) / rate;
    expect(unitsOf(await cashOf(player, 'BTC'))).toBe(100_000_000n - stake);
    await open(player, gems[0]);
    // 1.125
    expect((await cashOut(player)).body).toMatchObject({ currencyId: 'BTC', payout: '112.63888887' });
    expect(unitsOf(await cashOf(player, 'BTC'))).toBe(100_000_000n - stake + (stake * 11_250n) / 10_000n);
  });
});

describe('hidden bombs', () => {
  test('returns the same responses whatever cells hide bombs, until the round ends', async () => {
    const { player, bombs, gems, betId } = await begin();
    await open(player, gems[0]);
    const shown: Answer[] = [
      await board(player),
      await open(player, gems[0]),
      await open(player, 25),
      await player.call('GET', '/bets?status=CREATED'),
      await player.call('GET', `/bets/house-games/info/${betId}`),
      await player.call('GET', `/fairness/bets/${betId}`),
      await player.call('GET', '/fairness/seeds'),
      await player.call('POST', '/fairness/seeds/rotate', { body: {} }),
    ];
    expect(shown.map(codeOf)).toEqual([
      '200',
      '400 VALIDATION_FAILED',
      '400 VALIDATION_FAILED',
      '200',
      '404 BET_NOT_FOUND',
      '404 BET_NOT_FOUND',
      '200',
      '409 FAIRNESS_ROUND_OPEN',
    ]);
    for (const { text } of shown) expect(text).not.toMatch(/BOMB|bombs"|serverSeed"/);
    const row = await app.db
      .selectFrom('rounds')
      .innerJoin('bets', 'bets.id', 'rounds.bet_id')
      .select(['state', 'inputs', 'outcome'])
      .where('rounds.user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      state: { gridCellsCount: 25, bombsCount: 3, opened: [gems[0]] },
      inputs: null,
      outcome: null,
    });
    expect((await open(player, bombs[0])).body.finished.board).toEqual(boardWith(bombs));
  });

  test('lets players verify a round after a seed rotation, which is possible only after the round has ended', async () => {
    const { player, bombs, gems, betId } = await begin();
    await open(player, gems[4]);
    expect((await player.call('GET', '/fairness/seeds')).body.openRounds).toEqual(['mines']);
    await cashOut(player);
    const inputs = { gridCellsCount: 25, bombsCount: 3, cellIndices: [gems[4]] };
    const outcome = { bombs, opened: 1, multiplier: 1.125 };
    const info = await player.call('GET', `/bets/house-games/info/${betId}`);
    expect(info.body.game).toMatchObject({ slug: 'mines', inputs, outcome, multiplier: 1.125 });
    const proof = () => app.call('GET', `/fairness/bets/${betId}`);
    expect((await proof()).body).toMatchObject({ game: 'mines', nonce: 0, inputs, outcome, verified: null });
    const auto = await spin(player, [0, 1, 2]);
    const lost = await foresee(player);
    await spin(player, [lost.gems[0]!, lost.bombs[0]!, lost.gems[1]!]);
    expect(codeOf(await player.call('POST', '/fairness/seeds/rotate', { body: {} }))).toBe('201');
    const { data } = (await player.call('GET', '/bets')).body;
    expect(data).toHaveLength(3);
    for (const { id } of data) {
      const { body } = await app.call('GET', `/fairness/bets/${id}`);
      expect(body).toMatchObject({ serverSeed: expect.any(String), verified: true });
    }
    expect((await app.call('GET', `/fairness/bets/${auto.body.betId}`)).body.inputs.cellIndices).toEqual([
      0, 1, 2,
    ]);
  });
});

describe('rejections that change nothing', () => {
  test.each([
    ['a grid that does not exist', { gridCellsCount: 24 }, '400 VALIDATION_FAILED'],
    ['a grid as text', { gridCellsCount: '25' }, '400 VALIDATION_FAILED'],
    ['no bomb', { bombsCount: 0 }, '400 VALIDATION_FAILED'],
    ['as many bombs as cells', { bombsCount: 25 }, '400 VALIDATION_FAILED'],
    ['more bombs than any grid has cells', { bombsCount: 64 }, '400 VALIDATION_FAILED'],
    ['a fractional bomb', { bombsCount: 1.5 }, '400 VALIDATION_FAILED'],
    ['bombs as text', { bombsCount: '3' }, '400 VALIDATION_FAILED'],
    ['a field too many', { seed: 'x' }, '400 VALIDATION_FAILED'],
    ['nothing staked', { betAmount: '0' }, '400 VALIDATION_FAILED'],
    ['too many decimals', { betAmount: '0.0000001' }, '400 VALIDATION_FAILED'],
    ['a stake below minBet', { betAmount: '0.009' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['a stake above maxBet', { betAmount: '1000.01' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['a stake above the balance', { betAmount: '100.01' }, '400 INSUFFICIENT_BALANCE'],
    ['an unknown currency', { currencyId: 'XXX' }, '404 CURRENCY_NOT_FOUND'],
  ])('rejects %s', async (_, fields, code) => {
    const player = await app.newPlayer({ usdt: 100 });
    expect(codeOf(await play(player, fields))).toBe(code);
    expect(codeOf(await spin(player, [0], fields))).toBe(code);
    expect(codeOf(await board(player))).toBe('404 ROUND_NOT_FOUND');
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['100', 0]);
  });

  test.each([
    ['no cells', []],
    ['a cell twice', [1, 1]],
    ['a cell outside the grid', [25]],
    ['a negative cell', [-1]],
    ['a fractional cell', [0.5]],
    ['more cells than are safe', Array.from({ length: 23 }, (_, i) => i)],
  ])('rejects an automatic round with %s', async (_, cells) => {
    const player = await app.newPlayer({ usdt: 100 });
    expect(codeOf(await spin(player, cells))).toBe('400 VALIDATION_FAILED');
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['100', 0]);
  });

  test('rejects an automatic round with more cells than the maximum multiplier permits', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const cells = Array.from({ length: 30 }, (_, i) => i);
    const grid = { gridCellsCount: 64, bombsCount: 20 };
    expect(codeOf(await spin(player, cells, grid))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await spin(player, cells.slice(1), grid))).toBe('201');
  });

  test('rejects opening a cell that is open or does not exist, and cashing out before any cell is open', async () => {
    const { player, gems } = await begin({ gridCellsCount: 9 });
    expect(codeOf(await cashOut(player))).toBe('409 ACTION_NOT_ALLOWED');
    await open(player, gems[0]);
    const before = (await board(player)).body;
    for (const cell of [gems[0], 9, 63, 64, -1, 0.5, String(gems[1]), null, undefined])
      expect(codeOf(await open(player, cell)), String(cell)).toBe('400 VALIDATION_FAILED');
    expect((await board(player)).body).toEqual(before);
    expect(codeOf(await cashOut(player))).toBe('201');
  });

  test('rejects another manual or automatic round while one is open', async () => {
    const { player } = await begin();
    expect(codeOf(await play(player))).toBe('409 ROUND_OPEN');
    expect(codeOf(await spin(player, [0]))).toBe('409 ROUND_OPEN');
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['90', 1]);
  });

  test('rejects requests without a session', async () => {
    for (const [method, path] of [
      ['POST', 'play'],
      ['POST', 'open'],
      ['POST', 'cash-out'],
      ['POST', 'auto-spin'],
      ['GET', 'board'],
      ['GET', 'config'],
    ] as const)
      expect((await app.call(method, `${MINES}/${path}`)).status).toBe(401);
  });
});

describe('automatic rounds', () => {
  test('settles an automatic round with all its cells as one bet with one nonce', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { bombs, gems } = await foresee(player);
    const { status, body } = await spin(player, gems.slice(0, 3));
    expect([status, body]).toEqual([
      201,
      {
        currencyId: 'USDT',
        betAmount: '10',
        payout: '14.785',
        multiplier: 1.4785,
        finishedAt: expect.any(String),
        board: boardWith(bombs),
        betId: expect.any(String),
      },
    ]);
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['104.785', 1]);
    expect(await betsIn(player, 'SETTLED')).toMatchObject([{ id: body.betId, settledAt: body.finishedAt }]);
  });

  test('loses an automatic round at the first bomb', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { bombs, gems } = await foresee(player);
    const { body } = await spin(player, [gems[0]!, bombs[2]!, gems[1]!]);
    expect(body).toMatchObject({ payout: '0', multiplier: 0, board: boardWith(bombs) });
    const { game } = (await player.call('GET', `/bets/house-games/info/${body.betId}`)).body;
    expect(game.outcome).toEqual({ bombs, opened: 2, multiplier: 0 });
    expect(await cashOf(player)).toBe('90');
  });

  test('stops an automatic round when it reaches maxProfit, before a later bomb', async () => {
    await whileSet(app, 'mines', { maxBet: '10', maxProfit: '40' }, async () => {
      const player = await app.newPlayer({ usdt: 100 });
      const grid = { gridCellsCount: 25, bombsCount: 20 };
      const { bombs, gems } = await foresee(player, { ...GAME, ...grid });
      // A multiplier of 4.95 gives a profit of 39.5. A multiplier of 29.7 would exceed maxProfit.
      const { body } = await spin(player, [gems[0]!, gems[1]!, bombs[0]!], grid);
      expect(body).toMatchObject({ payout: '50', multiplier: 29.7 });
      const { game } = (await player.call('GET', `/bets/house-games/info/${body.betId}`)).body;
      expect(game.inputs.cellIndices).toHaveLength(3);
      expect(game.outcome).toEqual({ bombs, opened: 2, multiplier: 29.7 });
      await player.call('POST', '/fairness/seeds/rotate', { body: {} });
      expect((await app.call('GET', `/fairness/bets/${body.betId}`)).body.verified).toBe(true);
    });
  });
});

describe('an open round', () => {
  test('applies changed settings only to later rounds, not to an open round', async () => {
    const { player, gems } = await begin();
    await open(player, gems[0]);
    const before = (await board(player)).body;
    await whileSet(app, 'mines', { rtp: 80, maxBet: '5', maxProfit: '5' }, async () => {
      expect((await board(player)).body).toEqual(before);
      expect((await open(player, gems[1])).body.proceed.currentMultiplier).toBe(1.2857);
      // The round keeps the maxProfit and RTP that applied at its start, so it can reach a profit of 9.973 at the fifth cell.
      for (const cell of gems.slice(2, 5)) expect((await open(player, cell)).body.proceed).toBeDefined();
      expect((await cashOut(player)).body).toMatchObject({ multiplier: 1.9973, payout: '19.973' });
      const next = await begin({ betAmount: '5' });
      expect(next.started.body.nextMultiplier).toBe(0.909);
      expect(codeOf(await play(await app.newPlayer({ usdt: 10 })))).toBe('400 AMOUNT_OUT_OF_RANGE');
    });
  });

  test('allows players to finish a round while the game is disabled, but not to start one', async () => {
    const { player, gems } = await begin();
    await whileSet(app, 'mines', { enabled: false }, async () => {
      expect(codeOf(await board(player))).toBe('200');
      expect((await open(player, gems[0])).body.proceed).toBeDefined();
      expect(codeOf(await cashOut(player))).toBe('201');
      expect(codeOf(await play(player))).toBe('409 GAME_DISABLED');
      expect(codeOf(await spin(player, [0]))).toBe('409 GAME_DISABLED');
    });
    expect(codeOf(await play(player))).toBe('201');
  });

  test('allows players who are no longer allowed to play to finish a round, but not to start one', async () => {
    const ends: Record<string, (player: Player) => Promise<unknown>> = {
      '403 SELF_EXCLUDED': (player) =>
        player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } }),
      '403 LIMIT_REACHED': (player) =>
        player.call('POST', '/user-limits/gambling-limits', {
          body: { type: 'WAGER', period: 'DAY', amount: '1' },
        }),
      '403 USER_BANNED': ({ id }) =>
        app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', id).execute(),
    };
    for (const [code, end] of Object.entries(ends)) {
      const { player, gems } = await begin();
      await end(player);
      expect((await open(player, gems[0])).body.proceed, code).toBeDefined();
      expect((await cashOut(player)).body.payout, code).toBe('11.25');
      expect(await cashOf(player)).toBe('101.25');
      expect(codeOf(await play(player))).toBe(code);
      expect(codeOf(await spin(player, [0]))).toBe(code);
    }
  });
});

describe('repeated and concurrent requests', () => {
  test('performs a request only once when its Idempotency-Key is repeated, and returns the same response', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { gems } = await foresee(player);
    const steps = [
      ['play', GAME, { ...GAME, bombsCount: 4 }],
      ['open', { cellIndex: gems[0] }, { cellIndex: gems[1] }],
      ['cash-out', {}, { windowId: 'other' }],
      ['auto-spin', { ...GAME, cellIndices: [0] }, { ...GAME, cellIndices: [1] }],
    ] as const;
    for (const [path, body, other] of steps) {
      const key = { 'idempotency-key': randomUUID() };
      const first = await post(player, path, body, key);
      expect(codeOf(first), path).toBe('201');
      const [cash, nonce] = [await cashOf(player), await nonceOf(player)];
      const again = await post(player, path, body, key);
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(codeOf(await post(player, path, other, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
      expect([await cashOf(player), await nonceOf(player)]).toEqual([cash, nonce]);
    }
    expect(await betsIn(player, 'SETTLED')).toHaveLength(2);
  });

  test('starts one round, opens each cell once and ends the round once when requests are concurrent', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { gems } = await foresee(player);
    const starts = await Promise.all(Array.from({ length: 64 }, () => play(player)));
    expect(count(starts)).toEqual({ '201': 1, '409 ROUND_OPEN': 63 });
    // Safe cells are left, so the round ends only when the player cashes out.
    const opens = gems
      .slice(0, 16)
      .flatMap((cell) => Array.from({ length: 4 }, () => () => open(player, cell)));
    const acts = [...opens, ...Array.from({ length: 8 }, () => () => cashOut(player))];
    const answers = await Promise.all(acts.map((act) => act()));
    const paid = answers.filter(({ status, body }) => status === 201 && body.payout !== undefined);
    expect(paid.length).toBeLessThanOrEqual(1);
    const opened = answers
      .filter(({ body }) => body.proceed)
      .map(({ body }) => body.proceed.openedCellsCount);
    expect(opened.toSorted((a, b) => a - b)).toEqual(opened.map((_, i) => i + 1));
    const last = paid[0] ?? (await cashOut(player));
    expect(last.body.multiplier).toBe(multiplierAt(opened.length));
    expect(await betsIn(player, 'SETTLED')).toMatchObject([{ payout: last.body.payout }]);
    expect(unitsOf(await cashOf(player))).toBe(9_000_000_000n + unitsOf(last.body.payout));
    const { rows } = await app.sql<{
      n: number;
    }>`select count(*)::int as n from rounds where user_id = ${player.id}`.execute(app.db);
    expect(rows).toEqual([{ n: 0 }]);
  });
});

function count(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[codeOf(answer)] = (counts[codeOf(answer)] ?? 0) + 1;
  return counts;
}

/** Returns the multiplier for k safe cells of a grid with 25 cells and 3 bombs. */
function multiplierAt(k: number): number {
  let [value, whole] = [9900n, 1n];
  for (let i = 0n; i < BigInt(k); i++) [value, whole] = [value * (25n - i), whole * (22n - i)];
  return Number(value / whole) / 10_000;
}

function unitsOf(text: string): bigint {
  const [whole, fraction = ''] = text.split('.') as [string, string?];
  return BigInt(whole + fraction.padEnd(8, '0'));
}
