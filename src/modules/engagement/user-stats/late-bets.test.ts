/**
 * Bets are not committed in the order of their ids. These tests check that a bet that is committed late is consumed late but never skipped.
 */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  consumeAll,
  cursorPosition,
  lock,
  placeBet,
  reserve,
  settle,
  settleBet,
  write,
} from '../../../../test/kit/games/bets.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { playerStatsOf } from './statistics.ts';

let players: Player[];
let gameId: number;
const app = fixture(() => startApp({ reconcileOnStop: false }));
beforeAll(async () => {
  players = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
  gameId = (await app.db.selectFrom('games').select('id').executeTakeFirstOrThrow()).id;
});

const PATIENT = { timeout: 10_000, interval: 20 };

async function expectExact(): Promise<void> {
  for (const { id } of players) {
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int from bets where user_id = ${id} and status = 'SETTLED'`.execute(app.db);
    expect((await playerStatsOf(app.db, id)).betCount).toBe(rows[0]!.count);
  }
}

describe('a bet that commits late', () => {
  const begin = () => app.db.startTransaction().execute();
  const own = (tx: Tx, { id }: Player) => lock(tx, id);
  const names = ['late', 'early'] as const;
  type Act = `${(typeof names)[number]} ${'locks' | 'reserves' | 'writes' | 'commits'}`;

  test.each<[string, Act[]]>([
    [
      'its transaction began first',
      [
        'late locks',
        'late reserves',
        'late writes',
        'early locks',
        'early reserves',
        'early writes',
        'early commits',
      ],
    ],
    [
      'it has reserved ids and written nothing',
      ['late locks', 'late reserves', 'early locks', 'early reserves', 'early writes', 'early commits'],
    ],
    // The transaction has the newest transaction id, so no snapshot has a greater xmax.
    [
      'its transaction began last and reserved ids first',
      ['early locks', 'late locks', 'late reserves', 'early reserves', 'early writes', 'early commits'],
    ],
    [
      'it reserved ids first and wrote last',
      [
        'early locks',
        'late locks',
        'late reserves',
        'late writes',
        'early reserves',
        'early writes',
        'early commits',
      ],
    ],
  ])('does not skip a bet that commits late when %s', async (_, acts) => {
    await consumeAll(app);
    const [slow, quick] = players as [Player, Player];
    const who = { late: { tx: await begin(), player: slow }, early: { tx: await begin(), player: quick } };
    const ids: Record<string, bigint> = {};
    const act = async (name: string) => {
      const [whose, what] = name.split(' ') as ['late' | 'early', string];
      const { tx, player } = who[whose];
      if (what === 'locks') await own(tx, player);
      else if (what === 'reserves') await reserve(tx);
      else if (what === 'writes') ids[whose] = await write(tx, { userId: player.id, gameId, amount: 7n });
      else await tx.commit().execute();
    };
    for (const name of acts) await act(name);
    for (let i = 0; i < 3; i++) expect(await app.services.userStats.consume()).toBe(0);
    expect(await cursorPosition(app)).toBeLessThan(ids.early!);
    await expectExact();
    if (!acts.includes('late writes')) await act('late writes');
    await act('late commits');
    expect(ids.late).toBeLessThan(ids.early!);
    await expectExact();
    await consumeAll(app);
    await expectExact();
  });

  test('does not block the consumer when a late bet is rolled back', async () => {
    const tx = await begin();
    await own(tx, players[0]!);
    await reserve(tx);
    await placeBet(app, { userId: players[1]!.id, gameId });
    expect(await app.services.userStats.consume()).toBe(0);
    await tx.rollback().execute();
    await consumeAll(app);
    await expectExact();
  });

  test('does not block the consumer while there is always an open transaction', async () => {
    await consumeAll(app);
    const last = await placeBet(app, { userId: players[0]!.id, gameId });
    let running = await begin();
    await own(running, players[1]!);
    expect(await app.services.userStats.consume()).toBe(0);
    await expect
      .poll(async () => {
        const next = await begin();
        await own(next, players[2]!);
        await running.commit().execute();
        running = next;
        players = [players[0]!, players[2]!, players[1]!];
        await app.services.userStats.consume();
        return cursorPosition(app);
      }, PATIENT)
      .toBe(last);
    await running.commit().execute();
  });
});

describe('a bet that is not settled when it is placed', () => {
  const open = async (player: Player) => {
    const id = await placeBet(app, { userId: player.id, gameId, status: 'CREATED' });
    // Moves the cursor past the bet.
    const after = await placeBet(app, { userId: player.id, gameId });
    await consumeAll(app);
    expect(id).toBeLessThan(after);
    expect(await cursorPosition(app)).toBe(after);
    return { id, userId: player.id };
  };
  const counted = async ({ id }: Player) => {
    const { rows } = await sql<{ bets: bigint; games: bigint }>`
      select s.bets, (select sum(bets)::int8 from user_game_stats where user_id = s.user_id) as games
      from user_stats s where user_id = ${id}`.execute(app.db);
    return rows[0]!;
  };

  test('counts a bet once when it settles some time after it was placed: immediately in responses, later in the stored totals', async () => {
    const [player] = players as [Player];
    const bet = await open(player);
    const { bets } = await counted(player);
    const position = await settleBet(app, bet);
    await expectExact();
    expect(await counted(player)).toEqual({ bets, games: bets });
    await consumeAll(app);
    expect(await cursorPosition(app)).toBe(position);
    expect(await counted(player)).toEqual({ bets: bets + 1n, games: bets + 1n });
    await expectExact();
    expect(await app.services.userStats.consume()).toBe(0);
    expect(await counted(player)).toEqual({ bets: bets + 1n, games: bets + 1n });
  });

  test('counts a bet once when it settles before the cursor reaches its id', async () => {
    const [player] = players as [Player];
    await consumeAll(app);
    const { bets } = await counted(player);
    const id = await placeBet(app, { userId: player.id, gameId, status: 'CREATED' });
    await placeBet(app, { userId: player.id, gameId });
    await settleBet(app, { id, userId: player.id });
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => app.services.userStats.consume(1)).toBeLessThan(2);
      await expectExact();
    }
    await consumeAll(app);
    expect(await counted(player)).toEqual({ bets: bets + 2n, games: bets + 2n });
  });

  test.each(['ROLLBACK', 'ERROR'])('never counts a bet that ends as %s', async (status) => {
    const [player] = players as [Player];
    const bet = await open(player);
    const before = await counted(player);
    await settleBet(app, bet, status);
    await expectExact();
    expect(await app.services.userStats.consume()).toBe(0);
    expect(await counted(player)).toEqual(before);
  });

  test('stops the cursor before a bet while its settlement is not committed', async () => {
    const [slow, quick] = players as [Player, Player];
    const bet = await open(slow);
    const tx = await app.db.startTransaction().execute();
    await lock(tx, slow.id);
    await reserve(tx);
    const early = await placeBet(app, { userId: quick.id, gameId });
    for (let i = 0; i < 3; i++) expect(await app.services.userStats.consume()).toBe(0);
    const position = await settle(tx, bet.id);
    await tx.commit().execute();
    expect(position).toBeLessThan(early);
    await expectExact();
    await consumeAll(app);
    await expectExact();
    expect(await cursorPosition(app)).toBe(early);
  });

  test('consumes all bets at the same sequence position together, regardless of the batch size', async () => {
    const bets = [await open(players[0]!), await open(players[1]!), await open(players[2]!)];
    await transaction(app.db, async (tx) => {
      for (const { userId } of bets) await lock(tx, userId);
      await reserve(tx);
      for (const { id } of bets) await settle(tx, id);
    });
    await expect.poll(() => app.services.userStats.consume(1), PATIENT).toBe(3);
    await expectExact();
  });
});

test('keeps the safe watermark at the first id until an id is reserved', async () => {
  const fresh = await startApp();
  const safeWatermark = createSafeWatermark(fresh.db);
  const { rows } = await sql<{ first: bigint; taken: boolean }>`
    select last_value as first, is_called as taken from ledger_ids`.execute(fresh.db);
  expect(rows[0]!.taken).toBe(false);
  const tx = await fresh.db.startTransaction().execute();
  await expect.poll(safeWatermark, PATIENT).toBe(rows[0]!.first);
  await tx.rollback().execute();
  await fresh.stop();
});
