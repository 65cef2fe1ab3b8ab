import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';

const CROUPIER = fileURLToPath(new URL('../src/bin/croupier.ts', import.meta.url));
const PASSWORD = 'not-this-one';
const folder = mkdtempSync(join(tmpdir(), 'croupier-messages-'));
chmodSync(folder, 0o755);
const SECRETS = { DATA_SECRET: 'd'.repeat(32), SEED_SECRET: 's'.repeat(32), JWT_SECRET: 'j'.repeat(32) };

type Ended = { code: unknown; output: string };

function run(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const settings = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), APP_ENV: 'test', ...SECRETS };
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [CROUPIER, name, ...args],
      { cwd: folder, env: { ...settings, ALLOW_UNSAFE_DATABASE: 'true', ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );
}

/** Arguments that each program needs to reach the database. */
const ON_DATABASE: Readonly<Record<string, readonly string[]>> = {
  audit: [],
  backup: ['--to', join(folder, 'backup')],
  consumers: [],
  'dead-letters': ['list'],
  erase: ['4711', '--reason', 'they asked for it'],
  migrate: [],
  partitions: [],
  reconcile: [],
  rehearse: [],
  superadmin: ['--email', 'boss@test.example', '--username', 'boss'],
};
const PROGRAMS = Object.keys(ON_DATABASE);
/** Programs that create the tables or do not use them. */
const NEED_NO_TABLES = ['backup', 'migrate', 'superadmin'];

let server: EmbeddedPostgres;
const as = (user: string, database: string) =>
  server.urlFor(database).replace('croupier@', `${user}:${PASSWORD}@`);
const onServer = async (sql: string, connectionString = server.urlFor('postgres')) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
};
beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  await onServer('create database empty');
  await onServer(`create role limited login password '${PASSWORD}'`);
  await onServer(`create role copier login replication password '${PASSWORD}'`);
  await onServer("create role locked login password 'another one'");
  const [hba = ''] = readdirSync(join(folder, 'postgres')).filter((name) => name === 'pg_hba.conf');
  const rules = ['locked', 'copier'].map((user) => `local all ${user} scram-sha-256\n`).join('');
  writeFileSync(join(folder, 'postgres', hba), `${rules}local all,replication all trust\n`);
  await onServer('select pg_reload_conf()');
  expect(await run('migrate', [], { DATABASE_URL: server.url })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Expects the output to be a sentence with an instruction, and to contain no stack trace, password or raw PostgreSQL message. */
function expectRefusal({ code, output }: Ended, says: RegExp, at: string) {
  expect([at, code, output]).toEqual([at, 1, expect.stringMatching(says)]);
  expect(output, at).toMatch(/^((failed|not started): .+\n)$/m);
  expect(output, at).not.toMatch(/^ +at .+:\d+/m);
  expect(output, at).not.toContain(PASSWORD);
}

describe.each(PROGRAMS)('croupier %s', (program) => {
  const on = (url: string) => run(program, ON_DATABASE[program]!, { DATABASE_URL: url });

  test('explains what to do when the database cannot be reached', async () => {
    const ended = await on(`postgres://limited:${PASSWORD}@localhost:9/casino`);
    expectRefusal(ended, /does not respond .*correct DATABASE_URL/, program);
  });

  test('explains what to do when the password is wrong', async () => {
    const ended = await on(as('locked', 'empty'));
    expectRefusal(ended, /rejects the log-in .*user and password/, program);
  });

  test('explains what to do when the role lacks the privilege', async () => {
    const database = program === 'migrate' ? 'empty' : 'croupier';
    const says =
      /lacks the permission to take backups|may not create tables in empty|lacks a permission in croupier/;
    expectRefusal(await on(as('limited', database)), says, program);
  });

  test.skipIf(NEED_NO_TABLES.includes(program))('there are no tables yet', async () => {
    expectRefusal(await on(server.urlFor('empty')), /no tables .*npx croupier migrate/, program);
  });

  test('explains what to do when the data folder cannot be used', async () => {
    const file = join(folder, 'a-file');
    appendFileSync(file, '');
    const ended = await run(program, ON_DATABASE[program]!, { DATA_DIR: file });
    expectRefusal(ended, /a-file.* cannot be used/, program);
  });
});

test.each([
  [
    'the host has no address',
    () => `postgres://limited:${PASSWORD}@nowhere.invalid/casino`,
    /does not respond/,
  ],
  [
    'the socket does not exist',
    () => `postgres://limited:${PASSWORD}@/casino?host=${folder}`,
    /does not respond/,
  ],
  ['it is malformed', () => `postgres://limited:${PASSWORD}/#@host:port/casino`, /percent-encoded/],
  ['the role does not exist', () => as('nobody', 'empty'), /rejects the log-in .*role "nobody"/],
  ['the database does not exist', () => as('limited', 'nothing'), /no such database .*create it/],
])('reports an invalid DATABASE_URL when %s', async (_, url, says) => {
  for (const program of ['reconcile', 'backup'])
    expectRefusal(await run(program, ON_DATABASE[program]!, { DATABASE_URL: url() }), says, program);
});

test('rejects a database of an older version, or of a newer incompatible version', async () => {
  await onServer('drop database if exists other with (force)');
  await onServer('create database other template croupier');
  const url = server.urlFor('other');
  const moved = async (sql: string, says: RegExp) => {
    await onServer(sql, url);
    for (const program of PROGRAMS.filter((name) => !NEED_NO_TABLES.includes(name)))
      expectRefusal(await run(program, ON_DATABASE[program]!, { DATABASE_URL: url }), says, program);
  };
  const newer = "'9999-drop-tomorrow-after-9998'";
  await moved(`insert into schema_migrations values (${newer}, 'now')`, /newer than this .*9999/);
  await onServer(`delete from schema_migrations where name = ${newer}`, url);
  const last = 'select max(id) from graphile_worker.migrations';
  await moved(
    `delete from graphile_worker.migrations where id = (${last})`,
    /an older version: .*npx croupier migrate/,
  );
  // As version 0.1.0 leaves a database whose last migration is missing.
  await moved(
    "delete from schema_migrations; insert into schema_migrations values ('0081-backups', 'now')",
    /upgrade it with version 0\.1\.0 first/,
  );
});

/** Invalid arguments of each program. */
const MISUSED: Readonly<Record<string, readonly string[][]>> = {
  audit: [['head'], ['1:abc', 'more']],
  backup: [[], ['--to'], ['--to', 'here', 'there']],
  consumers: [
    ['pause'],
    ['stop', 'user-stats'],
    ['replay', 'user-stats'],
    ['replay', 'x', '--from', 'then'],
    ['list', 'x'],
    ['pause', 'x', '--from', '1'],
  ],
  'dead-letters': [['show'], ['redrive', 'all'], ['empty'], ['list', 'one', 'two']],
  erase: [
    [],
    ['4711'],
    ['me', '--reason', 'x'],
    ['4711', '--reason', ' '],
    ['1', '--reason', 'x', '--by', 'me'],
  ],
  migrate: [['up']],
  partitions: [
    ['detach'],
    ['detach', 'bets'],
    ['detach', 'bets', '2026-13'],
    ['attach', 'users', '2026-11'],
    ['list', 'bets'],
  ],
  reconcile: [['bets']],
  rehearse: [
    ['here'],
    ['--to', '2026-01-01T00:00:00Z'],
    ['--to', 'noon', '--backup', 'x', '--archive', 'y'],
    ['--to', '5', '--backup', 'x', '--archive', 'y'],
    ['--backup', ''],
    ['--archive', 'y'],
  ],
  restore: [[], ['--from', 'x'], ['--from', 'x', '--to', 'y', '--until', '2026-01-01T00:00:00Z']],
  superadmin: [[], ['--email', 'boss@test.example'], ['boss']],
};

test.each(Object.entries(MISUSED))('prints the usage of croupier %s', async (program, misuses) => {
  for (const args of [...misuses, ['--nonsense']]) {
    const { code, output } = await run(program, args);
    expect([args, code, output]).toEqual([
      args,
      2,
      expect.stringMatching(/^error: .+\n\nUsage: croupier .+\n.+ --help\n$/),
    ]);
    expect(output).not.toMatch(/^ +at .+:\d+/m);
  }
});

test('prints no stack trace in other programs', async () => {
  const verify = await run('verify', ['1', '--api', 'http://127.0.0.1:9']);
  expect(verify).toMatchObject({
    code: 2,
    output: expect.stringMatching(/127\.0\.0\.1:9.* does not respond/),
  });
  const file = await run('verify', ['--json', join(folder, 'missing.json')]);
  expect(file).toMatchObject({ code: 2, output: expect.not.stringMatching(/^ +at /m) });
  const part = await run('start', ['nonsense']);
  expect(part).toMatchObject({
    code: 2,
    output: expect.stringMatching(/'nonsense' is invalid.*Allowed choices are api, /),
  });
  for (const args of [
    ['--from', join(folder, 'missing'), '--to', join(folder, 'new')],
    ['--from', folder, '--to', join(folder, 'new')],
  ])
    expectRefusal(await run('restore', args), /is not a complete backup/, 'restore');
});

test('reports that a service cannot reach its database, and exits', async () => {
  // The first part that fails stops the other parts.
  for (const [args, name] of [
    [['api'], 'api'],
    [[], '(api|backoffice|realtime|worker)'],
  ] as const) {
    const env = { DATABASE_URL: `postgres://limited:${PASSWORD}@localhost:9/casino`, LOG_LEVEL: 'silent' };
    const { code, output } = await run('start', args, env);
    const sentence = new RegExp(
      `${name} did not start: PostgreSQL at localhost:9 has accepted no connection for \\d+ s: .+The database casino at localhost:9`,
    );
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
    expect(output).not.toMatch(/^ +at .+:\d+/m);
    expect(output).not.toContain(PASSWORD);
  }
});

test('reports empty lists and unknown ids', async () => {
  const env = { DATABASE_URL: server.url };
  expect(await run('dead-letters', [], env)).toEqual({
    code: 0,
    output: 'no dead letters\n',
  });
  const none = await run('dead-letters', ['list', '--queue', 'mail'], env);
  expect(none.output).toBe('no dead letters in mail\n');
  for (const args of [
    ['show', '4711'],
    ['redrive', 'all', '--by', 'nobody'],
  ])
    expectRefusal(await run('dead-letters', args, env), /dead letter|staff account/, args.join(' '));
  expectRefusal(
    await run('consumers', ['pause', 'nobody'], env),
    /unknown consumer nobody; consumers: /,
    'consumers',
  );
  expectRefusal(await run('erase', ['4711', '--reason', 'x'], env), /user does not exist/i, 'erase');
  expect(await run('partitions', [], env)).toEqual({
    code: 0,
    output: expect.stringMatching(/^bets_before +attached +0 rows +\d/),
  });
});

test('uses pg_basebackup with a role that may only replicate, or asks the operator to install it', async () => {
  await onServer(`alter role copier password '${PASSWORD}'`);
  const to = join(folder, 'copied');
  mkdirSync(to);
  const { code, output } = await run('backup', ['--to', to], { DATABASE_URL: as('copier', 'croupier') });
  expect([code, output]).toEqual([1, expect.stringMatching(/pg_basebackup/)]);
  expect(output).not.toContain(PASSWORD);
});
