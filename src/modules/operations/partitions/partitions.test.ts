import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { rebuild } from '../../games/bets/consumers.ts';
import { firstIdOf, monthOfId } from '../../money/ledger/rules.ts';
import { readTime } from './queries.ts';
import { LISTS, monthOf, nameOf, partOf, startOf } from './rules.ts';

let player: Player;
/** The month in which the database was migrated (`oldest`), and the month in which the application started. */
let oldest: number;
let now: number;
const app = fixture(startApp);
beforeAll(async () => {
  const { below } = (await app.services.partitions.list()).find(({ part }) => part === 'bets_before')!;
  oldest = monthOfId(below);
  now = monthOf(await readTime(app.db));
  player = await app.newPlayer({ usdt: 1000 });
});

const bet = async (): Promise<bigint> => {
  const { status, body } = await betOnDice(player);
  expect(status).toBe(201);
  return BigInt(body.betId);
};
const names = async () => (await app.services.partitions.list()).map(({ part, state }) => `${part} ${state}`);
const proven = async () =>
  (await reconcile(app.services.db, { seedSecret: app.config.SEED_SECRET })).findings;
/** Runs the worker's job as if the current month were a later one. */
const turnTo = (month: number) => app.services.partitions.ensure(startOf(month));
const statement = () => listPostings(app.services.db, { userId: player.id, take: 100 });
const own = async () => {
  const { status, body } = await player.call('GET', '/bets?take=20');
  expect([status, body]).toMatchObject([200, { page: 1 }]);
  return body;
};

test('creates the required months when a process starts, and the following months once and ahead of time', async () => {
  const months = Array.from({ length: now + 3 - oldest }, (_, i) => oldest + i);
  const attached = (list: (typeof LISTS)[number], of: readonly number[]) => [
    `${list}_before attached`,
    ...of.map((month) => `${partOf(list, nameOf(month))} attached`),
  ];
  expect(await names()).toEqual(LISTS.flatMap((list) => attached(list, months)));
  const { partitions } = app.services;
  await Promise.all(Array.from({ length: 4 }, () => partitions.ensure()));
  expect(await names()).toEqual(LISTS.flatMap((list) => attached(list, months)));
});

test('uses ids of the previous month while the job is late, and never returns to an earlier month', async () => {
  const month = monthOfId(await bet());
  expect(month).toBeGreaterThanOrEqual(now);
  // The job has not advanced the id sequence to the next month yet, so bets still get ids of this month.
  expect(await bet()).toBeLessThan(firstIdOf(month + 1));
  const flying = Array.from({ length: 10 }, bet);
  await Promise.all([...flying, turnTo(month + 1), turnTo(month + 1), turnTo(month + 1)]);
  const ids = [await bet(), await bet()];
  for (const id of ids) expect(id).toBeGreaterThanOrEqual(firstIdOf(month + 1));
  await turnTo(month);
  expect(await bet()).toBeGreaterThan(ids[1]!);
  const { rows } = await sql<{ part: string; bets: number }>`
    select tableoid::regclass::text as part, count(*)::int as bets from bets group by 1 order by 1`.execute(
    app.db,
  );
  const months = Array.from({ length: month + 2 - now }, (_, i) => now + i);
  expect(rows.map(({ part }) => part)).toEqual(months.map((m) => partOf('bets', nameOf(m))));
  expect(await names()).toContain(`${partOf('bets', nameOf(month + 3))} attached`);
  const { rows: last } = await sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(app.db);
  expect(last[0]!.id % 1024n).toBe(0n);
  expect(await proven()).toEqual([]);
});

test('protects every partition from changes and deletions in the same way as the whole table', async () => {
  for (const { list, part } of await app.services.partitions.list()) {
    await expect(sql`delete from ${sql.table(part)}`.execute(app.db)).rejects.toThrow(/append-only/);
    await expect(sql`truncate ${sql.table(part)}`.execute(app.db)).rejects.toThrow(/append-only/);
    if (list === 'ledger_lines')
      await expect(sql`update ${sql.table(part)} set amount = 1`.execute(app.db)).rejects.toThrow(
        /append-only/,
      );
  }
});

/** Attaches all detached partitions, and resets two consumers, so that they consume every bet again. */
async function attachAll(): Promise<void> {
  const away = (await app.services.partitions.list()).filter(({ state }) => state === 'detached');
  for (const { list, part } of away.toReversed())
    await app.services.partitions.attach(list, part.slice(list.length + 1).replace('_', '-'));
  for (const name of ['user-stats', 'game-returns']) await rebuild(app.services.db, name);
}

test('detaches a month when all its bets are settled, keeps totals and lists correct without it, and attaches it again', async () => {
  const { partitions } = app.services;
  await attachAll();
  const before = await own();
  const moved = await statement();
  const stats = await player.call('GET', '/user/me/stats');
  const month = nameOf(now);
  for (const list of LISTS) {
    await expect(partitions.detach(list, month)).rejects.toMatchObject({ code: 'PARTITION_NOT_FOUND' });
    await partitions.detach(list, 'before');
  }
  await expect(partitions.detach('bets', month)).rejects.toMatchObject({
    code: 'PARTITION_IN_USE',
    details: { reason: expect.stringContaining('user-stats') },
  });
  await consumeAll(app);
  await vi.waitUntil(async () => (await app.services.rewards.consume()) > 0, {
    timeout: 20_000,
    interval: 20,
  });
  await vi.waitUntil(async () => (await app.services.returns.consume()) > 0, {
    timeout: 20_000,
    interval: 20,
  });
  await sql`update cursors set position = (select position from cursors where name = 'user-stats') where follows = 'bets' and name not in ('user-stats', 'game-returns', 'rewards')`.execute(
    app.db,
  );
  const setFirst = (status: string) =>
    sql`update bets set status = ${status} where id = (select min(id) from bets)`.execute(app.db);
  try {
    expect((await setFirst('ERROR')).numAffectedRows).toBe(1n);
    await expect(partitions.detach('bets', month)).rejects.toMatchObject({
      code: 'PARTITION_IN_USE',
      details: { reason: expect.stringContaining('1 bets') },
    });
  } finally {
    await setFirst('SETTLED');
  }

  await partitions.detach('ledger_lines', month);
  expect(await proven()).toEqual([]);
  await expect(partitions.detach('bet_rewards', month)).rejects.toMatchObject({
    code: 'PARTITION_IN_USE',
    details: { reason: 'bets of that time are attached' },
  });
  await partitions.detach('bets', month);
  await partitions.detach('bet_rewards', month);
  // Simulates a process that stopped between the two steps of a detachment.
  await sql`alter table ${sql.ref(`archive.${partOf('bets', month)}`)} set schema public`.execute(app.db);
  await partitions.maintain();
  expect(await names()).toContain(`${partOf('bets', month)} detached`);
  expect(await proven()).toEqual([]);
  await expect(rebuild(app.services.db, 'user-stats')).rejects.toMatchObject({ code: 'BETS_DETACHED' });
  const kept = await own();
  expect(kept.total).toBeLessThan(before.total);
  expect(kept.data).toEqual(before.data.slice(0, kept.total));
  expect(kept.total).toBe(kept.data.length);
  const left = await statement();
  expect(left.length).toBeGreaterThan(0);
  expect(left).toEqual(moved.slice(0, left.length));
  expect((await player.call('GET', '/user/me/stats')).body).toEqual(stats.body);
  await bet();
  await sql`update wallets set cash = cash + 1 where user_id = ${player.id}`.execute(app.db);
  const found = await proven().finally(() =>
    sql`update wallets set cash = cash - 1 where user_id = ${player.id}`.execute(app.db),
  );
  expect(found.map(({ invariant }) => invariant)).toEqual(['N2']);

  await expect(partitions.attach('bets', 'before')).rejects.toMatchObject({ code: 'PARTITION_NOT_FOUND' });
  // Simulates a partition that was detached before columns were added to its table.
  const older = sql.ref(`archive.${partOf('bets', 'before')}`);
  for (const column of ['bet_usd', 'is_corrected'])
    await sql`alter table ${older} drop column ${sql.ref(column)}`.execute(app.db);
  await expect(partitions.attach('bets', month)).rejects.toMatchObject({
    code: 'PARTITION_IN_USE',
    details: { reason: 'rewards of that time are detached' },
  });
  for (const name of [month, 'before'])
    for (const list of LISTS.toReversed()) await partitions.attach(list, name);
  expect((await own()).total).toBe(before.total + 1);
  expect(await proven()).toEqual([]);
  const { rows } =
    await sql`select (select count(*)::int from ledger_openings) as lines, (select count(*)::int from bet_openings) as bets`.execute(
      app.db,
    );
  expect(rows).toEqual([{ lines: 0, bets: 0 }]);
  await rebuild(app.services.db, 'user-stats');
});

test('creates no partition before the first month when the clock was set back', async () => {
  const before = await names();
  await turnTo(oldest - 2);
  expect(await names()).toEqual(before);
});
