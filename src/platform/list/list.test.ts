import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { createDb, createPool, type Db } from '../database/db.ts';
import { silentLog } from '../observability/log.ts';
import { type Conditions, conditionsOf, every, WHOLE } from './conditions.ts';
import { readList } from './list.ts';
import { type Mark, rankedPage } from './marked-list.ts';
import type { PageRequest } from './page.ts';
import type { ListTable } from './table.ts';

type Row = { id: bigint; owner: number; kind: number; size: number };
type Filter = { owner?: number | undefined; kind?: number | undefined; minSize?: number | undefined };

let db: Db;
const database = fixture(createTestDatabase);
beforeAll(async () => {
  const timeouts = { connectTimeoutMs: 1000, statementTimeoutMs: 20_000 };
  db = createDb(
    createPool({ connectionString: database.url, poolSize: 2, name: 'test', ...timeouts }, silentLog),
  );
  await sql`create table things (id int8 primary key, owner int not null, kind int not null, size int not null)`.execute(
    db,
  );
  await sql`create index on things (owner, id)`.execute(db);
  await sql`create index on things (kind, id)`.execute(db);
});
afterAll(() => db.destroy());

const within = (owner: number | undefined) => (owner === undefined ? sql`true` : sql`owner = ${owner}`);
const conditions: Conditions<Filter> = {
  owner: (owner) => sql`owner = ${owner}`,
  kind: (kind) => sql`kind = ${kind}`,
  minSize: (size) => sql`size >= ${size}`,
};
/** Reads rows by their owner if an owner is given. */
const table: ListTable<number | undefined, Filter, Row> = {
  rowsOf: ({ source, isDescending, rows }) => sql`
    select * from things where ${within(source)} order by id ${isDescending ? sql`desc` : sql`asc`}
    ${rows === undefined ? sql`` : sql`limit ${rows}`}`,
  matches: (filter) => sql`select * from lines where ${every(conditionsOf(conditions, filter))}`,
  columns: sql`page.*`,
  toRow: (row) => row,
  planned: ({ source, filter }) =>
    sql`select 1 from things where ${within(source)} and ${every(conditionsOf(conditions, filter))}`,
  sizeOf: () => ({ of: 'unknown' }),
};
const list = (request: PageRequest, { owner, ...filter }: Filter, looked?: number) =>
  readList(db, { table, looked, source: owner, range: WHOLE, filter }, request);

/** Generates rows with gaps between ids, and with any distribution of owners, kinds and sizes. */
const rowsOf = ({ count, a, b, skew }: { count: number; a: number; b: number; skew: number }): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: BigInt(n * 3 + 1 + (n % 2)),
    owner: n % (skew + 2) === 0 ? n % 4 : 1,
    kind: Math.floor((n * a) / 7) % 5,
    size: (n * b) % 101,
  }));

async function fill(rows: readonly Row[]): Promise<void> {
  await sql`truncate things`.execute(db);
  const column = (name: keyof Row) => rows.map((row) => row[name]);
  await sql`insert into things select * from unnest(${column('id')}::int8[], ${column('owner')}::int[], ${column('kind')}::int[],
    ${column('size')}::int[])`.execute(db);
  await sql`analyze things`.execute(db);
}

const naive = (rows: readonly Row[], { owner, kind, minSize }: Filter) =>
  rows.filter(
    (row) =>
      (owner === undefined || row.owner === owner) &&
      (kind === undefined || row.kind === kind) &&
      (minSize === undefined || row.size >= minSize),
  );

const filters = fc.record(
  {
    owner: fc.integer({ min: 0, max: 4 }),
    kind: fc.integer({ min: 0, max: 5 }),
    minSize: fc.integer({ min: 0, max: 101 }),
  },
  { requiredKeys: [] },
);
const worlds = fc.record({
  count: fc.integer({ min: 0, max: 3000 }),
  a: fc.integer({ min: 1, max: 50 }),
  b: fc.integer({ min: 0, max: 50 }),
  skew: fc.integer({ min: 0, max: 20 }),
});
const asked = fc.record({
  where: filters,
  sortOrder: fc.constantFrom('asc' as const, 'desc' as const),
  take: fc.integer({ min: 1, max: 100 }),
  place: fc.double({ min: 0, max: 1.2, noNaN: true }),
});

test('returns the same pages and totals as a simple full scan for any filter, with exact totals up to 500', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.array(asked, { minLength: 20, maxLength: 20 }), async (world, requests) => {
      const rows = rowsOf(world);
      await fill(rows);
      for (const { where, sortOrder, take, place } of requests) {
        const due = naive(rows, where);
        if (sortOrder === 'desc') due.reverse();
        const page = 1 + Math.floor((due.length / take) * place);
        const found = await list({ page, take, sortOrder }, where);
        expect(found.rows).toEqual(due.slice((page - 1) * take, page * take));
        if (due.length <= 500) expect(found.total).toBe(due.length);
        else expect(found.total).toBeGreaterThan(500);
      }
    }),
    { numRuns: 15 },
  );
}, 240_000);

test('rejects pages that are too deep and filters that would scan too many rows', async () => {
  await fill(rowsOf({ count: 25_000, a: 1, b: 0, skew: 20 }));
  await sql`update things set size = 7 where id = 1`.execute(db);
  await sql`analyze things`.execute(db);
  const order = { take: 100, sortOrder: 'desc' } as const;
  await expect(list({ ...order, page: 101 }, {})).rejects.toMatchObject({ code: 'PAGE_TOO_DEEP' });
  await expect(list({ ...order, page: 1 }, { minSize: 7 }, 5000)).rejects.toMatchObject({
    code: 'FILTER_TOO_WIDE',
  });
  expect(await list({ ...order, page: 1 }, { minSize: 7 })).toMatchObject({ total: 1, rows: [{ id: 1n }] });
});

test('finds the same pages through marks as a simple full scan, whichever rows are omitted', async () => {
  const everyMark = fc.integer({ min: 1, max: 50 });
  const ids = fc.uniqueArray(fc.bigInt(1n, 2000n), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(ids, everyMark, fc.integer({ min: 0, max: 9 }), asked, async (some, step, left, ask) => {
      const all = some.sort((a, b) => Number(a - b));
      const others = all.filter((_, n) => n % 10 < left);
      const marks: Mark[] = [{ rows: 0, id: 0n, latest: null }];
      for (let rows = step; rows <= all.length; rows += step)
        marks.push({ rows, id: all[rows - 1]! + 1n, latest: null });
      const due = all.filter((id) => !others.includes(id));
      if (ask.sortOrder === 'desc') due.reverse();
      const page = 1 + Math.floor((due.length / ask.take) * ask.place);
      const found = await rankedPage(
        {
          before: async (_, rows) => marks.findLast((mark) => mark.rows <= rows!)!,
          after: async (_, rows) => marks.find((mark) => mark.rows >= rows),
        },
        { ...ask, page },
        {
          scope: 0,
          all: all.length,
          others,
          isBounded: left === 0,
          read: async ({ from, below, others, skip, take }) =>
            all
              .filter((id) => id >= from && (below === undefined || id < below) && !others.includes(id))
              .slice(skip, skip + take),
        },
      );
      expect(found).toEqual({ total: due.length, rows: due.slice((page - 1) * ask.take, page * ask.take) });
    }),
  );
});
