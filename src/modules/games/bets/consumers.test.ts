import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { correctBet, cursorPosition, placeBet, reverseBet } from '../../../../test/kit/games/bets.ts';
import { betConsumers } from '../../../app/worker.ts';
import { transaction } from '../../../platform/database/db.ts';
import { checks as statsChecks } from '../../engagement/user-stats/checks.ts';
import { CONSUMER } from '../../engagement/user-stats/service.ts';
import { playerStatsOf } from '../../engagement/user-stats/statistics.ts';
import { checks as returnChecks } from '../house-games/returns/checks.ts';
import { consumeBatch, createConsumer } from './consume.ts';
import { listConsumers, pause, rebuild, replay, resume, watchConsumers } from './consumers.ts';

/** Consumers are paused, replayed and rebuilt while players bet and several workers run. */

let player: Player;
let gameId: number;
const app = fixture(() => startApp({ reconcileOnStop: false }));
const two = fixture(() => startApp({ database: app.database, reconcileOnStop: false }));
beforeAll(async () => {
  watchConsumers(app.db, app.services.metrics);
  player = await app.newPlayer({ usdt: 1000 });
  gameId = (
    await app.db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirstOrThrow()
  ).id;
});
afterEach(async () => {
  for (const name of namesOf(app)) await resume(app.db, name);
});

const namesOf = ({ services }: TestApp) => betConsumers(services).map(({ name }) => name);
const consumeAll = () =>
  expect
    .poll(async () => {
      for (const consumer of betConsumers(app.services)) await consumer.catchUp();
      return (await listConsumers(app.db)).map(({ lagBets, replayFrom }) => [lagBets, replayFrom]);
    })
    .toEqual(namesOf(app).map(() => [0, null]));
async function expectDerived(): Promise<void> {
  for (const [problem, query] of Object.entries({ ...statsChecks.N8, ...returnChecks.N8 }))
    expect((await sql.raw(query).execute(app.db)).rows, problem).toEqual([]);
}
const state = async (name: string) =>
  (await listConsumers(app.db)).find((consumer) => consumer.name === name)!;
const place = () => placeBet(app, { userId: player.id, gameId, payout: 300n });

async function betAndControl(): Promise<void> {
  let last = 0n;
  const names = namesOf(app).filter((name) => name !== 'rewards');
  for (let i = 0; i < 60; i++) {
    const id = await place();
    const bet = { id: last, userId: player.id };
    if (i % 4 === 3) await reverseBet(app, bet);
    if (i % 4 === 1) await correctBet(app, bet, { payout: 7n * id });
    if (i % 8 === 5) {
      await correctBet(app, bet, null, 'CREATED');
      await expectDerived();
      await correctBet(app, bet, { amount: 1n, payout: 300n, at: new Date() });
    }
    last = id;
    const name = names[i % names.length]!;
    if (i % 10 === 5) await rebuild(two.db, name);
    if (i % 10 === 7 && (await state(name)).position > 0n)
      await replay(two.db, name, 0n).catch(() => undefined);
    if (i % 10 === 8) await pause(app.db, 'user-stats');
    if (i % 10 === 9) await resume(app.db, 'user-stats');
    await expectDerived();
  }
}

test('detects a resume, replay or rebuild without reading bets when there are no new bets', async () => {
  await place();
  await consumeAll();
  const asked: string[] = [];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      asked.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { hasNews } = createConsumer(app.db.withPlugin(counting), CONSUMER);
  // The first call assumes that there are new ids, so it reads the cursor row and the bets. The second call reads only the cursor row.
  expect([await hasNews(), asked.length]).toEqual([false, 2]);
  expect([await hasNews(false), asked.length]).toEqual([false, 3]);

  await pause(app.db, CONSUMER.name);
  expect(await hasNews(false)).toBe(false);
  await place();
  expect(await hasNews(true)).toBe(false);
  await resume(app.db, CONSUMER.name);
  expect(await hasNews(false)).toBe(true);
  await consumeAll();
  expect(await hasNews(false)).toBe(false);
  await replay(app.db, CONSUMER.name, 0n);
  expect(await hasNews(false)).toBe(true);
  await consumeAll();
  expect(await hasNews(false)).toBe(false);
  await rebuild(app.db, CONSUMER.name);
  expect(await hasNews(false)).toBe(true);
  await consumeAll();
});

test('keeps all tables consistent with the bets while two workers consume through corrections, pauses and replays', async () => {
  const settled = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from bets where user_id = ${player.id} and status = 'SETTLED'`.execute(
      app.db,
    );
    return rows[0]!.n;
  };
  const before = await settled();
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  const following = [app, two]
    .flatMap(({ services }) => betConsumers(services))
    .map(async (consumer, i) => {
      while (isOpen) await consumer.consume(3 + i);
    });
  await Promise.all([betAndControl().finally(close), ...following]).finally(close);
  await consumeAll();
  await expectDerived();
  const { betCount } = await playerStatsOf(app.db, player.id);
  expect([betCount, await settled()]).toEqual([before + 45, before + 45]);
});

test('consumes nothing while paused, not even the rest of a batch that has started, and reports a growing lag', async () => {
  await consumeAll();
  await pause(app.db, 'user-stats');
  const at = await cursorPosition(app);
  for (let i = 0; i < 3; i++) await place();
  expect(await app.services.userStats.consume()).toBe(0);
  const consumed = await transaction(app.db, (tx) =>
    consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: 10 }),
  );
  expect([consumed, await cursorPosition(app)]).toEqual([0, at]);
  expect(await state('user-stats')).toMatchObject({ lagBets: 3, pausedAt: expect.any(Date) });
  expect((await state('user-stats')).lagSeconds).toBeGreaterThan(0);
  expect((await state('game-returns')).pausedAt).toBeNull();
  await resume(app.db, 'user-stats');
  await consumeAll();
  expect(await state('user-stats')).toMatchObject({ lagBets: 0, lagSeconds: 0, pausedAt: null });
});

test('reverses the bets after the replay position, and resumes after a crash', async () => {
  await consumeAll();
  const bets = await app.db.selectFrom('bets').select('id').orderBy('id').execute();
  const from = bets[Math.floor(bets.length / 2)]!.id;
  const before = await playerStatsOf(app.db, player.id);
  await replay(app.db, 'user-stats', from);
  const crash = transaction(app.db, async (tx) => {
    await consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: 5 });
    throw new Error('the process ended');
  });
  await expect(crash).rejects.toThrow('the process ended');
  const seen = new Set<bigint>();
  for (let turn = 0; turn < 5; turn++) {
    await app.services.userStats.consume(5);
    seen.add(await cursorPosition(app));
    await expectDerived();
    expect(await playerStatsOf(app.db, player.id)).toEqual(before);
  }
  expect(seen.size).toBeGreaterThan(1);
  await consumeAll();
  await expectDerived();
  await expect(replay(app.db, 'user-stats', await cursorPosition(app))).rejects.toThrow(/nothing after/);
});

test('starts a replay from a given time at the last known position before that time, or at the first bet', async () => {
  await consumeAll();
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const replayed = async (time: Date) => {
    const from = await replay(app.db, 'user-stats', time);
    await consumeAll();
    await expectDerived();
    return from;
  };
  expect(await replayed(at(60))).toBe(0n);
  const { id } = await app.db
    .selectFrom('bets')
    .select('id')
    .orderBy('id')
    .offset(9)
    .limit(1)
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto('bet_marks')
    .values({ user_id: 0, rows: 9n, id, latest: at(62) })
    .execute();
  try {
    expect(await replayed(at(60))).toBe(id - 1n);
    expect(await replayed(at(62))).toBe(0n);
  } finally {
    await app.db.deleteFrom('bet_marks').where('user_id', '=', 0).where('id', '=', id).execute();
  }
});

test('exports the lag and throughput of each consumer as metrics in every process', async () => {
  await consumeAll();
  const id = await place();
  const text = await app.services.metrics.registry.metrics();
  for (const name of namesOf(app)) {
    expect(text).toMatch(new RegExp(`croupier_consumer_lag_bets\\{consumer="${name}",[^}]*\\} 1\n`));
    expect(text).toMatch(
      new RegExp(`croupier_consumer_lag_seconds\\{consumer="${name}",[^}]*\\} 0?\\.?\\d+`),
    );
    expect(text).toMatch(new RegExp(`croupier_consumer_paused\\{consumer="${name}",[^}]*\\} 0\n`));
  }
  expect(text).toMatch(/croupier_consumer_bets_total\{consumer="user-stats",[^}]*\} [1-9]/);
  await reverseBet(app, { id, userId: player.id });
  await consumeAll();
});

test('consumes a correction as a new entry with the time of the correction', async () => {
  const id = await place();
  await consumeAll();
  await correctBet(app, { id, userId: player.id }, { payout: 1n, at: new Date(0) });
  expect(await app.services.userStats.hasNews()).toBe(true);
  const { lagBets, lagSeconds } = await state('user-stats');
  expect(lagBets).toBe(2);
  expect(lagSeconds).toBeLessThan(60);
  await consumeAll();
  expect(await app.services.userStats.hasNews()).toBe(false);
});

describe('croupier consumers', () => {
  const PROGRAM = fileURLToPath(new URL('../../../bin/croupier.ts', import.meta.url));
  const run = (...args: string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      const { JWT_SECRET, SEED_SECRET } = app.config;
      const env = { APP_ENV: 'test', DATABASE_URL: app.database.url, JWT_SECRET, SEED_SECRET };
      execFile(process.execPath, [PROGRAM, 'consumers', ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });

  test('lists, pauses, resumes, replays and rebuilds consumers', async () => {
    const { generation } = await state('user-stats');
    const paused = await run('pause', 'user-stats');
    expect([paused.code, paused.output]).toEqual([
      0,
      expect.stringMatching(
        /^user-stats: paused since \S+Z, at \d+, \d+ bets and \d+\.\d s behind, generation \d+$/m,
      ),
    ]);
    expect((await run('resume', 'user-stats')).output).toMatch(/^user-stats: following, at/m);
    expect((await run('replay', 'user-stats', '--from', '5')).output).toMatch(
      /^user-stats: replaying from 5, at/m,
    );
    await run('rebuild', 'user-stats');
    expect(await state('user-stats')).toMatchObject({
      position: 0n,
      generation: generation + 1,
      replayFrom: null,
    });
    await consumeAll();
    await expectDerived();
  });

  test.each([
    [['rebuild', 'rewards'], 1, /rewards cannot be replayed or rebuilt: its results were paid out or sent/],
    [['replay', 'rewards', '--from', '0'], 1, /rewards cannot be replayed or rebuilt/],
    [
      ['pause', 'nobody'],
      1,
      /unknown consumer nobody; consumers: [-a-z, ]*game-returns, [-a-z, ]*rewards, user-stats/,
    ],
    [['stop', 'user-stats'], 2, /'stop' is invalid.*Allowed choices are list, pause,/],
    [['replay', 'user-stats', '--from', 'soon'], 2, /--from takes a sequence position/],
  ])('rejects the arguments %j with exit code %i', async (args, code, reason) => {
    expect(await run(...args)).toEqual({ code, output: expect.stringMatching(reason) });
  });
});

describe('games', () => {
  test("computes the popularity of games from 30 days of real players' bets, and the time of the last bet", async () => {
    const [first, second] = [await newRealPlayer(app, { usdt: 10 }), await newRealPlayer(app, { usdt: 10 })];
    const { id } = await app.db
      .insertInto('games')
      .values({ slug: `rare-${first.id}`, name: 'Rare', type: 'HOUSE_GAME' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const bet = (who: Player, settledAt: Date) => placeBet(app, { userId: who.id, gameId: id, settledAt });
    const games = async () => {
      await consumeAll();
      // A new app instance, because the first one caches responses for a minute.
      const { popularity, lastPlayed } = (
        await import('../../engagement/user-stats/service.ts')
      ).createGameStats({
        db: app.db,
        clock: { now: () => Date.now() },
      });
      return [(await popularity()).get(id), (await lastPlayed([id, gameId, 0])).get(id)];
    };
    await bet(first, at(24 * 31));
    expect(await games()).toEqual([undefined, expect.any(Date)]);
    const [older, newest] = [at(5), at(2)];
    await bet(first, older);
    await bet(first, at(6));
    const last = await bet(second, newest);
    await bet(player, at(1));
    expect(await games()).toEqual([2, newest]);
    await reverseBet(app, { id: last, userId: second.id });
    expect(await games()).toEqual([1, older]);
  });

  test('shows in the live feed when a game was last played', async () => {
    const real = await newRealPlayer(app, { usdt: 10 });
    await betOnDice(real);
    const feed = async () => (await real.call('GET', '/live-bets?type=ALL&count=1')).body[0]?.game?.slug;
    await expect.poll(feed).toBe('dice');
    const { body } = await real.call('GET', '/live-bets?type=ALL&count=1');
    expect(body[0].game.lastPlayedAt >= body[0].createdAt).toBe(true);
  });
});
