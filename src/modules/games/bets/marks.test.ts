import { type KyselyPlugin, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { insertBets } from '../../../../test/kit/games/bet-rows.ts';
import { until } from '../../../../test/kit/until.ts';
import { transaction } from '../../../platform/database/db.ts';
import { EVERYBODY, MARK_EVERY } from '../../../platform/list/marked-list.ts';
import { createMarks, type Marks } from '../../../platform/list/marks.ts';
import { MOVEMENTS } from '../../money/ledger/marked-list.ts';
import { firstIdOf, monthOfId } from '../../money/ledger/rules.ts';
import { BETS } from './sources.ts';

let month: number;
const app = fixture(() => startApp({ reconcileOnStop: false }));
const player = fixture(() => app.newPlayer({ usdt: 1000 }));
beforeAll(async () => {
  const { rows } = await sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(app.db);
  month = monthOfId(rows[0]!.id);
});

let statements = 0;
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => {
    statements++;
    return node;
  },
  transformResult: async ({ result }) => result,
};
const marksOf = (list = BETS) => createMarks(app.db.withPlugin(counting), list);
/**
 * Returns the number of statements of the run that sets the marks. Earlier runs may set no marks while an open transaction of another test
 * holds back the safe watermark.
 */
async function extend(marks: Marks): Promise<number> {
  await until(() => {
    statements = 0;
    return marks.extend(EVERYBODY);
  });
  return statements;
}
const written = async () =>
  (await app.db.selectFrom('bet_marks').select(['rows', 'id']).orderBy('rows').execute()).map(
    ({ rows, id }) => [Number(rows), id],
  );

test.each([
  ['bets', BETS],
  ['movements', MOVEMENTS],
])(
  'stores the first page marks of three %s at the first ids, and skips unused ids with few statements',
  async (_, list) => {
    for (let i = 0; i < 3; i++) expect((await betOnDice(player)).status).toBe(201);
    const marks = marksOf(list);
    expect(await extend(marks)).toBeLessThan(20);
    statements = 0;
    expect(await marks.extend(EVERYBODY)).toBe(false);
    expect(statements).toBeLessThan(3);
  },
);

test('stores no page marks for unused ids, but stores one for the next bet', async () => {
  const marks = marksOf();
  await extend(marks);
  await transaction(app.db, async (tx) => {
    await sql`select pg_current_xact_id(), nextval('ledger_ids')`.execute(tx);
  });
  for (let i = 0; i < 5; i++) expect(await marks.hasNews()).toBe(false);
  expect((await betOnDice(player)).status).toBe(201);
  await until(marks.hasNews);
  await extend(marks);
  expect(await marks.hasNews()).toBe(false);
});

test('extends the page marks to a new bet with few statements, even if the last mark is old', async () => {
  const marks = marksOf();
  await extend(marks);
  expect((await betOnDice(player)).status).toBe(201);
  expect(await extend(marks)).toBeLessThan(10);
});

test('returns an exact bet count even if two bets are months apart', async () => {
  // Ids before the first month, two distant ranges of ids in this month, and ids in the next month.
  const runs: [bigint, number][] = [
    [100_000n, 1500],
    [firstIdOf(month) + 2n ** 40n, 2000],
    [firstIdOf(month) + 2n ** 42n, 800],
    [firstIdOf(month + 1) + 5000n, 1700],
  ];
  const bets = runs.flatMap(([first, count]) =>
    Array.from({ length: count }, (_, i) => ({
      id: first + BigInt(i * 3),
      userId: player.id,
      at: new Date(),
    })),
  );
  await insertBets(app, bets);
  await sql`select setval('ledger_ids', ${firstIdOf(month + 1) + 1024n * 100n}::int8)`.execute(app.db);
  expect(await extend(marksOf())).toBeLessThan(60);
  const all = await app.db.selectFrom('bets').select('id').orderBy('id').execute();
  const due = all.flatMap(({ id }, i) => ((i + 1) % MARK_EVERY === 0 ? [[i + 1, id + 1n]] : []));
  expect(due).toHaveLength(3);
  expect(await written()).toEqual(due);
});

test('continues the page marks of another process and stores each mark once', async () => {
  const slow = marksOf();
  await extend(slow);
  const next = firstIdOf(month + 1) + 1024n * 200n;
  const late = Array.from({ length: 2500 }, (_, i) => ({
    id: next + BigInt(i),
    userId: player.id,
    at: new Date(),
  }));
  await insertBets(app, late);
  await sql`select setval('ledger_ids', ${next + 1024n * 10n}::int8)`.execute(app.db);
  await extend(marksOf());
  const before = await written();
  await extend(slow);
  expect(await written()).toEqual(before);
  expect(before).toHaveLength(4);
});
