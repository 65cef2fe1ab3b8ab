/** Tests that the sums contain each settled bet exactly once, despite crashes and rebuilds. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import {
  type BonusParts,
  type Corrected,
  consumeAll,
  correctBet,
  cursorPosition,
  placeBet,
  reverseBet,
  settleBet,
} from '../../../../test/kit/games/bets.ts';
import { waiters } from '../../../../test/kit/games/turns.ts';
import { isFull } from '../../../../test/kit/length.ts';
import { transaction } from '../../../platform/database/db.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { consumeBatch, consumerJob } from '../../games/bets/consume.ts';
import { pause, rebuild, replay, resume } from '../../games/bets/consumers.ts';
import { countedStakeUsd } from '../../games/bets/rules.ts';
import { checks as returnChecks } from '../../games/house-games/returns/checks.ts';
import { createIdsTaken } from '../../money/ledger/safe-watermark.ts';
import { engagement } from '../area.ts';
import { checks } from './checks.ts';
import { adminStats, playerStats, type Totals } from './rules.ts';
import { CONSUMER } from './service.ts';
import { playerStatsOf } from './statistics.ts';
import { adminStatsOf } from './totals.ts';

let players: Player[];
let games: number[];
const app = fixture(() => startApp({ reconcileOnStop: false }));
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  players = [await newRealPlayer(app), await newRealPlayer(app), await newRealPlayer(app)];
  await app.db.insertInto('games').values({ slug: 'second', name: 'Second', type: 'HOUSE_GAME' }).execute();
  games = (await app.db.selectFrom('games').select('id').orderBy('id').limit(2).execute()).map((g) => g.id);
});

const PATIENT = { timeout: 20_000 };
const consumeStats = (batch?: number) => app.services.userStats.consume(batch);
const migrate = async ({ call } = app, { token } = boss) =>
  expect((await call('POST', '/admin/user/stats/migrate', { token })).status).toBe(201);

/** Caps a value at the maximum of a bigint column. */
const upToBigint = (value: bigint) => (value > 2n ** 63n - 1n ? 2n ** 63n - 1n : value);

/** A second, simple implementation that computes a player's totals from all bets. */
async function model(userId: number): Promise<{ totals: Totals; favorite: number | null }> {
  const all = await app.db.selectFrom('bets').selectAll().where('user_id', '=', userId).execute();
  const corrections = await app.db
    .selectFrom('bet_corrections')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  const bets = all.map((bet) => {
    const last = corrections.findLast((c) => c.bet_id === bet.id);
    if (!last || last.amount_after === null) return bet;
    const usd = { usd_amount: last.usd_amount_after!, usd_payout: last.usd_payout_after! };
    const undecided = last.undecided_after;
    return { ...bet, amount: last.amount_after, payout: last.payout_after!, undecided, ...usd };
  });
  const settled = bets.filter((b) => b.status === 'SETTLED');
  const won = settled.filter((b) => b.payout > b.amount);
  const sum = (of: (b: (typeof bets)[number]) => bigint) => settled.reduce((all, b) => all + of(b), 0n);
  const most = (values: bigint[]) => values.reduce((a, b) => (a > b ? a : b), 0n);
  const counted = games.map((id) => ({ id, count: settled.filter((b) => b.game_id === id).length }));
  const favorite = counted.filter((g) => g.count > 0).toSorted((a, b) => b.count - a.count || a.id - b.id)[0];
  const totals = {
    bets: BigInt(settled.length),
    wins: BigInt(won.length),
    wagered: sum((b) => b.usd_amount),
    payouts: sum((b) => b.usd_payout),
    undecided: sum(
      (b) => b.usd_amount - countedStakeUsd({ ...b, usdAmount: b.usd_amount, undecided: b.undecided ?? 0n }),
    ),
    biggestWin: most(won.map((b) => b.usd_payout)),
    bestMultiplier: most(
      settled.map((b) => (b.amount === 0n ? 0n : upToBigint((b.payout * 10_000n) / b.amount))),
    ),
    deposits: 0n,
    withdraws: 0n,
  };
  return { totals, favorite: favorite?.id ?? null };
}

/** Expects the stored sums to match the bets up to the cursor. */
async function expectDerived(): Promise<void> {
  for (const [problem, query] of Object.entries({ ...checks.N8, ...checks.N10, ...returnChecks.N8 }))
    expect((await sql.raw(query).execute(app.db)).rows, problem).toEqual([]);
}

type Own = { hour: string; game: number; user: number; staked: bigint; paid: bigint };

/** A second, simple implementation that computes the amounts of all settled bets, excluding bonus money. */
async function ownOfAll(): Promise<Own[]> {
  const bets = await app.db.selectFrom('bets').selectAll().where('status', '=', 'SETTLED').execute();
  const corrections = await app.db.selectFrom('bet_corrections').selectAll().orderBy('id').execute();
  const bonus = new Map(
    (await app.db.selectFrom('bonus_bets').selectAll().execute()).map((b) => [b.bet_id, b]),
  );
  const own = (usd: bigint, amount: bigint, part = 0n) =>
    part === 0n || amount === 0n ? usd : (usd * (amount - part)) / amount;
  return bets.map((bet) => {
    const last = corrections.findLast((c) => c.bet_id === bet.id);
    const of = bonus.get(bet.id);
    const version = last
      ? {
          amount: last.amount_after!,
          payout: last.payout_after!,
          usdAmount: last.usd_amount_after!,
          usdPayout: last.usd_payout_after!,
          at: last.at_after!,
        }
      : {
          amount: bet.amount,
          payout: bet.payout,
          usdAmount: bet.usd_amount,
          usdPayout: bet.usd_payout,
          at: bet.settled_at!,
        };
    return {
      hour: `${version.at.toISOString().slice(0, 13)}:00:00.000Z`,
      game: bet.game_id,
      user: bet.user_id,
      staked: own(version.usdAmount, version.amount, of?.bonus_staked),
      paid: own(version.usdPayout, version.payout, of?.bonus_paid),
    };
  });
}

/** Expects the hourly sums per game, which exclude staff and test users, to match all bets. */
async function expectRollups(): Promise<void> {
  const all = await ownOfAll();
  const left = await app.db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([eb('is_staff', '=', true), eb('is_test', '=', true)]))
    .execute();
  const isReal = ({ user }: Own) => !left.some(({ id }) => id === user);
  const hours = Map.groupBy(all.filter(isReal), ({ hour, game }) => `${hour} ${game}`);
  const sum = (bets: readonly Own[], of: 'staked' | 'paid') =>
    bets.reduce((total, bet) => total + bet[of], 0n);
  const { rows: stored } = await sql<{ key: string; figures: string }>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || game_id as key,
      concat_ws(' ', bets, own_staked_usd, own_paid_usd) as figures
    from game_hours g join cursors c on c.name = 'user-stats' and c.generation = g.generation`.execute(
    app.db,
  );
  expect(new Map(stored.map(({ key, figures }) => [key, figures]))).toEqual(
    new Map(
      [...hours].map(([key, bets]) => [key, `${bets.length} ${sum(bets, 'staked')} ${sum(bets, 'paid')}`]),
    ),
  );
}

async function expectExact(): Promise<void> {
  const many = await adminStatsOf(
    app.db,
    players.map((p) => p.id),
  );
  for (const { id } of players) {
    const { totals, favorite } = await model(id);
    expect(many.get(id)).toEqual(adminStats(totals));
    const { favoriteGame, ...mine } = await playerStatsOf(app.db, id);
    expect(mine).toEqual(playerStats(totals));
    expect(favoriteGame?.id ?? null).toBe(favorite);
  }
}

type Step =
  | {
      kind: 'bet';
      player: number;
      game: number;
      amount: bigint;
      payout: bigint;
      usd: bigint;
      status: string;
      settledAt: Date;
      quarters: number | null;
    }
  | { kind: 'flag'; player: number; flag: 'is_staff' | 'is_test' }
  | { kind: 'consume' | 'crash'; batch: number }
  | { kind: 'end'; which: number; status: string }
  | { kind: 'roll-back' | 'replay'; which: number }
  | { kind: 'correct'; which: number; after: Corrected | null; isReopened: boolean; quarters: number | null }
  | { kind: 'migrate' | 'rebuild' | 'pause' };
/** How many quarters of the bet are bonus money, or null for a bet without a grant. */
const quarters = fc.option(fc.nat(4));
const amount = fc.oneof(fc.bigInt(1n, 50n), fc.bigInt(1n, 10n ** 15n));
const aBet = fc.record({
  kind: fc.constant('bet' as const),
  player: fc.nat(2),
  game: fc.nat(1),
  amount,
  payout: fc.oneof(fc.constant(0n), amount),
  usd: fc.bigInt(0n, 3000n),
  // The bets are settled in the hours around midnight.
  settledAt: fc.nat(3).map((hours) => new Date(Date.UTC(2026, 0, 1, 22 + hours, 59, 59, 999))),
  quarters,
  // Only settled bets are included in the statistics.
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant('SETTLED') },
    fc.constantFrom('CREATED', 'CREATED', 'ERROR', 'ROLLBACK'),
  ),
});
const batch = fc.integer({ min: 1, max: 6 });
const aCorrection = fc.record({
  kind: fc.constant('correct' as const),
  which: fc.nat(100),
  after: fc.option(
    fc.record({
      amount: fc.oneof(fc.constant(0n), amount),
      payout: fc.oneof(fc.constant(0n), amount),
      usd: fc.bigInt(0n, 3000n),
      at: fc.nat(3).map((hours) => new Date(Date.UTC(2026, 0, 1, 22 + hours, 30))),
    }),
  ),
  quarters,
  isReopened: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: aBet },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('consume' as const), batch }) },
  { weight: 6, arbitrary: aCorrection },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(100),
      status: fc.constantFrom('SETTLED', 'SETTLED', 'ROLLBACK', 'ERROR'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('roll-back' as const, 'replay' as const),
      which: fc.nat(100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), batch }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rebuild' as const, 'pause' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('migrate' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('flag' as const),
      player: fc.nat(2),
      flag: fc.constantFrom('is_staff' as const, 'is_test' as const),
    }),
  },
);

async function take(s: Step): Promise<void> {
  if (s.kind === 'bet') await place(s);
  else if (s.kind === 'flag')
    await app.db
      .updateTable('users')
      .set((eb) => ({ [s.flag]: eb.not(s.flag) }))
      .where('id', '=', players[s.player]!.id)
      .execute();
  else if (s.kind === 'consume') await consumeStats(s.batch);
  else if (s.kind === 'migrate') await migrate();
  else if (s.kind === 'end') await end(s);
  else if (s.kind === 'correct') await correctOne(s);
  else if (s.kind === 'roll-back') await rollBackOne(s.which);
  else if (s.kind === 'replay') await replayFrom(s.which);
  else if (s.kind === 'rebuild') await rebuild(app.db, 'user-stats');
  else if (s.kind === 'pause') await pausedFor(() => consumeStats());
  else if (s.kind === 'crash') await crash(s.batch);
}

const partsOf = (by: number | null, { amount = 0n, payout = 0n }): { bonus?: BonusParts } =>
  by === null ? {} : { bonus: { staked: (amount * BigInt(by)) / 4n, paid: (payout * BigInt(by)) / 4n } };

const place = (bet: Extract<Step, { kind: 'bet' }>) =>
  placeBet(app, {
    ...bet,
    ...partsOf(bet.quarters, bet),
    userId: players[bet.player]!.id,
    gameId: games[bet.game]!,
  });

async function crash(size: number): Promise<void> {
  const before = await cursorPosition(app);
  const crashed = transaction(app.db, async (tx) => {
    await consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: size });
    throw new Error('the process ended');
  });
  await expect(crashed).rejects.toThrow('the process ended');
  expect(await cursorPosition(app)).toBe(before);
}

/** Rolls back a settled bet that is before or after the cursor. */
async function rollBackOne(which: number): Promise<void> {
  const settled = await app.db
    .selectFrom('bets')
    .select(['id', 'user_id as userId'])
    .where('status', '=', 'SETTLED')
    .where('is_corrected', '=', false)
    .orderBy('id')
    .execute();
  if (settled.length > 0) await reverseBet(app, settled[which % settled.length]!);
}

/** Corrects, reverses or reopens a settled bet, or settles a reopened one. */
async function correctOne({
  which,
  after: named,
  isReopened,
  quarters: by,
}: Extract<Step, { kind: 'correct' }>): Promise<void> {
  const after = named && { ...named, ...partsOf(by ?? 0, named) };
  const bets = await app.db
    .selectFrom('bets')
    .select(['id', 'user_id as userId', 'status'])
    .where((eb) => eb.or([eb('status', '=', 'SETTLED'), eb.and({ status: 'CREATED', is_corrected: true })]))
    .orderBy('id')
    .execute();
  const bet = bets[which % bets.length];
  if (!bet) return;
  if (bet.status === 'CREATED') await correctBet(app, bet, after ?? { bonus: { staked: 0n, paid: 0n } });
  else await correctBet(app, bet, after, after ? 'SETTLED' : isReopened ? 'CREATED' : 'ROLLBACK');
}

/** Starts a replay from any position that the cursor has passed. */
async function replayFrom(which: number): Promise<void> {
  const position = await cursorPosition(app);
  if (position > 0n) await replay(app.db, 'user-stats', (position * BigInt(which)) / 101n);
}

async function pausedFor(work: () => Promise<number>): Promise<void> {
  await pause(app.db, 'user-stats');
  try {
    const before = await cursorPosition(app);
    expect(await work()).toBe(0);
    expect(await cursorPosition(app)).toBe(before);
  } finally {
    await resume(app.db, 'user-stats');
  }
}

/** Ends an open bet that is before or after the cursor. */
async function end({ which, status }: { which: number; status: string }): Promise<void> {
  const open = await app.db
    .selectFrom('bets')
    .select(['id', 'user_id as userId'])
    .where('status', '=', 'CREATED')
    .where('is_corrected', '=', false)
    .orderBy('id')
    .execute();
  if (open.length > 0) await settleBet(app, open[which % open.length]!, status);
}

test('returns exact totals of settled bets after every step of random play, corrections, crashes, replays and rebuilds', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
    for (const s of steps) {
      await take(s);
      await expectExact();
      await expectDerived();
    }
    await consumeAll(app);
    await expectRollups();
  });
  await fc.assert(property, { seed: 29, numRuns: isFull ? 20 : 10 });
  expect(await consumeStats()).toBe(0);
  await expectExact();
  await expectDerived();
  // Reads only the stored sums. Does not add effects after the cursor.
  const { rows } = await sql<{
    bets: bigint;
  }>`select coalesce(sum(s.bets), 0)::int8 as bets from user_stats s, cursors c
    where c.name = 'user-stats' and s.generation = c.generation`.execute(app.db);
  const { rows: all } = await sql<{
    bets: bigint;
  }>`select count(*) as bets from bets where status = 'SETTLED'`.execute(app.db);
  expect(rows).toEqual(all);
});

test('returns the second-best bet once the best one is rolled back, before and after the rollback is consumed', async () => {
  const { id: userId } = await app.newPlayer();
  const bet = (payout: bigint) => placeBet(app, { userId, gameId: games[0]!, amount: 10n, payout, usd: 1n });
  const best = async () => {
    const { biggestWinUsd, bestMultiplier } = await playerStatsOf(app.db, userId);
    return [biggestWinUsd, bestMultiplier];
  };
  const [, second, first] = [await bet(20n), await bet(30n), await bet(40n)];
  await consumeAll(app);
  for (const [id, left] of [
    [first, ['0.0000003', 3]],
    [second, ['0.0000002', 2]],
  ] as const) {
    await reverseBet(app, { id, userId });
    expect(await best()).toEqual(left);
    await consumeAll(app);
    expect(await best()).toEqual(left);
    await expectDerived();
  }
});

test('counts the bets of a former test user in hours that a rebuild has not reached yet', async () => {
  const [tester, other] = [await app.newPlayer(), await newRealPlayer(app)];
  const isTest = (is_test: boolean) =>
    app.db.updateTable('users').set({ is_test }).where('id', '=', tester.id).execute();
  const at = { gameId: games[0]!, settledAt: new Date('2025-05-01T10:00:00Z') };
  await consumeAll(app);
  const first = await placeBet(app, { userId: tester.id, ...at });
  await placeBet(app, { userId: other.id, ...at });
  await consumeAll(app);
  await rebuild(app.db, 'user-stats');
  while ((await cursorPosition(app)) < first) await consumeStats(1);
  await isTest(false);
  await expectDerived();
  await consumeAll(app);
  await expectDerived();
  await expectRollups();
});

test('marks a player as a test user only after the running batch that contains their bets has committed', async () => {
  const { id: userId } = await newRealPlayer(app);
  await consumeAll(app);
  await placeBet(app, { userId, gameId: games[0]! });
  let changing: Promise<unknown> | undefined;
  await transaction(app.db, async (tx) => {
    expect(await consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: 10 })).toBe(1);
    changing = app.db.updateTable('users').set({ is_test: true }).where('id', '=', userId).execute();
    await expect.poll(() => waiters(app)).toBe(1);
  });
  await changing;
  await expectDerived();
  await expectRollups();
});

test('consumes bets and deletes old payment statistics in the jobs of the worker', async () => {
  const id = await placeBet(app, { userId: players[0]!.id, gameId: games[0]! });
  await sql`insert into payment_stats values ('DEPOSIT', 'HOUR', '2020-01-01Z', ${players[0]!.id}, 1, 1, now())`.execute(
    app.db,
  );
  const { db, database } = app;
  const purge = engagement.jobs!(app.services).find(({ name }) => name === 'payment-stats.purge')!;
  const jobs = startJobs([consumerJob(app.services.userStats, createIdsTaken(db)), purge], {
    connectionString: database.url,
    log: silentLog,
  });
  try {
    await expect.poll(() => cursorPosition(app), PATIENT).toBe(id);
    await jobs.tasks[purge.name]!({});
    expect(await app.db.selectFrom('payment_stats').selectAll().execute()).toEqual([]);
  } finally {
    await jobs.close();
  }
});

test('matches the bets when two processes place bets, consume, rebuild and change test users concurrently', async () => {
  const one = await startApp();
  const two = await startApp({ database: one.database });
  const staff = await one.as('superadmin');
  const made = new Map<Player, number>();
  for (let i = 0; i < 4; i++) made.set(await one.newPlayer({ usdt: 1000 }), 0);
  let isOpen = true;
  const whileOpen = async (work: () => Promise<unknown>) => {
    while (isOpen) await work();
  };
  const close = () => {
    isOpen = false;
  };
  const play = async (player: Player, i: number) => {
    // Creates a client for the same player that calls the other process.
    const elsewhere = {
      call: (method, path, o) => two.call(method, path, { token: player.token, ...o }),
    } as Player;
    for (let n = 0; n < 25; n++) {
      const { status } = await betOnDice((i + n) % 2 ? player : elsewhere, {
        betAmount: String(1 + (n % 3)),
      });
      expect(status).toBe(201);
      made.set(player, made.get(player)! + 1);
    }
  };
  const checkCounts = async () => {
    for (const player of made.keys()) {
      const answered = made.get(player)!;
      const { body } = await two.call('GET', '/user/me/stats', { token: player.token });
      expect(body.betCount).toBeGreaterThanOrEqual(answered);
      expect(body.betCount).toBeLessThanOrEqual(made.get(player)! + 1);
    }
  };
  const flag = async ({ db }: TestApp) => {
    for (const { id } of made.keys())
      await db
        .updateTable('users')
        .set((eb) => ({ is_test: eb.not('is_test') }))
        .where('id', '=', id)
        .execute();
  };
  const others = [one, two].flatMap((each) => [
    whileOpen(() => flag(each)),
    whileOpen(() => each.services.userStats.consume(7)),
    whileOpen(() => migrate(each, staff)),
    whileOpen(checkCounts),
  ]);
  const played = Promise.all([...made.keys()].map(play)).finally(close);
  await Promise.all([played, ...others]).finally(close);
  await consumeAll(one);
  const { rows } = await sql`
    select b.user_id, s.bets = count(*) and s.wins = count(*) filter (where b.payout > b.amount)
      and s.wagered_usd = sum(b.usd_amount) and s.payout_usd = sum(b.usd_payout)
      and s.biggest_win_usd = max(case when b.payout > b.amount then b.usd_payout else 0 end)
      and max(g.bets) = count(*) as same
    from bets b join user_stats s using (user_id) join user_game_stats g using (user_id, game_id), cursors c
    where c.generation = s.generation and c.generation = g.generation
    group by b.user_id, s.user_id order by b.user_id`.execute(one.db);
  expect(rows).toEqual([...made.keys()].map(({ id }) => ({ user_id: id, same: true })));
  for (const [problem, query] of Object.entries(checks.N10))
    expect((await sql.raw(query).execute(one.db)).rows, problem).toEqual([]);
  await two.stop();
  await one.stop();
});
