/** Reports of game returns are always exact, count each settled bet once and raise each alert once. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { betOnDice, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  correctBet,
  lock,
  placeBet,
  reserve,
  settleBet,
  type TestBet,
  write,
} from '../../../../../test/kit/games/bets.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { ONE } from '../../../../platform/money.ts';
import { consumeBatch } from '../../bets/consume.ts';
import { replay } from '../../bets/consumers.ts';
import { createReturnAlerts } from './alerts/service.ts';
import { CONSUMER } from './queries.ts';
import { theoryOf } from './rules.ts';

const games: Record<string, number> = {};
const app = fixture(() => startApp({ reconcileOnStop: false }));
const staff = fixture(() => app.as({ permissions: ['casino.read'] }));
const player = fixture(() => app.newPlayer({ usdt: 1000 }));
beforeAll(async () => {
  const slot = { slug: 'book', name: 'Book', type: 'SLOTS' };
  await app.db.insertInto('games').values(slot).execute();
  for (const { id, slug } of await app.db.selectFrom('games').select(['id', 'slug']).execute())
    games[slug] = id;
});

const HOUR_MS = 3_600_000;
const returns = () => app.services.returns;
const report = async (slug: string, query = '') => {
  const answer = await staff.call('GET', `/admin/casino/games/${slug}/rtp${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
/** Returns the report without the start and end of its period, which change during the test. */
const figuresOf = async (slug: string, query = '') => {
  const { startDate: _, endDate: __, ...figures } = await report(slug, query);
  return figures;
};
let rounds = 0n;
const newRound = () => ++rounds;
let hours = 0;
/** Returns an hour without settlements, and the query string for this hour. */
function newHour() {
  const settledAt = new Date(Date.UTC(2026, 0, 1, hours++));
  const until = new Date(settledAt.getTime() + HOUR_MS);
  const query = `?startDate=${settledAt.toISOString()}&endDate=${until.toISOString()}`;
  return { settledAt, query, period: { from: settledAt, until } };
}
/** Consumes all bets. */
const consumeAll = () =>
  vi.waitFor(
    async () => {
      await returns().catchUp();
      const { rows } = await sql<{ left: number }>`
        select count(*)::int as left from bets, cursors c where c.name = 'game-returns'
          and (status = 'SETTLED' and coalesce(settlement_id, bets.id) > c.position
            or exists (select from bet_corrections o where o.bet_id = bets.id and o.id > c.position))`.execute(
        app.db,
      );
      expect(rows[0]!.left).toBe(0);
    },
    { timeout: 20_000, interval: 20 },
  );
const findings = async () => {
  const { reconcile } = await import('../../../../app/commands/reconcile.ts');
  const all = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  return all.findings.filter(({ invariant }) => invariant === 'N8');
};

const sumsOf = (gameId: number) =>
  returns().sums(gameId, { from: new Date(0), until: new Date(Date.now() + HOUR_MS) });

/** In this test, amounts in dollars and in the currency are equal. */
const dice = (more: Partial<TestBet> = {}): TestBet => ({
  userId: player.id,
  gameId: games.dice!,
  amount: 10n * ONE,
  usd: 1n,
  inputs: { threshold: 50, above: true },
  rtpBp: 9900,
  maxProfitUsd: 100_000n * ONE,
  ...more,
});

/** The same figures, computed from the bets by a simple second implementation. */
async function model(gameId: number, from = 0, until = Date.now() + HOUR_MS) {
  const rows = await app.db
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'game_id')
    .selectAll('bets')
    .select('slug')
    .where('game_id', '=', gameId)
    .where('status', '=', 'SETTLED')
    .execute();
  const bets = rows.filter(
    ({ settled_at }) => settled_at!.getTime() >= from && settled_at!.getTime() < until,
  );
  const total = (of: (b: (typeof bets)[number]) => bigint) => bets.reduce((all, b) => all + of(b), 0n);
  let [staked, expected, variance] = [0, 0, 0];
  for (const b of bets) {
    const stake = Number(b.usd_amount) / 1e8;
    const { slug: game, inputs, outcome } = b;
    const theory = b.rtp_bp && theoryOf({ game, inputs, outcome, stake, rtpBp: b.rtp_bp });
    if (!theory || theory.most > Number(b.max_profit_usd) / 1e8) continue;
    staked += stake;
    expected += theory.expected;
    variance += theory.variance;
  }
  return {
    rounds: bets.length,
    turnover: total((b) => b.usd_amount),
    payout: total((b) => b.usd_payout),
    staked,
    expected,
    variance,
  };
}

async function expectExact(slug = 'dice'): Promise<void> {
  const shown = await report(slug);
  const wanted = await model(games[slug]!, Date.parse(shown.startDate), Date.parse(shown.endDate));
  expect(shown.rounds).toBe(wanted.rounds);
  expect(BigInt(Math.round(Number(shown.turnoverUsd) * 1e8))).toBe(wanted.turnover);
  expect(BigInt(Math.round(Number(shown.payoutUsd) * 1e8))).toBe(wanted.payout);
  if (wanted.staked === 0) return;
  const [center, error] = [wanted.expected / wanted.staked, Math.sqrt(wanted.variance) / wanted.staked];
  expect(shown.bandLow).toBeCloseTo(100 * (center - 1.96 * error), 4);
  expect(shown.bandHigh).toBeCloseTo(100 * (center + 1.96 * error), 4);
}

describe('the report', () => {
  test('returns all hours of the period but no RTP for a game without bets', async () => {
    const now = Date.now();
    const { startDate, endDate, ...figures } = await report('dice');
    expect(figures).toEqual({
      slug: 'dice',
      rounds: 0,
      turnoverUsd: '0',
      payoutUsd: '0',
      actualRtp: null,
      configuredRtp: 99,
      deviation: null,
      bandLow: null,
      bandHigh: null,
      withinBand: null,
    });
    expect(Date.parse(endDate) - Date.parse(startDate)).toBe(30 * 24 * HOUR_MS);
    expect(Date.parse(endDate) % HOUR_MS).toBe(0);
    expect(Date.parse(endDate)).toBeGreaterThanOrEqual(now - 1000);
    const asked = await report(
      'dice',
      '?startDate=2026-03-04T15:06:07.008Z&endDate=2026-03-04T16:00:00.001Z',
    );
    expect([asked.startDate, asked.endDate]).toEqual([
      '2026-03-04T15:00:00.000Z',
      '2026-03-04T17:00:00.000Z',
    ]);
  });

  test('reports exact figures immediately, before and after bets are consumed', async () => {
    const first = await figuresOf('dice');
    for (let i = 0; i < 12; i++)
      expect((await betOnDice(player, { betAmount: String(1 + i) })).status).toBe(201);
    const before = await figuresOf('dice');
    expect(before.rounds - first.rounds).toBe(12);
    expect(Number(before.turnoverUsd) - Number(first.turnoverUsd)).toBe(78);
    expect(before.actualRtp).toBeCloseTo((100 * Number(before.payoutUsd)) / Number(before.turnoverUsd), 5);
    expect(before.deviation).toBeCloseTo(before.actualRtp - 99, 5);
    await expectExact();
    await consumeAll();
    expect(await figuresOf('dice')).toEqual(before);
  });

  test('excludes bets that maxProfit can limit from the band, but not from the turnover', async () => {
    const before = await figuresOf('dice');
    await placeBet(app, dice({ amount: 1000n * ONE, payout: 1005n * ONE, maxProfitUsd: 5n * ONE }));
    await expectExact();
    const after = await figuresOf('dice');
    expect(Number(after.turnoverUsd) - Number(before.turnoverUsd)).toBe(1000);
    expect([after.rounds, after.bandLow, after.bandHigh]).toEqual([
      before.rounds + 1,
      before.bandLow,
      before.bandHigh,
    ]);
    await consumeAll();
    expect(await figuresOf('dice')).toEqual(after);
  });

  test('counts a bet in the hour when it was settled', async () => {
    const four = [newHour(), newHour(), newHour(), newHour()] as const;
    const next = four[2].settledAt;
    for (const settledAt of [new Date(next.getTime() - 1), next]) await placeBet(app, dice({ settledAt }));
    const seen = async () => {
      const rounds: number[] = [];
      for (const { settledAt } of four) {
        const half = new Date(settledAt.getTime() + HOUR_MS / 2).toISOString();
        const query = `?startDate=${settledAt.toISOString()}&endDate=${half}`;
        rounds.push((await report('dice', query)).rounds);
      }
      return rounds;
    };
    expect(await seen()).toEqual([0, 1, 1, 0]);
    await consumeAll();
    expect(await seen()).toEqual([0, 1, 1, 0]);
  });

  test('reports amounts but no band for a slot', async () => {
    const { settledAt, query } = newHour();
    await placeBet(app, { ...dice({ settledAt }), gameId: games.book!, payout: 12n * ONE, inputs: {} });
    for (let i = 0; i < 2; i++) {
      expect(await report('book', query)).toMatchObject({
        rounds: 1,
        turnoverUsd: '10',
        payoutUsd: '12',
        actualRtp: 120,
        configuredRtp: null,
        deviation: null,
        bandLow: null,
        bandHigh: null,
        withinBand: null,
      });
      await consumeAll();
    }
  });

  test('reports a band for speed-roulette without the bets that maxProfit can limit', async () => {
    const { settledAt, query } = newHour();
    const [one, two] = [newRound(), newRound()];
    const on = (color: string, userId = player.id, roundId = one): TestBet => ({
      ...dice({ inputs: { color }, userId, roundId, settledAt, maxProfitUsd: 20n * ONE }),
      gameId: games['speed-roulette']!,
      rtpBp: 9333,
    });
    const other = await app.newPlayer();
    // Two bets of 10 on red can win 20, and three can win 30.
    const within = [
      on('RED'),
      on('RED'),
      on('RED', other.id),
      on('BLACK', other.id),
      on('RED', other.id, two),
    ];
    const beyond = [on('BLACK', player.id, two), on('BLACK', player.id, two), on('BLACK', player.id, two)];
    for (const bet of [...within, ...beyond]) await placeBet(app, bet);
    // The stakes are 30 on red and 10 on black. In the other round only the 10 on red count, not the 30 on black.
    const first = (7 / 15) * (60 ** 2 + 20 ** 2) - ((14 / 15) * 40) ** 2;
    const second = (7 / 15) * 20 ** 2 - ((14 / 15) * 10) ** 2;
    const error = Math.sqrt(first + second) / 50;
    for (let i = 0; i < 2; i++) {
      const shown = await report('speed-roulette', query);
      expect([shown.rounds, shown.turnoverUsd, shown.configuredRtp]).toEqual([8, '80', 93.33]);
      expect(shown.bandLow).toBeCloseTo(100 * (14 / 15 - 1.96 * error), 5);
      expect(shown.bandHigh).toBeCloseTo(100 * (14 / 15 + 1.96 * error), 5);
      await consumeAll();
    }
  });

  test('reports the same figures for speed-roulette while a round is settled in several transactions', async () => {
    const gameId = games['speed-roulette']!;
    const others = [await app.newPlayer(), await app.newPlayer()] as const;
    const roundId = newRound();
    const open = (userId: number, color: string) =>
      placeBet(app, {
        ...dice({ inputs: { color }, userId, roundId, status: 'CREATED' }),
        gameId,
        rtpBp: 9333,
      });
    const [early, late] = [
      [await open(others[0].id, 'RED'), await open(others[0].id, 'GREEN')],
      [await open(others[1].id, 'RED'), await open(others[1].id, 'BLACK')],
    ];
    const variance = async () => (await sumsOf(gameId)).variance;
    const before = await variance();
    for (const id of early) await settleBet(app, { id, userId: others[0].id });
    await consumeAll();
    for (const id of late) await settleBet(app, { id, userId: others[1].id });
    const paid = (7 / 15) * (40 ** 2 + 20 ** 2) + (1 / 15) * 140 ** 2;
    for (let i = 0; i < 2; i++) {
      expect((await variance()) - before).toBeCloseTo(paid - ((14 / 15) * 40) ** 2, 6);
      await consumeAll();
    }
  });

  test('shows the actual payouts of mines, but compares payouts before the maxProfit cap with the band', async () => {
    const { settledAt, query, period } = newHour();
    const round = (outcome: object, payout: bigint) =>
      placeBet(app, {
        ...dice({ amount: 1000n * ONE, payout, outcome, settledAt }),
        inputs: { gridCellsCount: 25, bombsCount: 3, cellIndices: [] },
        gameId: games.mines!,
      });
    await round({ bombs: [], opened: 19, multiplier: 113.85 }, 101_000n * ONE);
    await round({ bombs: [], opened: 1, multiplier: 0 }, 0n);
    for (let i = 0; i < 2; i++) {
      const shown = await report('mines', query);
      expect(shown).toMatchObject({ rounds: 2, turnoverUsd: '2000', payoutUsd: '101000', actualRtp: 5050 });
      expect(shown.bandHigh - 99).toBeCloseTo(99 - shown.bandLow, 5);
      expect(await returns().sums(games.mines!, period)).toMatchObject({
        bets: 2n,
        counted: 113_850,
        apartBets: 0n,
      });
      await consumeAll();
    }
  });

  test.each([
    ['an unknown game', 'poker', '', '404 GAME_NOT_FOUND'],
    ['a name that cannot be one', 'x'.repeat(65), '', '404 GAME_NOT_FOUND'],
    [
      'the end before the start',
      'dice',
      '?startDate=2026-03-04T15:00:00.000Z&endDate=2026-03-04T14:59:59.000Z',
      '400 VALIDATION_FAILED',
    ],
    [
      'no length',
      'dice',
      '?startDate=2026-03-04T15:00:00.000Z&endDate=2026-03-04T15:00:00.000Z',
      '400 VALIDATION_FAILED',
    ],
    ['an invalid date', 'dice', '?startDate=yesterday', '400 VALIDATION_FAILED'],
  ])('rejects %s', async (_, slug, query, code) => {
    expect(codeOf(await staff.call('GET', `/admin/casino/games/${slug}/rtp${query}`))).toBe(code);
  });

  test('requires the permission to read the report', async () => {
    const other = await app.as({ permissions: ['user.read'] });
    for (const somebody of [player, other])
      expect((await somebody.call('GET', '/admin/casino/games/dice/rtp')).status).toBe(403);
  });
});

describe('each settled bet is counted once', () => {
  test('counts each settled bet once in small batches with crashes between them', async () => {
    for (let i = 0; i < 6; i++) await placeBet(app, dice({ payout: i % 2 ? 0n : 1_980_000_000n }));
    for (let i = 0; i < 4; i++) {
      const crash = transaction(app.db, async (tx) => {
        await consumeBatch(tx, CONSUMER, { below: 2n ** 62n, batch: 2 });
        throw new Error('the process ended');
      });
      await expect(crash).rejects.toThrow('the process ended');
      await expectExact();
      await returns().consume(1 + (i % 2));
      await expectExact();
    }
    await consumeAll();
    expect(await findings()).toEqual([]);
  });

  test('counts a bet that is settled later, but not a bet that was rolled back', async () => {
    const open = [
      await placeBet(app, dice({ status: 'CREATED' })),
      await placeBet(app, dice({ status: 'CREATED' })),
    ] as const;
    await placeBet(app, dice());
    await consumeAll();
    await settleBet(app, { id: open[0], userId: player.id });
    await settleBet(app, { id: open[1], userId: player.id }, 'ROLLBACK');
    await expectExact();
    await consumeAll();
    await expectExact();
    expect(await findings()).toEqual([]);
  });

  test('counts current amounts after corrections, wherever the cursor is and after a replay', async () => {
    const [slot, { settledAt, query }, later] = [games.book!, newHour(), newHour()];
    const bet = () =>
      placeBet(app, { userId: player.id, gameId: slot, amount: 10n * ONE, usd: 1n, settledAt });
    const own = { userId: player.id };
    const figures = async (of = query) => {
      const { rounds, turnoverUsd, payoutUsd } = await figuresOf('book', of);
      return [rounds, turnoverUsd, payoutUsd];
    };
    const everyWhere = async (expected: unknown, moved: unknown = [0, '0', '0']) => {
      expect([await figures(), await figures(later.query)]).toEqual([expected, moved]);
      await consumeAll();
      expect([await figures(), await figures(later.query)]).toEqual([expected, moved]);
      expect(await findings()).toEqual([]);
    };
    const [late, back, again] = [await bet(), await bet(), await bet()];
    await correctBet(app, { id: late, ...own }, { payout: 5n * ONE });
    await everyWhere([3, '30', '5']);
    await correctBet(app, { id: back, ...own }, null);
    await correctBet(app, { id: again, ...own }, null, 'CREATED');
    await everyWhere([1, '10', '5']);
    await correctBet(app, { id: again, ...own }, { payout: 30n * ONE, at: later.settledAt });
    await correctBet(app, { id: late, ...own }, { amount: 0n });
    await everyWhere([1, '0', '5'], [1, '10', '30']);
    await replay(app.db, CONSUMER.name, late - 1n);
    for (let i = 0; i < 4; i++) {
      await returns().consume(3);
      expect([await figures(), await figures(later.query)]).toEqual([
        [1, '0', '5'],
        [1, '10', '30'],
      ]);
      expect(await findings()).toEqual([]);
    }
    await correctBet(app, { id: late, ...own }, null);
    await everyWhere([0, '0', '0'], [1, '10', '30']);
    const rows = await app.db.selectFrom('game_returns').selectAll().where('hour', '=', settledAt).execute();
    expect(rows).toEqual([]);
  });

  test('counts a bet once when it was committed late', async () => {
    await consumeAll();
    const other = await app.newPlayer();
    await transaction(app.db, async (late) => {
      await lock(late, player.id);
      await reserve(late);
      await placeBet(app, dice({ userId: other.id }));
      for (let i = 0; i < 3; i++) expect(await returns().consume()).toBe(0);
      await write(late, dice({ payout: 3n * ONE }));
    });
    await expectExact();
    await consumeAll();
    await expectExact();
    expect(await findings()).toEqual([]);
  });

  test('counts each bet once while two consumers and several players run concurrently', async () => {
    const two = await startApp({ database: app.database, reconcileOnStop: false });
    let isOpen = true;
    const consume = async ({ services }: TestApp) => {
      while (isOpen) await services.returns.consume(3);
    };
    const play = async () => {
      const players = [player, await app.newPlayer({ usdt: 100 }), await app.newPlayer({ usdt: 100 })];
      await Promise.all(
        players.map(async (each) => {
          for (let i = 0; i < 15; i++) await betOnDice(each, { betAmount: String(1 + (i % 3)) });
        }),
      );
      await expectExact();
    };
    const close = () => {
      isOpen = false;
    };
    try {
      await Promise.all([play().finally(close), consume(app), consume(two)]).finally(close);
      await consumeAll();
      await expectExact();
      expect(await findings()).toEqual([]);
    } finally {
      await two.stop();
    }
  });

  test('counts all bets again after the theoretical values change, and skips sums that a newer version wrote', async () => {
    const before = await figuresOf('dice');
    const setCursor = (version: number) =>
      sql`update cursors set version = ${version} where name = 'game-returns'`.execute(app.db);
    try {
      await setCursor(CONSUMER.version! - 1);
      await sql`update game_returns set bets = bets + 1`.execute(app.db);
      expect(await figuresOf('dice')).toEqual(before);
      expect(await returns().consume(2)).toBe(2);
      expect(await figuresOf('dice')).toEqual(before);
      await consumeAll();
      expect(await figuresOf('dice')).toEqual(before);
      expect(await findings()).toEqual([]);
      await setCursor(CONSUMER.version! + 1);
      await placeBet(app, dice());
      expect(await returns().consume()).toBe(0);
      await expectExact();
      await setCursor(CONSUMER.version!);
      await consumeAll();
      await expectExact();
    } finally {
      await setCursor(CONSUMER.version! - 1);
      await consumeAll();
    }
  });

  test('detects a wrong sum when the sums are checked', async () => {
    await sql`update game_returns set paid_usd = paid_usd + 1 where game_id = ${games.dice!}`.execute(app.db);
    const found = await findings().finally(() =>
      sql`update game_returns set paid_usd = paid_usd - 1 where game_id = ${games.dice!}`.execute(app.db),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]!.problem).toBe("a game's returns are not the sums of its bets up to the cursor");
    expect(await findings()).toEqual([]);
  });
});

describe('alerts', () => {
  const DAY_MS = 24 * HOUR_MS;
  const MIDNIGHT = Date.parse('2027-05-10T00:00:00.000Z');
  let now = MIDNIGHT;
  const warnings: object[] = [];
  const alerts = () =>
    createReturnAlerts({
      db: app.db,
      mail: app.services.mail,
      metrics: app.services.metrics,
      returns: returns(),
      clock: { now: () => now },
      config: { ALERT_EMAIL: 'risk@house.example' },
      log: { warn: (facts: object) => warnings.push(facts) } as never,
    });
  /** Results of the hour before a given time: bets of one dollar, an expected RTP of 99 % and a standard error of one percentage point. */
  const played = (before: number, { bets = 2000, actual = 99, slug = 'dice' } = {}) =>
    app.db
      .insertInto('game_returns')
      .values({
        game_id: games[slug]!,
        hour: new Date(before - HOUR_MS),
        generation: sql<number>`(select generation from cursors where name = 'game-returns')`,
        bets: BigInt(bets),
        staked_usd: String(BigInt(bets) * ONE),
        paid_usd: String(BigInt(bets) * BigInt(Math.round(actual * 1e6))),
        counted: (bets * actual) / 100,
        expected: bets * 0.99,
        variance: (bets * 0.01) ** 2,
        apart_bets: 0n,
        apart_staked_usd: '0',
        apart_paid_usd: '0',
      })
      .execute();
  const mails = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from graphile_worker._private_jobs where payload::text like '%return-alert%'`.execute(
      app.db,
    );
    return rows[0]!.n;
  };
  /** The games for which staff were alerted. */
  const told = async () => {
    const rows = await app.db.selectFrom('events').select('data').where('room', '=', 'admin').execute();
    return rows.map(({ data }) => data);
  };
  const gauge = async () => {
    const text = await app.services.metrics.registry.metrics();
    return /^croupier_return_alert\{game="dice",kind="RETURN".*\} (\d)$/m.exec(text)?.[1];
  };
  const state = () =>
    app.db
      .selectFrom('return_alerts')
      .select(['misses', 'raised_at', 'judged_until'])
      .where('game_id', '=', games.dice!)
      .executeTakeFirst();

  beforeEach(async () => {
    now = MIDNIGHT;
    warnings.length = 0;
    await app.db.deleteFrom('return_alerts').execute();
    await app.db.deleteFrom('game_returns').where('hour', '>', new Date('2027-01-01')).execute();
    await sql`delete from graphile_worker._private_jobs`.execute(app.db);
    await app.db.deleteFrom('events').execute();
  });

  test('alerts once about an RTP far outside the band, and ends the alert when a later window is inside the band', async () => {
    await played(MIDNIGHT, { actual: 103 });
    await alerts().check();
    expect(warnings).toEqual([
      {
        game: 'dice',
        until: '2027-05-10T00:00:00.000Z',
        hours: 720,
        verdict: 'FAR',
        bets: 2000,
        actual: '103.0000 %',
        band: '97.0400 % – 100.9600 %',
      },
    ]);
    expect([await mails(), await gauge()]).toEqual([1, '1']);
    now += DAY_MS - 1;
    await alerts().check();
    now += 1;
    await alerts().check();
    expect([warnings.length, await mails(), await gauge(), (await state())!.misses]).toEqual([1, 1, '1', 2]);
    expect(await told()).toEqual([{ kind: 'RETURN_ALERT', id: 'dice' }]);
    // 30 days later the bad day is no longer in the window.
    now += 30 * DAY_MS;
    await played(now, { actual: 99 });
    await alerts().check();
    expect([warnings.length, await gauge(), (await state())!.raised_at]).toEqual([1, '0', null]);
  });

  test('alerts after three consecutive windows outside the 95 % band, and evaluates each day only once', async () => {
    await played(MIDNIGHT, { actual: 101.5 });
    for (let day = 0; day < 3; day++) {
      expect(warnings).toEqual([]);
      now = MIDNIGHT + day * DAY_MS;
      await Promise.all([alerts().check(), alerts().check()]);
      expect((await state())!.misses).toBe(day + 1);
    }
    expect(warnings).toMatchObject([{ game: 'dice', verdict: 'OUTSIDE' }]);
    expect(await mails()).toBe(1);
  });

  test('evaluates a single day when a game has more than 10,000 bets a day', async () => {
    await played(MIDNIGHT - DAY_MS, { bets: 90_000, actual: 99 });
    await played(MIDNIGHT, { bets: 10_001, actual: 105 });
    await alerts().check();
    expect(warnings).toMatchObject([{ hours: 24, bets: 10_001 }]);
  });

  test('does not alert when there are too few bets or the RTP of blackjack is low, but alerts when it is high', async () => {
    await played(MIDNIGHT, { bets: 999, actual: 200 });
    await played(MIDNIGHT, { slug: 'blackjack', actual: 80 });
    await alerts().check();
    expect([warnings, await mails()]).toEqual([[], 0]);
    now += DAY_MS;
    await played(now, { slug: 'blackjack', actual: 150 });
    await alerts().check();
    expect(warnings).toMatchObject([{ game: 'blackjack' }]);
  });

  test('evaluates the bets of a day only after the day has ended', async () => {
    now = MIDNIGHT + DAY_MS / 2;
    await played(now, { actual: 150 });
    await alerts().check();
    expect(warnings).toEqual([]);
    now = MIDNIGHT + DAY_MS;
    await alerts().check();
    expect(warnings).toHaveLength(1);
  });
});
