import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { createDb, createPool, type Db } from '../database/db.ts';
import { silentLog } from '../observability/log.ts';
import { readList } from './list.ts';
import type { OrderedList } from './ordered.ts';
import type { PageRequest } from './page.ts';

type Row = { id: number; owner: number; size: number; kind: number };
type Wanted = { owner?: number | undefined; kind?: number | undefined };
type Sorted = Wanted & Pick<PageRequest, 'sortOrder'>;

let db: Db;
const database = fixture(createTestDatabase);
beforeAll(async () => {
  const timeouts = { connectTimeoutMs: 1000, statementTimeoutMs: 20_000 };
  db = createDb(
    createPool({ connectionString: database.url, poolSize: 2, name: 'test', ...timeouts }, silentLog),
  );
  await sql`create table sized (id int primary key, owner int not null, size int not null, kind int not null)`.execute(
    db,
  );
  await sql`create index on sized (size, id)`.execute(db);
  await sql`create index on sized (owner, size, id)`.execute(db);
});
afterAll(() => db.destroy());

const fill = async (rows: number, kinds: RawBuilder<unknown>): Promise<Row[]> => {
  await sql`truncate sized`.execute(db);
  await sql`insert into sized select n, n % 3, n * 7919 % 1009, ${kinds} from generate_series(1, ${rows}::int) n`.execute(
    db,
  );
  await sql`analyze sized`.execute(db);
  return (await sql<Row>`select * from sized order by size, id`.execute(db)).rows;
};

const listOf = ({ owner, kind }: Wanted, known?: number): OrderedList => ({
  table: 'sized',
  id: 'id',
  key: 'size',
  bounds: owner === undefined ? [] : [sql`sized.owner = ${owner}`],
  conditions: kind === undefined ? [] : [sql`sized.kind = ${kind}`],
  known,
});

const sortOrder = 'asc' as const;

const naive = (rows: readonly Row[], { owner, kind, sortOrder }: Sorted) => {
  const due = rows
    .filter(
      (row) => (owner === undefined || row.owner === owner) && (kind === undefined || row.kind === kind),
    )
    .map((row) => row.id);
  return sortOrder === 'desc' ? due.reverse() : due;
};

test('returns the same pages and totals as a simple full scan for any filter, with exact totals up to 1,000', async () => {
  for (const count of [0, 40, 990, 1_010, 16_000]) {
    const rows = await fill(count, sql`n % 5`);
    const wanted = fc.record(
      {
        owner: fc.integer({ min: 0, max: 3 }),
        kind: fc.integer({ min: 0, max: 5 }),
        sortOrder: fc.constantFrom('asc' as const, 'desc' as const),
      },
      { requiredKeys: ['sortOrder'] },
    );
    const asked = fc.record({
      take: fc.integer({ min: 1, max: 100 }),
      place: fc.double({ min: 0, max: 1.1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(wanted, asked, async (filter, { take, place }) => {
        const due = naive(rows, filter);
        const page = 1 + Math.floor((Math.min(due.length, 9_000) / take) * place);
        const { sortOrder } = filter;
        const { rows: ids, total } = await readList(db, listOf(filter), { page, take, sortOrder });
        expect(ids).toEqual(due.slice((page - 1) * take, page * take));
        if (due.length <= 1_000) expect(total).toBe(due.length);
        else expect(total).toBeGreaterThan(1_000);
      }),
      { numRuns: 40, seed: 7 },
    );
  }
}, 240_000);

test('returns a precomputed total without counting again', async () => {
  const rows = await fill(16_000, sql`0`);
  const list = listOf({}, 16_000);
  const first = await readList(db, list, { page: 1, take: 3, sortOrder });
  expect(first).toEqual({ rows: rows.slice(0, 3).map(({ id }) => id), total: 16_000, isExact: true });
  expect(await readList(db, list, { page: 801, take: 20, sortOrder })).toEqual({
    rows: [],
    total: 16_000,
    isExact: true,
  });
});

test('sorts up to 5,000 matching rows that are beyond the first rows of the order', async () => {
  const rows = await fill(60_000, sql`(n * 7919 % 1009 > 950)::int`);
  const wanted = { kind: 1, sortOrder };
  const due = naive(rows, wanted);
  expect(due.length).toBeGreaterThan(3000);
  const { rows: ids, total } = await readList(db, listOf(wanted), { page: 2, take: 50, sortOrder });
  expect({ ids, total }).toEqual({ ids: due.slice(50, 100), total: due.length });
});

test('rejects deep pages, and filters with too many matches to sort and too few among the first rows', async () => {
  await fill(60_000, sql`(n * 7919 % 1009 > 600)::int`);
  const asked = { take: 100, sortOrder };
  await expect(readList(db, listOf({}), { page: 101, ...asked })).rejects.toMatchObject({
    code: 'PAGE_TOO_DEEP',
  });
  const rare = listOf({ kind: 1 });
  await expect(readList(db, rare, { page: 1, ...asked })).rejects.toMatchObject({ code: 'FILTER_TOO_WIDE' });
  const other = await readList(db, rare, { page: 1, take: 100, sortOrder: 'desc' });
  expect(other.rows).toHaveLength(100);
});
