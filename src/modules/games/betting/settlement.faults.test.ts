import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  type DiceBet,
  diceIdOf,
  diceRequest,
  startSettlement,
} from '../../../../test/kit/games/settlement.ts';
import { waiters } from '../../../../test/kit/games/turns.ts';
import { ONE } from '../../../platform/money.ts';
import type { GameRequest } from './request.ts';
import { type Settlement, type SettlementOptions, SWEEP_MS } from './settlement.ts';

const opened: Settlement[] = [];
const app = fixture(startApp);
let diceId: number;
beforeAll(async () => {
  diceId = await diceIdOf(app);
});
afterEach(async () => {
  for (const settlement of opened.splice(0)) await settlement.close();
});

function settlementWith(options: Partial<SettlementOptions> = {}): Settlement {
  const settlement = startSettlement(app, 'faults', options);
  opened.push(settlement);
  return settlement;
}

const request = ({ id }: Player, changes?: Partial<DiceBet>) => diceRequest(id, diceId, changes);

type Ended = { betId?: string; payoutUsd?: bigint; code?: string };
const ended = (bet: Promise<object>): Promise<Ended> =>
  bet.catch((error: { code?: string; constructor: { name: string } }) => ({
    code: error.code ?? error.constructor.name,
  }));
/** Sends all bets at the same time, so that they share one batch. */
const settleAll = (settlement: Settlement, requests: GameRequest[]) =>
  Promise.all(requests.map((r) => ended(new Promise((resolve) => resolve(settlement.settle(r))))));

const betsOf = ({ id }: Player) =>
  app.db
    .selectFrom('bets')
    .select(['id', 'nonce', 'amount', 'payout'])
    .where('user_id', '=', id)
    .orderBy('id')
    .execute();
/** Expects this number of bets, with nonces from 0, and the balance that results from them. */
async function expectBets(player: Player, count: number, cash: bigint): Promise<void> {
  const bets = await betsOf(player);
  expect(bets.map((b) => b.nonce)).toEqual(Array.from({ length: count }, (_, i) => i));
  const left = bets.reduce((sum, b) => sum + b.payout - b.amount, cash);
  expect(BigInt(Math.round(Number(await cashOf(player)) * 1e8))).toBe(left);
}

describe('one failing bet in a batch', () => {
  const failures: [string, Partial<DiceBet>, string][] = [
    [
      'a game that pays more than any column holds',
      { play: () => ({ outcome: {}, multiplier: 2n ** 70n, scale: 1n }), maxProfitUsd: 2n ** 63n - 1n },
      'RangeError',
    ],
    ['a limit that fits no column', { maxProfitUsd: 2n ** 64n }, 'ERR_OUT_OF_RANGE'],
    ['text that PostgreSQL refuses', { windowId: 'a\0b' }, '22021'],
    ['a game that fits no column', { game: { id: 2 ** 31, slug: 'dice' } }, 'ERR_OUT_OF_RANGE'],
    ['an unknown player', { userId: 2_000_000_000 }, 'Error'],
    ['a currency never held', { currencyId: 'BTC', decimals: 8 }, 'INSUFFICIENT_BALANCE'],
  ];
  test.each(failures)(
    'does not settle a bet with %s, but settles the others without a gap in the nonces',
    async (_, change, code) => {
      const settlement = settlementWith();
      const [one, two] = [await app.newPlayer({ usdt: 100 }), await app.newPlayer({ usdt: 100 })];
      const bad = request(one, change);
      const answers = await settleAll(settlement, [
        request(one),
        bad,
        request(two),
        request(one),
        bad,
        request(two),
      ]);
      expect(answers.map((a) => a.code)).toEqual([undefined, code, undefined, undefined, code, undefined]);
      expect(await ended(settlement.settle(bad))).toEqual({ code });
      // The lane must hold no lock afterwards.
      await sql`select from players where user_id = ${one.id} for update nowait`.execute(app.db);
      expect((await ended(settlement.settle(request(one)))).code).toBeUndefined();
      await expectBets(one, 3, 100n * ONE);
      await expectBets(two, 2, 100n * ONE);
    },
  );

  test('stores nothing of a bet whose draft fails after its changes, but settles the others', async () => {
    const settlement = settlementWith();
    const [one, two] = [await app.newPlayer({ usdt: 100 }), await app.newPlayer({ usdt: 100 })];
    const failing = (player: Player): GameRequest => {
      const good = request(player);
      return {
        ...good,
        decide(batch, state) {
          const draft = good.decide(batch, state);
          return {
            ...draft,
            apply(books) {
              draft.apply(books);
              throw new TypeError('a fault in the game');
            },
          };
        },
      };
    };
    for (const _ of ['with rows from the database', 'with cached rows']) {
      const answers = await settleAll(settlement, [request(one), failing(one), request(two)]);
      expect(answers.map(({ code }) => code)).toEqual([undefined, 'TypeError', undefined]);
    }
    await expectBets(one, 2, 100n * ONE);
    await expectBets(two, 2, 100n * ONE);
  });
});

test('runs the sweep timer only while a bet is in progress', async () => {
  const bettor = await app.newPlayer({ usdt: 10 });
  const repeating = vi.spyOn(globalThis, 'setInterval');
  const waiting = vi.spyOn(globalThis, 'setTimeout');
  const sweeps = () => waiting.mock.calls.filter(([, ms]) => ms === SWEEP_MS).length;
  try {
    const settlement = settlementWith({});
    expect(repeating).not.toHaveBeenCalled();
    expect(sweeps()).toBe(0);
    await settlement.settle(request(bettor));
    expect(sweeps()).toBe(1);
    await sleep(3 * SWEEP_MS);
    waiting.mockClear();
    await sleep(2 * SWEEP_MS);
    expect(sweeps()).toBe(0);
  } finally {
    repeating.mockRestore();
    waiting.mockRestore();
  }
});

describe("when a player's row is locked by another transaction", () => {
  async function lockedElsewhere(player: Player) {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('begin');
    await client.query('select from players where user_id = $1 for update', [player.id]);
    return { release: () => client.query('rollback').then(() => client.end()) };
  }

  test('limits the length of the queue, and rejects waiting bets at their deadline', async () => {
    const settlement = settlementWith({ queue: 5, deadlineMs: 400 });
    const player = await app.newPlayer({ usdt: 100 });
    const lock = await lockedElsewhere(player);
    const first = settleAll(settlement, [request(player)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = performance.now();
    const rest = await settleAll(
      settlement,
      Array.from({ length: 8 }, () => request(player)),
    );
    expect(rest.map((a) => a.code).toSorted()).toEqual([
      ...Array(3).fill('BET_QUEUE_FULL'),
      ...Array(5).fill('BET_TIMED_OUT'),
    ]);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect((await first)[0]!.code).toBe('BET_OUTCOME_UNKNOWN');
    await lock.release();
    await expect.poll(() => ended(settlement.settle(request(player)))).toHaveProperty('betId');
    const made = (await betsOf(player)).length;
    expect(made).toBeLessThanOrEqual(2);
    await expectBets(player, made, 100n * ONE);
  });

  test("uses only the player's share of the queue, so that other players can still bet", async () => {
    const settlement = settlementWith({ queue: 5, queuePerPlayer: 2 });
    const [greedy, other] = [await app.newPlayer({ usdt: 100 }), await app.newPlayer({ usdt: 100 })];
    const lock = await lockedElsewhere(greedy);
    const first = settleAll(settlement, [request(greedy)]);
    await expect.poll(() => waiters(app)).toBeGreaterThan(0);
    const many = settleAll(settlement, [...Array(6).fill(request(greedy)), request(other)]);
    await lock.release();
    expect(await first).toEqual([expect.objectContaining({ betId: expect.anything() })]);
    expect((await many).map(({ code }) => code)).toEqual([
      undefined,
      undefined,
      ...Array(4).fill('TOO_MANY_AT_ONCE'),
      undefined,
    ]);
    // The player can again use the full per-player share of the queue.
    expect((await settleAll(settlement, [request(greedy)]))[0]).toHaveProperty('betId');
    await expectBets(greedy, 4, 100n * ONE);
    await expectBets(other, 1, 100n * ONE);
  });

  test('returns 503 with Retry-After when the queue is full, the deadline has passed or the row is locked', async () => {
    const env = { BET_QUEUE: '3', BET_DEADLINE_MS: '1000', BET_LANES: '1' };
    const other = await startApp({ database: app.database, env });
    const player = await app.newPlayer({ usdt: 100 });
    const lock = await lockedElsewhere(player);
    const body = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        other.call('POST', '/casino/games/house/dice/bet', { token: player.token, body }),
      ),
    );
    expect(new Set(answers.map((a) => `${a.status} ${a.headers.get('retry-after')}`))).toEqual(
      new Set(['503 1']),
    );
    const codes = answers.map((a) => a.body.code);
    expect(codes).toContain('BET_QUEUE_FULL');
    expect(codes).toContain('BET_TIMED_OUT');
    await lock.release();
    await other.stop();
    // Bets in progress when the lock was released may have been placed, but bets that were still queued may not.
    const made = (await betsOf(player)).length;
    expect(made).toBeLessThanOrEqual(codes.filter((code) => code === 'BET_OUTCOME_UNKNOWN').length);
    await expectBets(player, made, 100n * ONE);
  });
});
