import { type Kysely, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { route } from '../src/http/route.ts';
import { SuccessResponse } from '../src/http/schemas.ts';
import type { DB } from '../src/platform/database/tables.ts';
import { commonErrors } from '../src/platform/errors.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { expectErrorBody } from './kit/http/error-body.ts';

let db: Kysely<DB>;

/** Realistic internal failures: statements that fail on the real database, and various thrown values. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  'a table that is missing': () => sql`select * from no_such_table`.execute(db),
  'a syntax error': () => sql`selec 1`.execute(db),
  'a constraint': () => sql`insert into players (user_id, seed_pair_id) values (-1, 1)`.execute(db),
  'a NUL (22021)': () => sql`select ${'a\0b'}::text`.execute(db),
  'a number out of range (22003)': () => sql`select ${'99999999999999999999'}::numeric::int4`.execute(db),
  'a division by zero': () => sql`select 1 / 0`.execute(db),
  'an append-only table': () => sql`delete from ledger_lines`.execute(db),
  'a TypeError': () => (undefined as unknown as { name: string }).name,
  'a RangeError': () => 'x'.repeat(-1),
  'an Error that names a file': () =>
    thrown(new Error(`ENOENT: no such file, open '${import.meta.filename}'`)),
  'an Error that names a status': () =>
    thrown(Object.assign(new Error('teapot in node_modules'), { statusCode: 418, code: 'TEAPOT' })),
  'a thrown text': () => thrown('select secret'),
  'a thrown null': () => thrown(null),
  'a thrown undefined': () => thrown(undefined),
  'a thrown object': () => thrown({ message: 'select secret', statusCode: 200, code: 'OK' }),
  'an answer that does not fit': () => ({ success: 'yes', passwordHash: 'argon2' }),
  'an answer with a number for a boolean': () => ({ success: 1 }),
  'no answer where one is declared': () => undefined,
};

/** Errors that indicate that the database is unavailable, recognised by SQLSTATE or connection error. */
const OUTAGES: Readonly<Record<string, () => unknown>> = {
  'a statement that takes too long': () => sql`select pg_sleep(20)`.execute(db),
  'a connection that is ended': () => sql`select pg_terminate_backend(pg_backend_pid())`.execute(db),
  'a refused connection': () =>
    thrown(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  'an announced overload': () => thrown(commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 7 })),
};

function thrown(what: unknown): never {
  throw what;
}

const ALL = { ...FAILURES, ...OUTAGES };
const pathOf = (name: string) => `/fails/${Object.keys(ALL).indexOf(name)}`;
const extraRoutes = Object.entries(ALL).map(([name, fail]) =>
  route({
    method: 'GET',
    path: pathOf(name),
    tag: 'Test',
    access: 'anonymous',
    summary: 'Fails',
    response: SuccessResponse,
    handler: async () => (await fail()) as never,
  }),
);

const app = fixture(() => startApp({ extraRoutes, env: { DATABASE_STATEMENT_TIMEOUT_MS: '300' } }));
beforeAll(async () => {
  db = app.db;
});

test.each(Object.keys(FAILURES))('returns 500 without internal details for %s', async (name) => {
  app.lines.length = 0;
  const answer = await app.call('GET', pathOf(name));
  expectErrorBody(answer, { status: 500, code: 'INTERNAL_ERROR' });
  expect(Object.keys(answer.body).length).toBe(4);
  // The log contains the details and the request id that the caller received.
  expect(app.lines.map((line) => JSON.parse(line).requestId)).toEqual([answer.body.requestId]);
});

test.each(Object.keys(OUTAGES))('returns 503 with Retry-After for %s', async (name) => {
  const answer = await app.call('GET', pathOf(name));
  expectErrorBody(answer, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(answer.headers.get('retry-after')).toBe(name === 'an announced overload' ? '7' : '1');
});

test('keeps serving requests after all of these errors', async () => {
  expect((await app.call('GET', '/health')).status).toBe(200);
  expect((await app.newPlayer({ usdt: 1 })).id).toBeGreaterThan(0);
});
