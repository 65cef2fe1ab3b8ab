/** Ids and commits have different orders: a bet that commits late is taken in late, and never left out. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../../test/kit/app.ts';
import { consumeAll, cursorPosition, lock, placeBet, reserve, write } from '../../../test/kit/bets.ts';
import type { Tx } from '../../platform/db.ts';
import { createHorizon } from '../ledger/horizon.ts';

let app: TestApp;
let players: Player[];
let gameId: number;
beforeAll(async () => {
  app = await startApp({ reconcileOnStop: false });
  players = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
  gameId = (await app.db.selectFrom('games').select('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => app.stop());

const PATIENT = { timeout: 10_000, interval: 20 };

async function expectExact(): Promise<void> {
  for (const { id } of players) {
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int from bets where user_id = ${id}`.execute(app.db);
    expect((await app.services.userStats.mine(id)).betCount).toBe(rows[0]!.count);
  }
}

describe('a bet that commits late', () => {
  /** A transaction that goes on when it is told to. */
  const begin = () => app.db.startTransaction().execute();
  const own = (tx: Tx, { id }: Player) => lock(tx, id);
  const names = ['late', 'early'] as const;
  type Act = `${(typeof names)[number]} ${'locks' | 'reserves' | 'writes' | 'commits'}`;

  test.each<[string, Act[]]>([
    [
      'it began first',
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
      'it has its ids and has written nothing',
      ['late locks', 'late reserves', 'early locks', 'early reserves', 'early writes', 'early commits'],
    ],
    // The id of its transaction is the newest of all: no snapshot's xmax is beyond it.
    [
      'it began last and had its ids first',
      ['early locks', 'late locks', 'late reserves', 'early reserves', 'early writes', 'early commits'],
    ],
    [
      'it wrote last and had its ids first',
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
  ])('%s', async (_, acts) => {
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

  test('one that is rolled back holds nothing up', async () => {
    const tx = await begin();
    await own(tx, players[0]!);
    await reserve(tx);
    await placeBet(app, { userId: players[1]!.id, gameId });
    expect(await app.services.userStats.consume()).toBe(0);
    await tx.rollback().execute();
    await consumeAll(app);
    await expectExact();
  });

  test('an unbroken stream of transactions holds nothing up', async () => {
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

test('before the first id is taken nothing is complete, not even the first block', async () => {
  const fresh = await startApp();
  const horizon = createHorizon(fresh.db);
  const tx = await fresh.db.startTransaction().execute();
  await expect.poll(horizon, PATIENT).toBe(1024n);
  await tx.rollback().execute();
  await fresh.stop();
});
