/** The daily position test. It uses only settled bets and drawn rounds, and alerts after two consecutive failures. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startApp } from '../../../../../../test/kit/app.ts';
import { fixture } from '../../../../../../test/kit/fixture.ts';
import { lock, reserve } from '../../../../../../test/kit/games/bets.ts';
import { transaction } from '../../../../../platform/database/db.ts';
import { firstNumber } from '../../../fairness/hash.ts';
import { pick } from '../../../fairness/rules.ts';
import { createReturnAlerts } from './service.ts';

const games: Record<string, number> = {};
const app = fixture(() => startApp({ reconcileOnStop: false }));
const player = fixture(() => app.newPlayer());
beforeAll(async () => {
  for (const { id, slug } of await app.db.selectFrom('games').select(['id', 'slug']).execute())
    games[slug] = id;
});

const DAY_MS = 86_400_000;
const LATE_MS = 600_000;
/** Each test uses a different month, because bets are not deleted. */
let month = 0;
let midnight = 0;
let now = 0;
const warnings: Record<string, unknown>[] = [];
beforeEach(async () => {
  month++;
  midnight = Date.UTC(2027, month, 1);
  warnings.length = 0;
  await app.db.deleteFrom('return_alerts').execute();
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  // Marks all rounds of earlier tests as already tested.
  await checkAt(midnight + LATE_MS);
  await sql`update return_alerts set misses = 0, raised_at = null, untested_from = ${new Date(midnight)}`.execute(
    app.db,
  );
  warnings.length = 0;
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
});

const alerts = () =>
  createReturnAlerts({
    db: app.db,
    mail: app.services.mail,
    metrics: app.services.metrics,
    returns: app.services.returns,
    clock: { now: () => now },
    config: { ALERT_EMAIL: 'risk@house.example' },
    log: { warn: (facts: Record<string, unknown>) => warnings.push(facts) } as never,
  });
const checkAt = (at: number) => {
  now = at;
  return alerts().check();
};
/** Runs the check after the end of a day (0 is the first), once all bets have been counted. */
async function endDay(day: number): Promise<void> {
  const slugs = ['roulette', 'keno', 'blackjack'] as const;
  await vi.waitFor(
    async () => {
      await app.services.returns.catchUp();
      for (const slug of slugs) {
        const until = new Date(midnight + (day + 1) * DAY_MS);
        const counts = await transaction(app.db, (tx) =>
          app.services.returns.positions(tx, { id: games[slug]!, slug }, { from: new Date(0), until }),
        );
        expect(counts).toBeDefined();
      }
    },
    { timeout: 20_000, interval: 20 },
  );
  await checkAt(midnight + (day + 1) * DAY_MS + LATE_MS);
}

/** Inserts settled bets of a day with these outcomes. */
const play = (slug: string, day: number, outcomes: readonly object[], isSeeded = true) =>
  transaction(app.db, async (tx) => {
    await lock(tx, player.id);
    await reserve(tx);
    const at = new Date(midnight + day * DAY_MS + DAY_MS / 2);
    await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id,
        outcome, seed_pair_id, settled_at)
      select currval('ledger_ids') + i, 1, 0, 1, 0, 1, ${player.id}, ${games[slug]!}, 'SETTLED', 'USDT', o::json,
        ${isSeeded ? 10n ** 12n : null}, ${at}
      from unnest(${outcomes.map((o) => JSON.stringify(o))}::text[]) with ordinality as all_outcomes(o, i)`.execute(
      tx,
    );
  });
const pocket = (randomPosition: number) => ({ randomPosition, multiplier: 0 });
const fair = (count: number, from = 0, places = 37) =>
  Array.from({ length: count }, (_, i) => pick(firstNumber('of-alerts', 'client', from + i), places));
/** Every eighth result is replaced by 17. */
const biased = (count: number, from = 0) => fair(count, from).map((n, i) => (i % 8 === 0 ? 17 : n));

const mails = async () => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from graphile_worker._private_jobs where payload::text like '%uniformity-alert%'`.execute(
    app.db,
  );
  return rows[0]!.n;
};
const gauge = async (game: string) => {
  const text = await app.services.metrics.registry.metrics();
  return new RegExp(`^croupier_return_alert\\{game="${game}",kind="UNIFORMITY".*\\} (\\d)$`, 'm').exec(
    text,
  )?.[1];
};
const state = (slug: string) =>
  app.db
    .selectFrom('return_alerts')
    .select(['misses', 'raised_at', 'judged_until', 'untested_from', 'facts'])
    .where('game_id', '=', games[slug]!)
    .where('kind', '=', 'UNIFORMITY')
    .executeTakeFirstOrThrow();

describe('an alert', () => {
  test('raises an alert once, after the second biased day, and ends it after a fair day', async () => {
    await play('roulette', 0, biased(400).map(pocket));
    await endDay(0);
    expect([warnings, await mails(), await gauge('roulette')]).toEqual([[], 0, '0']);
    expect((await state('roulette')).misses).toBe(1);
    await play('roulette', 1, biased(400, 400).map(pocket));
    await endDay(1);
    await Promise.all([alerts().check(), alerts().check()]);
    expect(warnings).toEqual([
      {
        game: 'roulette',
        from: new Date(midnight + DAY_MS).toISOString(),
        until: new Date(midnight + 2 * DAY_MS).toISOString(),
        verdict: 'OUTSIDE',
        rounds: 400,
        chiSquare: expect.any(Number),
        degrees: 36,
        chance: expect.stringMatching(/^0\.\d{4} %$/),
      },
    ]);
    expect([await mails(), await gauge('roulette')]).toEqual([1, '1']);
    await play('roulette', 2, biased(400, 800).map(pocket));
    await endDay(2);
    expect([warnings.length, await mails(), await gauge('roulette')]).toEqual([1, 1, '1']);
    await play('roulette', 3, fair(400, 1200).map(pocket));
    await endDay(3);
    expect([warnings.length, await gauge('roulette'), (await state('roulette')).misses]).toEqual([1, '0', 0]);
  });

  test('raises no alert for fair days, or for alternating biased and fair days', async () => {
    for (const [day, from] of [biased, fair, biased, fair, fair, fair, fair, fair].entries()) {
      await play('roulette', day, from(400, 400 * day).map(pocket));
      await endDay(day);
      expect((await state('roulette')).misses).toBe(from === biased ? 1 : 0);
    }
    expect([warnings, await mails()]).toEqual([[], 0]);
  });

  test.each<[string, object[]]>([
    ['keno', Array(30).fill({ results: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })],
    ['blackjack', Array(300).fill({ hands: [{ cards: [1, 2] }], dealer: { cards: [3, 4] } })],
  ])('raises an alert for identical outcomes of %s', async (slug, outcomes) => {
    for (const day of [0, 1]) {
      expect(warnings).toEqual([]);
      await play(slug, day, outcomes);
      await endDay(day);
    }
    expect(warnings).toMatchObject([{ game: slug, rounds: outcomes.length, chance: '0.0000 %' }]);
  });

  test('ignores rounds with prearranged decks', async () => {
    const laid = Array(300).fill({ hands: [{ cards: [1, 2] }], dealer: { cards: [3, 4] } });
    for (const day of [0, 1, 2]) {
      await play('blackjack', day, laid, false);
      await endDay(day);
    }
    expect(warnings).toEqual([]);
    expect((await state('blackjack')).facts).toMatchObject({ verdict: 'FEW', rounds: 0 });
  });

  test('includes speed-roulette rounds with and without bets', async () => {
    const { rows } = await sql<{ id: number }>`
      insert into speed_chains (commitment, length, links, block_height) values (${'a'.repeat(64)}, 1000, '', 1)
      returning id`.execute(app.db);
    const spin = (day: number, numbers: readonly number[]) =>
      sql`
      insert into speed_rounds (chain_id, position, phase, seed_hash, seed, number, min_bet, max_bet, max_profit, betting_ms,
        waiting_ms, result_ms, started_at, ends_at, drawn_at, settled_at)
      select ${rows[0]!.id}, ${day * 200}::int + i, 'DONE', '', '', n, 1, 1, 1, 1, 1, 1, at, at, at, at
      from unnest(${numbers}::int[]) with ordinality as drawn(n, i),
        (select ${new Date(midnight + day * DAY_MS)}::timestamptz as at) day`.execute(app.db);
    await spin(0, fair(150, 0, 15));
    await endDay(0);
    const { facts } = await state('speed-roulette');
    expect(facts).toMatchObject({ verdict: 'INSIDE', rounds: 150, degrees: 14 });
    for (const day of [1, 2]) {
      expect(warnings).toEqual([]);
      await spin(
        day,
        Array.from({ length: 150 }, (_, i) => i % 9),
      );
      await endDay(day);
    }
    expect(warnings).toMatchObject([{ game: 'speed-roulette', rounds: 150 }]);
  });
});

describe('a day', () => {
  test('adds a day with too few rounds to the next day instead of testing it', async () => {
    const days: [number, number, number][] = [
      [0, 0, 100],
      [1, 1, 200],
      [2, 1, 100],
      [3, 2, 200],
    ];
    for (const [day, misses, rounds] of days) {
      expect(warnings).toEqual([]);
      await play(
        'roulette',
        day,
        biased(100, 100 * day).map(() => pocket(17)),
      );
      await endDay(day);
      const { facts, ...seen } = await state('roulette');
      expect([seen.misses, (facts as { rounds: number }).rounds]).toEqual([misses, rounds]);
    }
    expect(warnings).toMatchObject([
      {
        from: new Date(midnight + 2 * DAY_MS).toISOString(),
        until: new Date(midnight + 4 * DAY_MS).toISOString(),
        rounds: 200,
      },
    ]);
  });

  test('tests a day once all its bets are counted, and at least ten minutes after the day ends', async () => {
    await endDay(0);
    await play('roulette', 1, biased(400).map(pocket));
    const end = midnight + 2 * DAY_MS;
    const judged = async () => (await state('roulette')).judged_until.getTime();
    await checkAt(end + LATE_MS);
    expect([await judged(), (await state('roulette')).misses]).toEqual([end - DAY_MS, 0]);
    expect((await state('speed-roulette')).judged_until.getTime()).toBe(end);
    await endDay(1);
    expect([await judged(), (await state('roulette')).misses]).toEqual([end, 1]);
    await checkAt(end + DAY_MS + LATE_MS - 1);
    expect(await judged()).toBe(end);
    await checkAt(end + DAY_MS + LATE_MS);
    expect([await judged(), (await state('roulette')).misses]).toEqual([end + DAY_MS, 1]);
  });
});
