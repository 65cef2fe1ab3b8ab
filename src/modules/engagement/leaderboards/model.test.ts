import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  correctBet,
  lock,
  placeBet,
  reserve,
  reverseBet,
  settle,
  settleBet,
  write,
} from '../../../../test/kit/games/bets.ts';
import { grantBonus, lose } from '../../../../test/kit/money/bonus.ts';
import { transaction } from '../../../platform/database/db.ts';
import { rebuild, replay } from '../../games/bets/consumers.ts';

// Reconciliation is off, because these bets move no money.
const world = fixture(() => startLeaderboards({ reconcileOnStop: false }));

const OPERATIONS = 250;
const MIN_BET = 300n;
let gameIds: { dice: number; limbo: number };
beforeAll(async () => {
  const rows = await world.db
    .selectFrom('games')
    .select(['id', 'slug'])
    .where('slug', 'in', ['dice', 'limbo'])
    .execute();
  gameIds = Object.fromEntries(rows.map(({ id, slug }) => [slug, id])) as typeof gameIds;
});

/** Creates a random generator that returns the same numbers in every run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Bet = { id: bigint; userId: number; gameId: number; usd: bigint | null; place: bigint };

test('matches a simple model after bets, rollbacks, corrections, replays and rebuilds in slices of any size', async () => {
  const random = createRandom(42);
  const everything = await world.special();
  const onDice = await world.special({ minBetUsd: '0.000003', eligible: { gameSlugs: ['dice'] } });
  const players: Player[] = [];
  for (let i = 0; i < 5; i++) players.push(await world.player());
  const bets: Bet[] = [];
  const counting = () => bets.filter(({ usd }) => usd !== null);
  const make = async () => {
    const { id: userId } = players[random(players.length)]!;
    const gameId = random(2) ? gameIds.dice : gameIds.limbo;
    const amount = BigInt(random(3) * 100 + 100);
    const isOpen = random(4) === 0;
    const bet = { userId, gameId, amount, usd: 1n, status: isOpen ? 'CREATED' : 'SETTLED' };
    const id = await placeBet(world.app, bet);
    const place = isOpen ? await settleBet(world.app, { id, userId }) : id;
    bets.push({ id, userId, gameId, usd: amount, place });
  };
  const corrected = new Set<bigint>();
  const change = async () => {
    const bet = counting()[random(counting().length)];
    if (!bet) return;
    if (!corrected.has(bet.id) && random(2)) {
      await reverseBet(world.app, bet);
      bet.usd = null;
      // A rolled-back bet cannot be corrected.
      return void corrected.add(bet.id);
    }
    corrected.add(bet.id);
    bet.usd = random(3) ? BigInt(random(4) * 100 + 100) : null;
    await correctBet(world.app, bet, bet.usd === null ? null : { amount: bet.usd, usd: 1n });
  };
  const compare = async () => {
    await world.count();
    for (const [board, counts] of [
      [everything, (bet: Bet) => bet.usd !== null],
      [onDice, (bet: Bet) => bet.usd !== null && bet.usd >= MIN_BET && bet.gameId === gameIds.dice],
    ] as const) {
      const scores = players.flatMap(({ id }) => {
        const own = bets.filter((bet) => bet.userId === id && counts(bet));
        if (own.length === 0) return [];
        const score = own.reduce((sum, { usd }) => sum + usd!, 0n);
        return [{ id, score, last: own.reduce((last, { place }) => (place > last ? place : last), 0n) }];
      });
      scores.sort((a, b) => Number(b.score - a.score) || Number(a.last - b.last) || a.id - b.id);
      const { rows } = await sql<any>`
        select user_id as id, score::int8 as score, reached_place as last from leaderboard_scores where leaderboard_id = ${Number(board)}
        order by score desc, reached_place, user_id`.execute(world.db);
      expect(rows).toEqual(scores);
    }
  };
  for (let i = 0; i < OPERATIONS; i++) {
    await (random(3) ? make() : change());
    if (random(4) === 0) await world.services.leaderboards.consumer.consume(1 + random(7));
    if (i % 25 === 0) await compare();
    if (i === 100 || i === 200) {
      const { position } = await world.db
        .selectFrom('cursors')
        .select('position')
        .where('name', '=', 'leaderboards')
        .executeTakeFirstOrThrow();
      const from = bets[random(bets.length)]!.place - 1n;
      if (from < position) await replay(world.db, 'leaderboards', from);
    }
    if (i === 150) await rebuild(world.db, 'leaderboards');
  }
  await compare();
  expect(await world.broken()).toEqual([]);
});

test('does not count bonus money that was staked, and subtracts exactly the counted amount in a rollback', async () => {
  const id = await world.special();
  const ofFour = await world.special({ minBetUsd: '4' });
  const player = await world.player();
  await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '9997' } });
  await grantBonus(world.app, player, { amount: '50', required: '500' });
  // The first stake of ten dollars consists of three in cash and seven in bonus money. The second consists of ten dollars in bonus money.
  const { betId } = await lose(world.app, player, '10');
  await lose(world.app, player, '10');
  await world.count();
  expect(await world.standings(id)).toEqual([[1, player.id, '3']]);
  // The minimum bet applies to the part of the stake that is not bonus money.
  expect(await world.standings(ofFour)).toEqual([]);
  await world.rollBack(betId);
  await world.count();
  expect(await world.standings(id)).toEqual([]);
});

test('ranks the lower user id first when equal scores are reached at the same sequence position', async () => {
  const id = await world.special();
  const [a, b] = [await world.player(), await world.player()];
  await transaction(world.db, async (tx) => {
    for (const { id: userId } of [a, b]) await lock(tx, userId);
    const bets: bigint[] = [];
    for (const { id: userId } of [b, a]) {
      await reserve(tx);
      bets.push(await write(tx, { userId, gameId: 1, amount: 700_000_000n, usd: 1n, status: 'CREATED' }));
    }
    await reserve(tx);
    for (const bet of bets) await settle(tx, bet);
  });
  await world.count();
  expect(await world.standings(id)).toEqual([
    [1, a.id, '7'],
    [2, b.id, '7'],
  ]);
  expect((await b.call('GET', `/leaderboards/${id}`)).body.me).toMatchObject({ place: 2, score: '7' });
});
