import { expect, test } from 'vitest';
import { DatabaseAway } from './connection-breaker.ts';
import { BY_TRANSACTION } from './pooler.ts';
import { isSlow, StartTimeout, whileStarting } from './while-starting.ts';

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code });

test.each([
  [failure('timeout exceeded when trying to connect'), true],
  [failure('Connection terminated due to connection timeout'), true],
  [failure('Query read timeout'), true],
  [failure('Connection terminated unexpectedly'), true],
  [failure('Connection terminated'), true],
  [failure('read ECONNRESET', 'ECONNRESET'), true],
  [failure('terminating connection due to administrator command', '57P01'), true],
  [failure('connect ETIMEDOUT 10.0.0.1:5432', 'ETIMEDOUT'), true],
  [failure('the database system is starting up', '57P03'), true],
  [failure('sorry, too many clients already', '53300'), true],
  [failure('canceling statement due to statement timeout', '57014'), true],
  [failure('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'), false],
  [failure('getaddrinfo ENOTFOUND db', 'ENOTFOUND'), false],
  [failure('password authentication failed', '28P01'), false],
  [failure(BY_TRANSACTION), false],
  [failure('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'), false],
])('distinguishes a slow database from a missing one: %s', (error, slow) => {
  expect(isSlow(error)).toBe(slow);
});

test('retries with growing pauses while the database is slow, and logs what is slow and for how long', async () => {
  const lines: string[] = [];
  const log = { warn: (_: object, message: string) => void lines.push(message) };
  const at: number[] = [];
  const work = async () => {
    if (at.push(performance.now()) < 7) throw failure('connect ETIMEDOUT 10.0.0.1:5432', 'ETIMEDOUT');
    return 'done';
  };
  expect(await whileStarting({ what: 'schema', server: 'PostgreSQL at 10.0.0.1:5432', log }, work)).toBe(
    'done',
  );
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe(
    'PostgreSQL at 10.0.0.1:5432 has accepted no connection for 0 s: connect ETIMEDOUT 10.0.0.1:5432',
  );
  expect(lines.at(-1)).toMatch(/ for [2-6] s: /);
  const pauses = at.slice(1).map((time, i) => time - at[i]!);
  expect(pauses.at(-1)).toBeGreaterThan(2 * pauses[0]!);
});

test('reports the unfinished step when the server accepts connections but does not respond', async () => {
  const work = () => Promise.reject(failure('Query read timeout'));
  const starting = whileStarting({ what: 'schema', log: { warn: () => undefined }, timeoutMs: 1 }, work);
  await expect(starting).rejects.toThrow(
    /PostgreSQL has not finished the first work \(schema\) for \d+ s: Query/,
  );
});

const absent = failure('connect ECONNREFUSED', 'ECONNREFUSED');
test.each([
  ['after the timeout', failure('Query read timeout'), { timeoutMs: 700 }, [2, 5], StartTimeout],
  ['soon where nothing listens', absent, { timeoutMs: 2400 }, [2, 3], StartTimeout],
  ['immediately where something must listen', absent, { mustListen: true }, [1, 1], Error],
  [
    'immediately with a wrong password',
    failure('password authentication failed', '28P01'),
    {},
    [1, 1],
    Error,
  ],
  [
    'immediately without the database',
    failure('database "casino" does not exist', '3D000'),
    {},
    [1, 1],
    Error,
  ],
])('gives up %s', async (_, error, options, [least, most], kind) => {
  let tries = 0;
  const work = () => {
    tries++;
    return Promise.reject(error);
  };
  const thrown = await whileStarting(
    { what: 'schema', log: { warn: () => undefined }, ...options },
    work,
  ).catch((e: unknown) => e as Error);
  expect(thrown).toBeInstanceOf(kind);
  expect(kind === StartTimeout ? (thrown as Error).cause : thrown).toBe(error);
  expect(tries).toBeGreaterThanOrEqual(least!);
  expect(tries).toBeLessThanOrEqual(most!);
});

test('reports the error of the last real attempt when the breaker skips an attempt', async () => {
  const starting = (cause: Error) =>
    whileStarting({ what: 'schema', log: { warn: () => undefined }, timeoutMs: 300 }, () =>
      Promise.reject(new DatabaseAway('not now', { cause })),
    ).catch((e: unknown) => e);
  expect(await starting(failure('no password', '28P01'))).toBeInstanceOf(DatabaseAway);
  expect(await starting(failure('the database system is starting up', '57P03'))).toBeInstanceOf(StartTimeout);
});
