/** Tests the daily counts of positions: they match the seeds, count each settled bet once and exclude open rounds. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../../../test/kit/app.ts';
import { fixture } from '../../../../../../test/kit/fixture.ts';
import {
  lock,
  placeBet,
  reserve,
  settleBet,
  type TestBet,
  write,
} from '../../../../../../test/kit/games/bets.ts';
import { act, active, deal, lay } from '../../../../../../test/kit/games/blackjack.ts';
import { drawn, numbersOf } from '../../../../../../test/kit/games/chance.ts';
import { betOn } from '../../../../../../test/kit/games/house.ts';
import { transaction } from '../../../../../platform/database/db.ts';
import { consumeBatch } from '../../../bets/consume.ts';
import { createSeedEncryption } from '../../../fairness/service.ts';
import { CONSUMER } from '../queries.ts';
import type { TestedGame } from './rules.ts';

const games: Record<string, number> = {};
const app = fixture(() => startApp({ reconcileOnStop: false }));
const player = fixture(() => app.newPlayer({ usdt: 10_000 }));
beforeAll(async () => {
  for (const { id, slug } of await app.db.selectFrom('games').select(['id', 'slug']).execute())
    games[slug] = id;
});

const DAY_MS = 86_400_000;
const EVER = { from: new Date(0), until: new Date(Date.now() + 2 * DAY_MS) };
const returns = () => app.services.returns;
const counted = (slug: TestedGame, period = EVER) =>
  transaction(app.db, (tx) => returns().positions(tx, { id: games[slug]!, slug }, period));
const consumeAll = () =>
  vi.waitFor(
    async () => {
      await returns().catchUp();
      expect(await counted('roulette')).toBeDefined();
      expect(await counted('keno')).toBeDefined();
      expect(await counted('blackjack')).toBeDefined();
    },
    { timeout: 20_000, interval: 20 },
  );

/** The lowest and the highest number that a bet can draw, and how many different numbers it draws. */
const DRAWS = { roulette: [0, 36, 1], keno: [1, 40, 10], blackjack: [1, 52, 4] } as const;

/** The expected counts, computed from the seeds of the settled bets. */
async function fromSeeds(slug: keyof typeof DRAWS): Promise<number[]> {
  const [first, last, count] = DRAWS[slug];
  const encryption = createSeedEncryption(app.config.SEED_SECRET);
  const bets = await app.db
    .selectFrom('bets')
    .innerJoin('seed_pairs', 'seed_pairs.id', 'seed_pair_id')
    .select(['server_seed', 'client_seed', 'nonce'])
    .where('game_id', '=', games[slug]!)
    .where('status', '=', 'SETTLED')
    .execute();
  const size = last - first + 1;
  const counts = Array<number>(slug === 'blackjack' ? 4 * size : size).fill(0);
  for (const { server_seed, client_seed, nonce } of bets) {
    const next = numbersOf({ serverSeed: encryption.open(server_seed), clientSeed: client_seed! }, nonce!);
    const numbers = drawn([first, last], count, next);
    for (const [i, n] of numbers.entries()) counts[(slug === 'blackjack' ? i * size : 0) + n - first]! += 1;
  }
  return counts;
}

/** Inserted roulette bets use a nonexistent seed pair, so that `fromSeeds` excludes them. */
const bet = (position: number, more: Partial<TestBet> = {}): TestBet => ({
  userId: player.id,
  gameId: games.roulette!,
  seedPairId: 10n ** 12n,
  outcome: { randomPosition: position, multiplier: 0 },
  ...more,
});
async function fromOutcomes(): Promise<number[]> {
  const { rows } = await sql<{ at: number }>`
    select (outcome ->> 'randomPosition')::int as at from bets
    where game_id = ${games.roulette!} and status = 'SETTLED' and seed_pair_id is not null`.execute(app.db);
  const counts = Array<number>(37).fill(0);
  for (const { at } of rows) counts[at]! += 1;
  return counts;
}
const findings = async () => {
  const { reconcile } = await import('../../../../../app/commands/reconcile.ts');
  const all = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  return all.findings.filter(({ problem }) => problem.startsWith("a game's position counts"));
};
const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);

describe('positions played over HTTP', () => {
  test('counts the pockets, numbers and cards that are derived from the seeds', async () => {
    const sums = async () => {
      await consumeAll();
      const all = await Promise.all(
        (['roulette', 'keno', 'blackjack'] as const).map((game) => counted(game)),
      );
      return all.map((counts) => sum(counts ?? []));
    };
    const before = await sums();
    for (let i = 0; i < 15; i++) {
      for (const game of ['roulette', 'keno'] as const) expect((await betOn(player, game)).status).toBe(201);
      expect((await deal(player, { betAmount: '1' })).status).toBe(201);
      while (await active(player)) {
        const { availableActions } = await active(player);
        const action = availableActions.includes('SPLIT') ? 'SPLIT' : availableActions[i % 2];
        expect((await act(player, action)).status).toBe(201);
      }
    }
    await consumeAll();
    for (const game of ['roulette', 'keno', 'blackjack'] as const)
      expect(await counted(game)).toEqual(await fromSeeds(game));
    expect((await sums()).map((n, i) => n - before[i]!)).toEqual([15, 150, 60]);
  });

  test('does not count positions before a round ends, or positions of a prearranged deck', async () => {
    const before = await counted('blackjack');
    expect((await lay(player, 'Th 9d 7c Ts')).body.data.status).toBe('PLAYER_TURN');
    expect((await act(player, 'STAND')).body.data.status).toBe('FINISHED');
    const other = await app.newPlayer({ usdt: 1000 });
    do expect((await deal(other, { betAmount: '1' })).status).toBe(201);
    while (!(await active(other)));
    await consumeAll();
    const ended = await fromSeeds('blackjack');
    expect(await counted('blackjack')).toEqual(ended);
    while (await active(other)) await act(other, 'STAND');
    await consumeAll();
    const after = (await counted('blackjack'))!;
    expect(sum(after)).toBe(sum(ended) + 4);
    expect(after).toEqual(await fromSeeds('blackjack'));
    expect(sum(after)).toBeGreaterThan(sum(before!));
  });
});

describe('each bet is counted once', () => {
  test('counts each bet once in small batches with crashes between them', async () => {
    for (let i = 0; i < 9; i++) await placeBet(app, bet(i));
    for (let i = 0; i < 4; i++) {
      const crash = transaction(app.db, async (tx) => {
        await consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: 2 });
        throw new Error('the process ended');
      });
      await expect(crash).rejects.toThrow('the process ended');
      await returns().consume(1 + (i % 2));
    }
    await consumeAll();
    expect(await counted('roulette')).toEqual(await fromOutcomes());
  });

  test('counts each bet once when it is committed late, settled late or rolled back', async () => {
    const open = [
      await placeBet(app, bet(1, { status: 'CREATED' })),
      await placeBet(app, bet(2, { status: 'CREATED' })),
    ] as const;
    await consumeAll();
    const other = await app.newPlayer();
    const late = await app.db.startTransaction().execute();
    await lock(late, player.id);
    await reserve(late);
    await placeBet(app, bet(3, { userId: other.id }));
    expect(await returns().consume()).toBe(0);
    // The bet is after the cursor, so the day is not complete.
    expect(await counted('roulette')).toBeUndefined();
    await write(late, bet(4));
    await late.commit().execute();
    await settleBet(app, { id: open[0], userId: player.id });
    await settleBet(app, { id: open[1], userId: player.id }, 'ROLLBACK');
    const before = await fromOutcomes();
    await consumeAll();
    expect(await counted('roulette')).toEqual(before);
    expect([before[1]! > 0, before[3]! > 0, before[4]! > 0]).toEqual([true, true, true]);
  });

  test('counts each bet once with two concurrent consumers', async () => {
    const two = await startApp({ database: app.database, reconcileOnStop: false });
    let isOpen = true;
    const consume = async ({ services }: TestApp) => {
      while (isOpen) await services.returns.consume(3);
    };
    const place = async ({ id }: { id: number }) => {
      for (let i = 0; i < 12; i++) await placeBet(app, bet(i, { userId: id }));
    };
    const close = () => {
      isOpen = false;
    };
    const players = [player, await app.newPlayer(), await app.newPlayer()];
    try {
      const placed = Promise.all(players.map(place)).finally(close);
      await Promise.all([placed, consume(app), consume(two)]).finally(close);
      await consumeAll();
      expect(await counted('roulette')).toEqual(await fromOutcomes());
    } finally {
      await two.stop();
    }
  });

  let tries = 0;
  test('counts each bet on the day when it was settled', async () => {
    const midnight = Date.parse('2026-02-03T00:00:00.000Z') + 3 * DAY_MS * tries++;
    await placeBet(app, bet(7, { settledAt: new Date(midnight - 1) }));
    await placeBet(app, bet(8, { settledAt: new Date(midnight) }));
    await consumeAll();
    const day = (from: number) =>
      counted('roulette', { from: new Date(from), until: new Date(from + DAY_MS) });
    const only = (position: number) => Array.from({ length: 37 }, (_, i) => (i === position ? 1 : 0));
    expect([await day(midnight - DAY_MS), await day(midnight)]).toEqual([only(7), only(8)]);
    expect(await day(midnight + DAY_MS)).toEqual([]);
  });

  test('counts all bets again for a newer version, and returns no report during the recount or to an older version', async () => {
    const before = await counted('roulette');
    const setCursor = (version: number) =>
      sql`update cursors set version = ${version} where name = 'game-returns'`.execute(app.db);
    try {
      await setCursor(CONSUMER.version! - 1);
      await sql`update game_positions set counts[1] = 99`.execute(app.db);
      expect(await counted('roulette')).toBeUndefined();
      expect(await returns().consume(20)).toBe(20);
      expect(await counted('roulette')).toBeUndefined();
      await consumeAll();
      expect(await counted('roulette')).toEqual(before);
      await setCursor(CONSUMER.version! + 1);
      expect(await counted('roulette')).toBeUndefined();
    } finally {
      await setCursor(CONSUMER.version! - 1);
      await consumeAll();
    }
  });

  test('detects a wrong count when the counts are checked', async () => {
    expect(await findings()).toEqual([]);
    const change = (by: number) =>
      sql`update game_positions set counts[3] = counts[3] + ${by}::int where game_id = ${games.keno!}`.execute(
        app.db,
      );
    await change(1);
    const found = await findings().finally(() => change(-1));
    expect(found).toMatchObject([{ invariant: 'N8', facts: { game_id: games.keno! } }]);
    const rows = await app.db
      .deleteFrom('game_positions')
      .where('game_id', '=', games.blackjack!)
      .returningAll()
      .execute();
    const missing = await findings().finally(() =>
      app.db.insertInto('game_positions').values(rows).execute(),
    );
    expect(missing.map(({ facts }) => [facts.counted, facts.drawn])).toEqual(
      rows.map(({ counts }) => [null, BigInt(sum(counts))]),
    );
    expect(await findings()).toEqual([]);
  });
});
