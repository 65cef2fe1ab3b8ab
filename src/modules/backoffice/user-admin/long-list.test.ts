import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { createUserMarks } from './marks.ts';

const CROWD = 21_500;
const app = fixture(() => startApp({ env: PATIENCE }), 60_000);
const boss = fixture(() => app.as('superadmin'), 60_000);
beforeAll(async () => {
  // The sign-up times of two thirds of the users are not in the order of their ids.
  for (let from = 0; from < CROWD; from += 2000)
    await sql`
      insert into users (username, email, username_skeleton, created_at, last_login_at, is_private)
      select 'crowd' || n, 'crowd' || n || '@list.example', 'crowd ' || n, at,
        at + make_interval(days => n % 3), n % 20 = 0
      from generate_series(${from}::int + 1, least(${from}::int + 2000, ${CROWD}::int)) n,
        lateral (select now() - make_interval(mins => 100 + ${CROWD}::int - n + case when n % 3 = 0 then 0 else (n * 7919) % 5000 end) as at) made
    `.execute(app.db);
  await sql`analyze users`.execute(app.db);
}, 240_000);

const list = async (body: object) => {
  const flags = {
    withPermissions: false,
    withRoles: false,
    withNotes: false,
    withBalance: false,
    withStatsUsd: false,
  };
  const answer = await boss.call('POST', '/admin/user/all', {
    body: { sortBy: 'id', sortOrder: 'asc', ...flags, ...body },
  });
  return { status: answer.status, code: answer.body.code, ...answer.body };
};
const idsOf = ({ data }: { data: { id: number }[] }) => data.map((user) => user.id);
const inOrder = async (key: string, order: 'asc' | 'desc') => {
  const { rows } = await sql<{ id: number }>`
    select id from users order by ${sql.raw(`${key} ${order}, id ${order}`)}`.execute(app.db);
  return rows.map((row) => row.id);
};

describe.each([
  ['id', 'id', 'asc'],
  ['id', 'id', 'desc'],
  ['createdAt', 'created_at', 'asc'],
  ['createdAt', 'created_at', 'desc'],
] as const)('the whole list by %s (%s), %s', (sortBy, key, sortOrder) => {
  test('returns exact pages at both ends and in the middle, before and after a sign-up', async () => {
    for (let round = 0; round < 2; round++) {
      const due = await inOrder(key, sortOrder);
      const take = 100;
      const pages = Math.ceil(due.length / take);
      for (const page of [
        1,
        2,
        49,
        50,
        51,
        52,
        100,
        101,
        107,
        150,
        151,
        pages - 51,
        pages - 50,
        pages - 1,
        pages,
      ]) {
        const shown = await list({ sortBy, sortOrder, page, take });
        expect(idsOf(shown), `page ${page}`).toEqual(due.slice((page - 1) * take, page * take));
        expect(shown.total).toBe(due.length);
      }
      await app.newPlayer();
    }
  });
});

describe('page marks of the full list', () => {
  /** Counts the statements that read `users`, and makes the statement with the given number fail. */
  const counting = (failing?: number) => {
    const seen = { queries: 0 };
    const db = app.services.db.withPlugin({
      transformQuery: ({ node }) => {
        if (++seen.queries === failing) throw new Error('the database is gone');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    return { seen, db };
  };

  test('reads page marks in batches, and shares one run between concurrent calls', async () => {
    const { db, seen } = counting();
    const marks = createUserMarks(db, { batch: 1 });
    const answers = await Promise.all([16_000, 20_001, 20_500].map((rank) => marks.before('id', rank)));
    expect(answers.map(({ skip }) => skip)).toEqual([1000, 1, 500]);
    // There are four batches with marks and a final one without.
    expect(seen.queries).toBe(5);
    await marks.before('id', 10_000);
    expect(seen.queries).toBe(5);
  });

  test('keeps the page marks that were read when a later batch fails, so that the next run continues from there', async () => {
    const { db, seen } = counting(3);
    const marks = createUserMarks(db, { batch: 1 });
    await expect(marks.before('id', 20_001)).rejects.toThrow('the database is gone');
    expect((await marks.before('id', 10_001)).skip).toBe(1);
    expect(seen.queries).toBe(3);
    expect((await marks.before('id', 20_001)).skip).toBe(1);
    expect(seen.queries).toBe(6);
  });
});

test('returns pages near both ends of the list in other sort orders, and rejects pages in between', async () => {
  const key = `coalesce(lower(username), '') collate "C"`;
  for (const sortOrder of ['asc', 'desc'] as const) {
    const due = await inOrder(key, sortOrder);
    const pages = Math.ceil(due.length / 100);
    for (const page of [1, 60, 100, pages - 99, pages - 10, pages])
      expect(idsOf(await list({ sortBy: 'username', sortOrder, page, take: 100 })), `page ${page}`).toEqual(
        due.slice((page - 1) * 100, page * 100),
      );
    const middle = await list({ sortBy: 'username', sortOrder, page: 106, take: 100 });
    expect([middle.status, middle.code]).toEqual([400, 'PAGE_TOO_DEEP']);
  }
});

test('returns exact totals up to 10,000 matches, and estimates of at least 10,001 above that', async () => {
  const rare = await list({ where: { isPrivate: true } });
  expect(rare.total).toBe(CROWD / 20);
  const common = await list({ where: { isPrivate: false } });
  const count = await app.db
    .selectFrom('users')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('is_private', '=', false)
    .executeTakeFirstOrThrow();
  expect(common.total).toBeGreaterThanOrEqual(10_001);
  expect(Math.abs(common.total - count.n) / count.n).toBeLessThan(0.1);
  expect(common.totalPages).toBe(Math.ceil(common.total / 20));
  const tenth = await list({ where: { isPrivate: false }, page: 100, take: 100 });
  expect(tenth.data).toHaveLength(100);
  const deeper = await list({ where: { isPrivate: false }, page: 101, take: 100 });
  expect([deeper.status, deeper.code]).toEqual([400, 'PAGE_TOO_DEEP']);
  expect((await list({ where: { isPrivate: false }, page: 100_000, take: 100 })).data).toEqual([]);
});

describe.each(['id', 'createdAt', 'lastLoginAt', 'username'] as const)(
  'a long filtered list by %s',
  (sortBy) => {
    const KEYS = {
      id: 'id',
      createdAt: 'created_at',
      lastLoginAt: 'last_login_at',
      username: 'lower(username) collate "C"',
    };
    // Filters with many and with few matches, a filter that excludes the newest users, and a filter whose matches are at the end of the
    // order.
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const [early, middle] = [daysAgo(13), daysAgo(10)];
    const filters: [object, string][] = [
      [{ isPrivate: false }, 'not is_private'],
      [{ isPrivate: true }, 'is_private'],
      [{ lastLoginTo: early }, `last_login_at <= '${early}'`],
      [{ lastLoginTo: middle }, `last_login_at <= '${middle}'`],
      [{ registeredTo: middle }, `created_at <= '${middle}'`],
    ];

    test.each(['asc', 'desc'] as const)(
      '%s: returns exact pages up to the readable depth',
      async (sortOrder) => {
        for (const [where, condition] of filters) {
          const { rows } = await sql<{ id: number }>`
        select id from users where ${sql.raw(condition)}
        order by ${sql.raw(`${KEYS[sortBy]} ${sortOrder}, id ${sortOrder}`)}`.execute(app.db);
          const due = rows.map((row) => row.id);
          expect(due.length).toBeGreaterThan(1000);
          for (const page of [1, 2, 5, 6, 11, 40]) {
            const shown = await list({ where, sortBy, sortOrder, page, take: 100 });
            const wanted = due.slice((page - 1) * 100, page * 100);
            expect(idsOf(shown), `${JSON.stringify(where)} page ${page}`).toEqual(wanted);
            if (due.length <= 10_000) expect(shown.total).toBe(due.length);
          }
        }
      },
    );
  },
);
