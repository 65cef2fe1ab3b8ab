import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { type Answer, cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { nextDraw, whileSet } from '../../../../../test/kit/games/house-rounds.ts';

const app = fixture(startApp);

const MONKEY = '/casino/games/house/monkey-run';
const GAME = { currencyId: 'USDT', betAmount: '10', difficulty: 'MEDIUM' };
const TRAPS: Record<string, number> = { EASY: 1, MEDIUM: 3, HARD: 5, EXPERT: 10 };
const MEDIUM = [
  1.1647, 1.383, 1.6597, 2.0153, 2.4804, 3.1005, 3.9461, 5.13, 6.84, 9.405, 13.4357, 20.1535, 32.2457, 56.43,
  112.86, 282.15, 1128.6,
];

const bet = (player: Player, fields: object = {}) =>
  player.call('POST', `${MONKEY}/bet`, { body: { ...GAME, ...fields } });
const play = (player: Player, makeStep: unknown) =>
  player.call('POST', `${MONKEY}/play`, { body: { makeStep } });
const cashOut = (player: Player) => player.call('PUT', `${MONKEY}/cash-out`, { body: {} });
const game = (player: Player) => player.call('GET', `${MONKEY}/game`);
const betsIn = async (player: Player, status: string) =>
  (await player.call('GET', `/bets?status=${status}`)).body.data;
const nonceOf = async (player: Player) => (await player.call('GET', '/fairness/seeds')).body.nonce;

/** Returns the traps of the player's next bet, which are fixed when the bet is placed. */
async function foresee(player: Player, difficulty = 'MEDIUM') {
  const { hidden: traps } = await nextDraw(app, player, { from: [1, 20], count: TRAPS[difficulty]! });
  return { traps, deadPoint: Math.min(...traps) };
}

/** Creates a player whose next bet has a `deadPoint` that satisfies `isWanted`. */
async function playerWith(isWanted: (deadPoint: number) => boolean, difficulty = 'MEDIUM') {
  for (;;) {
    const player = await app.newPlayer({ usdt: 100 });
    const foreseen = await foresee(player, difficulty);
    if (isWanted(foreseen.deadPoint)) return { player, ...foreseen };
  }
}

/** Starts a round for a new player. Returns its first response. */
async function begin(isWanted: (deadPoint: number) => boolean, fields: Partial<typeof GAME> = {}) {
  const known = await playerWith(isWanted, fields.difficulty);
  const started = await bet(known.player, fields);
  expect(codeOf(started)).toBe('201');
  return { ...known, started };
}

const far = (deadPoint: number) => deadPoint > 4;

test('shows limits in US dollars and multipliers at the configured RTP in the config', async () => {
  const player = await app.newPlayer();
  const config = async () => (await player.call('GET', `${MONKEY}/config`)).body;
  const at99 = await config();
  expect(at99).toMatchObject({
    minBet: 0.01,
    maxBet: 1000,
    maxProfit: 100_000,
    rtp: 99,
    maxMultiplier: 182_908.44,
  });
  expect(Object.entries(at99.difficulties).map(([name, { steps }]: [string, any]) => [name, steps])).toEqual([
    ['EASY', 19],
    ['MEDIUM', 17],
    ['HARD', 15],
    ['EXPERT', 10],
  ]);
  expect(at99.difficulties.MEDIUM.multipliers).toEqual(MEDIUM);
  await whileSet(app, 'monkey-run', { rtp: 80 }, async () => {
    const at80 = await config();
    expect(at80).toMatchObject({ rtp: 80, maxMultiplier: 147_804.8 });
    expect(at80.difficulties.EASY.multipliers[0]).toBe(0.8421);
  });
});

describe('a run', () => {
  test('moves from tile to tile, returns the run unchanged on reads, and cashes out', async () => {
    const { player, traps, deadPoint, started } = await begin(far);
    expect(started.body).toEqual({
      difficulty: 'MEDIUM',
      currencyId: 'USDT',
      betAmount: '10',
      cashOut: '0',
      nextStepProfit: '1.647',
      isFinished: false,
      canCashOut: false,
      multipliers: MEDIUM,
      step: 0,
    });
    expect(await cashOf(player)).toBe('90');
    expect(await nonceOf(player)).toBe(1);
    expect((await game(player)).body).toEqual(started.body);
    const first = await play(player, 1);
    expect([first.status, first.body]).toEqual([
      201,
      { ...started.body, cashOut: '11.647', nextStepProfit: '3.83', canCashOut: true, step: 1 },
    ]);
    const more = await play(player, 3);
    expect(more.body).toEqual({
      ...started.body,
      cashOut: '16.597',
      nextStepProfit: '10.153',
      canCashOut: true,
      step: 3,
    });
    expect((await game(player)).body).toEqual(more.body);
    expect(await betsIn(player, 'CREATED')).toMatchObject([{ payout: '0', game: { slug: 'monkey-run' } }]);
    const done = await cashOut(player);
    expect([done.status, done.body]).toEqual([
      200,
      {
        ...more.body,
        cashOut: '16.597',
        nextStepProfit: '0',
        isFinished: true,
        canCashOut: false,
        deadPoint,
      },
    ]);
    expect(await cashOf(player)).toBe('106.597');
    const [settled] = await betsIn(player, 'SETTLED');
    expect(settled).toMatchObject({ payout: '16.597', multiplier: 1.6597 });
    const info = await player.call('GET', `/bets/house-games/info/${settled.id}`);
    expect(info.body.game).toMatchObject({
      inputs: { difficulty: 'MEDIUM', steps: [1, 3] },
      outcome: { traps, deadPoint, step: 3, didWin: true, multiplier: 1.6597 },
    });
    for (const answer of [await game(player), await cashOut(player), await play(player, 4)])
      expect(codeOf(answer)).toBe('404 ROUND_NOT_FOUND');
  });

  test('loses a run at the first trap, and leaves the player on the tile before the trap', async () => {
    for (const beyond of [0, 1]) {
      const { player, traps, deadPoint, started } = await begin((point) => point > 2 && point < 17);
      await play(player, 1);
      const lost = await play(player, deadPoint + beyond);
      expect([lost.status, lost.body]).toEqual([
        201,
        {
          ...started.body,
          cashOut: '0',
          nextStepProfit: '0',
          isFinished: true,
          canCashOut: false,
          step: deadPoint - 1,
          deadPoint,
        },
      ]);
      expect(await cashOf(player)).toBe('90');
      expect(codeOf(await game(player))).toBe('404 ROUND_NOT_FOUND');
      const [settled] = await betsIn(player, 'SETTLED');
      const info = await player.call('GET', `/bets/house-games/info/${settled.id}`);
      expect(info.body.game.outcome).toEqual({
        traps,
        deadPoint,
        step: deadPoint - 1,
        didWin: false,
        multiplier: 0,
      });
    }
  });

  test('cashes out a run automatically after its last step', async () => {
    const { player, started } = await begin((point) => point === 20, { difficulty: 'EASY', betAmount: '1' });
    const { body } = await play(player, 19);
    expect(body).toEqual({
      ...started.body,
      cashOut: '19.8',
      nextStepProfit: '0',
      isFinished: true,
      canCashOut: false,
      step: 19,
      deadPoint: 20,
    });
    expect(await cashOf(player)).toBe('118.8');
  });

  test('ends a run when it reaches maxProfit within a longer step, before a later trap, and caps the payout', async () => {
    await whileSet(app, 'monkey-run', { maxBet: '10', maxProfit: '10' }, async () => {
      const { player, deadPoint, started } = await begin((point) => point > 4 && point < 17);
      expect(started.body.nextStepProfit).toBe('1.647');
      const { body } = await play(player, deadPoint);
      // The multiplier of 2.0153 at the fourth tile gives a profit of 10.153.
      expect(body).toMatchObject({ step: 4, cashOut: '20', isFinished: true, deadPoint });
      expect(await cashOf(player)).toBe('110');
      const [settled] = await betsIn(player, 'SETTLED');
      expect(settled).toMatchObject({ payout: '20', multiplier: 2 });
      const { outcome } = (await player.call('GET', `/bets/house-games/info/${settled.id}`)).body.game;
      expect(outcome).toMatchObject({ step: 4, didWin: true, multiplier: 2.0153 });
      await player.call('POST', '/fairness/seeds/rotate', { body: {} });
      expect((await app.call('GET', `/fairness/bets/${settled.id}`)).body.verified).toBe(true);
    });
  });

  test('caps the displayed profit of the next step', async () => {
    await whileSet(app, 'monkey-run', { maxBet: '10', maxProfit: '10' }, async () => {
      const { player } = await begin(far);
      expect((await play(player, 3)).body).toMatchObject({ cashOut: '16.597', nextStepProfit: '10' });
    });
  });

  test('shows a loss for the next step when the RTP is low', async () => {
    await whileSet(app, 'monkey-run', { rtp: 80 }, async () => {
      const { player, started } = await begin(far, { difficulty: 'EASY' });
      expect(started.body).toMatchObject({ nextStepProfit: '-1.579', cashOut: '0' });
      expect((await play(player, 1)).body).toMatchObject({ nextStepProfit: '-1.112', cashOut: '8.421' });
      expect((await cashOut(player)).body.cashOut).toBe('8.421');
      expect(await cashOf(player)).toBe('98.421');
    });
  });

  test('allows only the player who started a run to read and continue it, even while the player has an open round of mines', async () => {
    const { player } = await begin(far);
    const other = await app.newPlayer({ usdt: 100 });
    for (const answer of [await game(other), await play(other, 1), await cashOut(other)])
      expect(codeOf(answer)).toBe('404 ROUND_NOT_FOUND');
    const mines = { currencyId: 'USDT', betAmount: '10', gridCellsCount: 9, bombsCount: 1 };
    const body = { body: mines };
    expect(codeOf(await player.call('POST', '/casino/games/house/mines/play', body))).toBe('201');
    const { body: seeds } = await player.call('GET', '/fairness/seeds');
    expect(seeds).toMatchObject({ nonce: 2, openRounds: ['mines', 'monkey-run'] });
    expect((await play(player, 2)).body.step).toBe(2);
    expect((await player.call('GET', '/casino/games/house/mines/board')).body.openedCellsCount).toBe(0);
  });
});

describe('hidden traps', () => {
  test('returns the same responses wherever traps are hidden until the run ends, and proves the traps only after a seed rotation', async () => {
    const { player, traps, deadPoint } = await begin(far);
    await play(player, 2);
    const [{ id }] = await betsIn(player, 'CREATED');
    const shown: Answer[] = [
      await game(player),
      await play(player, 2),
      await player.call('GET', '/bets?status=CREATED'),
      await player.call('GET', `/bets/house-games/info/${id}`),
      await player.call('GET', `/fairness/bets/${id}`),
      await player.call('POST', '/fairness/seeds/rotate', { body: {} }),
    ];
    expect(shown.map(codeOf)).toEqual([
      '200',
      '400 VALIDATION_FAILED',
      '200',
      '404 BET_NOT_FOUND',
      '404 BET_NOT_FOUND',
      '409 FAIRNESS_ROUND_OPEN',
    ]);
    for (const { text } of shown) expect(text).not.toMatch(/deadPoint|traps|serverSeed"/);
    const row = await app.db
      .selectFrom('rounds')
      .innerJoin('bets', 'bets.id', 'rounds.bet_id')
      .select(['state', 'inputs', 'outcome'])
      .where('rounds.user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      state: { difficulty: 'MEDIUM', step: 2, steps: [2] },
      inputs: null,
      outcome: null,
    });
    await play(player, deadPoint);
    const proof = () => app.call('GET', `/fairness/bets/${id}`);
    const known = {
      inputs: { difficulty: 'MEDIUM', steps: [2, deadPoint] },
      outcome: { traps, deadPoint, step: deadPoint - 1, didWin: false, multiplier: 0 },
    };
    expect((await proof()).body).toMatchObject({ game: 'monkey-run', ...known, verified: null });
    expect(codeOf(await player.call('POST', '/fairness/seeds/rotate', { body: {} }))).toBe('201');
    expect((await proof()).body).toMatchObject({ ...known, verified: true });
  });
});

describe('rejections that change nothing', () => {
  test.each([
    ['a difficulty in small letters', { difficulty: 'easy' }, '400 VALIDATION_FAILED'],
    ['no difficulty', { difficulty: undefined }, '400 VALIDATION_FAILED'],
    ['a difficulty by its inheritance', { difficulty: 'toString' }, '400 VALIDATION_FAILED'],
    ['a field too many', { traps: [1] }, '400 VALIDATION_FAILED'],
    ['nothing staked', { betAmount: '0' }, '400 VALIDATION_FAILED'],
    ['a stake below minBet', { betAmount: '0.009' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['a stake above maxBet', { betAmount: '1000.01' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['a stake above the balance', { betAmount: '100.01' }, '400 INSUFFICIENT_BALANCE'],
    ['an unknown currency', { currencyId: 'XXX' }, '404 CURRENCY_NOT_FOUND'],
  ])('rejects %s', async (_, fields, code) => {
    const player = await app.newPlayer({ usdt: 100 });
    expect(codeOf(await bet(player, fields))).toBe(code);
    expect(codeOf(await game(player))).toBe('404 ROUND_NOT_FOUND');
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['100', 0]);
  });

  test('rejects a tile that is not ahead, and a cash-out at the start', async () => {
    const { player } = await begin(far);
    expect(codeOf(await cashOut(player))).toBe('409 ACTION_NOT_ALLOWED');
    await play(player, 2);
    const before = (await game(player)).body;
    for (const tile of [2, 1, 0, -1, 18, 19, 20, 2.5, '3', null, undefined])
      expect(codeOf(await play(player, tile)), String(tile)).toBe('400 VALIDATION_FAILED');
    expect((await game(player)).body).toEqual(before);
    expect(codeOf(await cashOut(player))).toBe('200');
  });

  test('rejects another round while one is open', async () => {
    const { player } = await begin(far);
    expect(codeOf(await bet(player))).toBe('409 ROUND_OPEN');
    expect([await cashOf(player), await nonceOf(player)]).toEqual(['90', 1]);
  });

  test('rejects requests without a session', async () => {
    for (const [method, path] of [
      ['POST', 'bet'],
      ['POST', 'play'],
      ['PUT', 'cash-out'],
      ['GET', 'game'],
      ['GET', 'config'],
    ] as const)
      expect((await app.call(method, `${MONKEY}/${path}`)).status).toBe(401);
  });
});

describe('an open round', () => {
  test('applies changed settings only to later runs, not to an open run', async () => {
    const { player } = await begin((point) => point > 6);
    await play(player, 1);
    const before = (await game(player)).body;
    await whileSet(app, 'monkey-run', { rtp: 80, maxBet: '5', maxProfit: '5' }, async () => {
      expect((await game(player)).body).toEqual(before);
      expect((await play(player, 6)).body).toMatchObject({ step: 6, cashOut: '31.005', isFinished: false });
      expect((await cashOut(player)).body.cashOut).toBe('31.005');
      const next = await begin(far, { betAmount: '5' });
      expect(next.started.body.multipliers[0]).toBe(0.9411);
    });
  });

  test('allows players to finish a run while the game is disabled, but not to start one', async () => {
    const { player } = await begin(far);
    await whileSet(app, 'monkey-run', { enabled: false }, async () => {
      expect(codeOf(await game(player))).toBe('200');
      expect(codeOf(await play(player, 1))).toBe('201');
      expect(codeOf(await cashOut(player))).toBe('200');
      expect(codeOf(await bet(player))).toBe('409 GAME_DISABLED');
    });
    expect(codeOf(await bet(player))).toBe('201');
  });

  test('allows players who are no longer allowed to play to finish a run, but not to start one', async () => {
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
      const { player } = await begin(far);
      await end(player);
      expect((await play(player, 1)).body.step, code).toBe(1);
      expect((await cashOut(player)).body.cashOut, code).toBe('11.647');
      expect(await cashOf(player)).toBe('101.647');
      expect(codeOf(await bet(player))).toBe(code);
    }
  });
});

describe('repeated and concurrent requests', () => {
  test('performs a request only once when its Idempotency-Key is repeated, and returns the same response', async () => {
    const { player } = await playerWith(far);
    const steps = [
      ['POST', 'bet', GAME, { ...GAME, difficulty: 'EASY' }],
      ['POST', 'play', { makeStep: 2 }, { makeStep: 3 }],
      ['PUT', 'cash-out', {}, { windowId: 'other' }],
    ] as const;
    for (const [method, path, body, other] of steps) {
      const headers = { 'idempotency-key': randomUUID() };
      const send = (sent: object) => player.call(method, `${MONKEY}/${path}`, { body: sent, headers });
      const first = await send(body);
      expect(first.status, path).toBeLessThan(300);
      const [cash, nonce] = [await cashOf(player), await nonceOf(player)];
      const again = await send(body);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(codeOf(await send(other))).toBe('409 IDEMPOTENCY_KEY_REUSED');
      expect([await cashOf(player), await nonceOf(player)]).toEqual([cash, nonce]);
    }
    expect(await betsIn(player, 'SETTLED')).toMatchObject([{ payout: '13.83' }]);
  });

  test('starts one run, takes each step once and ends the run once when requests are concurrent', async () => {
    const { player } = await playerWith((point) => point > 8);
    const starts = await Promise.all(Array.from({ length: 64 }, () => bet(player)));
    expect(starts.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(starts.filter((answer) => codeOf(answer) === '409 ROUND_OPEN')).toHaveLength(63);
    const steps = Array.from({ length: 64 }, (_, i) => () => play(player, 1 + (i % 8)));
    const acts = [...steps, ...Array.from({ length: 8 }, () => () => cashOut(player))];
    const answers = await Promise.all(acts.map((act) => act()));
    const ended = answers.filter(({ body }) => body.isFinished);
    expect(ended.length).toBeLessThanOrEqual(1);
    const made = answers.filter(({ body }) => body.isFinished === false).map(({ body }) => body.step);
    expect(new Set(made).size).toBe(made.length);
    const last = ended[0] ?? (await cashOut(player));
    expect(last.body.step).toBe(Math.max(...made));
    expect(await betsIn(player, 'SETTLED')).toMatchObject([{ payout: last.body.cashOut }]);
    expect(codeOf(await game(player))).toBe('404 ROUND_NOT_FOUND');
  });
});
