import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { type StandbyServer, startPrimary, startStandby } from './kit/processes/replica.ts';
import { until } from './kit/until.ts';

let standby: StandbyServer;
let app: TestApp;
let admin: Player;

const primary = fixture(startPrimary);
beforeAll(async () => {
  standby = await startStandby(primary);
  const env = { DATABASE_READ_URL: standby.url, READ_MAX_LAG_MS: '2000', LOG_LEVEL: 'info' };
  app = await startApp({ database: primary.database, env });
  admin = await app.as('superadmin');
});
afterAll(async () => {
  await app?.stop();
  await standby?.stop();
});

const isUsed = () => app.services.replica!.isUsed();
const totalOf = async ({ id }: Player) => {
  const { body } = await admin.call('POST', '/admin/bets', { body: { where: { userId: id } } });
  return body.total as number;
};
/** Waits until the replica has replayed the primary's entire WAL. */
const caughtUp = async () => {
  const { rows } = await app.sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(app.db);
  await until(async () => {
    const [seen] = await standby.ask<{ done: boolean }>(
      `select pg_last_wal_replay_lsn() >= '${rows[0]!.lsn}' as done`,
    );
    return seen!.done;
  });
};
const metric = async (name: string) => {
  const { text } = await app.call('GET', '/metrics');
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]?.replace('+Inf', 'Infinity'));
};

const said = (text: string) => app.lines.filter((line) => line.includes(text)).length;
/** Returns a statement that writes this many megabytes to the server's WAL. */
const fill = (megabytes: number) =>
  `select pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) from generate_series(1, ${megabytes})`;
/** Returns the number of bytes by which a replica is ahead of the primary's WAL. */
const ahead = async (replica: StandbyServer) => {
  const { rows } = await app.sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(app.db);
  const [seen] = await replica.ask<{ bytes: string }>(
    `select pg_last_wal_replay_lsn() - '${rows[0]!.lsn}'::pg_lsn as bytes`,
  );
  return Number(seen!.bytes);
};
/** Waits until a process has checked its replica this many times. */
const lookedAt = async (replica: StandbyServer, times: number) => {
  const latest = async () => {
    const [seen] = await replica.ask<{ at: string }>(
      `select query_start::text as at from pg_stat_activity where application_name like '%watch'`,
    );
    return seen?.at;
  };
  for (let i = 0, before = await latest(); i < times; i++, before = await latest())
    await until(async () => (await latest()) !== before);
};
/** Creates a player with one bet that has reached the replica. */
const known = async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  expect((await betOnDice(player)).status).toBe(201);
  await caughtUp();
  return player;
};
const LEFT = 'the read replica is skipped';
const BACK = 'the read replica has recovered';

test('reads staff reports from the replica and player data from the primary', async () => {
  await until(isUsed);
  const player = await known();
  expect(await totalOf(player)).toBe(1);
  await standby.pause();
  try {
    expect((await betOnDice(player)).status).toBe(201);
    expect(await totalOf(player)).toBe(1);
    expect((await player.call('GET', '/bets')).body.total).toBe(2);
  } finally {
    await standby.resume();
  }
  await caughtUp();
  expect(await totalOf(player)).toBe(2);
  expect(await metric('croupier_db_replica_used')).toBe(1);
});

test('reads every report from a server that accepts no writes', async () => {
  await until(isUsed);
  const player = await known();
  const before = said(LEFT);
  const range = { startDate: '2020-01-01T00:00:00Z', endDate: '2100-01-01T00:00:00Z' };
  const list = { page: 1, take: 20, sortBy: 'createdAt', sortOrder: 'desc' };
  const users = { page: 1, take: 20, sortBy: 'id', sortOrder: 'asc' };
  const rich = {
    withPermissions: true,
    withBalance: true,
    withNotes: true,
    withStatsUsd: true,
    withRoles: true,
  };
  const reports: [string, string, object?][] = [
    ['POST', '/admin/bets', {}],
    ['POST', '/admin/bets', { where: { ...range, username: player.username } }],
    ['POST', '/admin/bets', { sortBy: 'USD_AMOUNT' }],
    ['POST', '/admin/accounting/transactions', list],
    ['POST', '/admin/accounting/transactions', { ...list, where: range }],
    ['POST', '/admin/accounting/transactions', { ...list, where: { userId: player.id }, sortBy: 'amount' }],
    ['POST', '/admin/user/all', { ...users, ...rich }],
    ['POST', '/admin/user/all', { ...users, ...rich, search: player.username }],
    ['GET', '/admin/user/admin-audit'],
    ['GET', '/admin/user/admin-audit?reqType=Successful'],
    ['GET', '/admin/casino/games/dice/rtp'],
  ];
  const scans = () =>
    standby.ask<{ n: bigint }>('select sum(seq_scan + coalesce(idx_scan, 0)) as n from pg_stat_user_tables');
  const [scanned] = await scans();
  for (const [method, path, body] of reports) {
    const answer = await admin.call(method, path, { body });
    expect([path, answer.status, answer.text.slice(0, 200)]).toEqual([
      path,
      expect.toSatisfy((s) => s < 300),
      expect.anything(),
    ]);
  }
  await until(async () => Number((await scans())[0]!.n) > Number(scanned!.n));
  expect(said(LEFT)).toBe(before);
});

test('skips a replica that lags too far until it has caught up, and logs one line each time', async () => {
  await until(isUsed);
  const player = await known();
  const [left, back] = [said(LEFT), said(BACK)];
  await standby.pause();
  try {
    expect((await betOnDice(player)).status).toBe(201);
    await until(() => !isUsed());
    expect(await totalOf(player)).toBe(2);
    expect(await metric('croupier_db_replica_used')).toBe(0);
    expect(await metric('croupier_db_replica_lag_seconds')).toBeGreaterThan(2);
  } finally {
    await standby.resume();
  }
  await until(isUsed);
  expect(await totalOf(player)).toBe(2);
  expect([said(LEFT), said(BACK)]).toEqual([left + 1, back + 1]);
});

test('serves every report while a replica is stopped, and uses it again once it is back', async () => {
  await until(isUsed);
  const player = await known();
  const before = said(LEFT);
  await standby.stop();
  try {
    for (let i = 0; i < 20; i++) expect(await totalOf(player)).toBe(1);
    await until(async () => (await metric('croupier_db_replica_lag_seconds')) === Number.POSITIVE_INFINITY);
    expect(isUsed()).toBe(false);
  } finally {
    await standby.start();
  }
  await until(isUsed);
  expect(await totalOf(player)).toBe(1);
  expect(said(LEFT)).toBe(before + 1);
});

test('writes nothing through the report connection, even when it points to the primary', async () => {
  const env = { DATABASE_READ_URL: primary.url };
  const other = await startApp({ database: primary.database, env, reconcileOnStop: false });
  try {
    await until(() => other.services.replica!.isUsed());
    const write = sql`update users set is_test = true`.execute(other.services.replica!.db);
    await expect(write).rejects.toMatchObject({ code: '25006' });
  } finally {
    await other.stop();
  }
});

test('never uses a replica address that points to another cluster', async () => {
  const elsewhere = inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, 'croupier_template');
  const env = { DATABASE_READ_URL: elsewhere };
  const other = await startApp({ database: primary.database, env, reconcileOnStop: false });
  try {
    expect(other.services.replica!.isUsed()).toBe(false);
    expect(other.lines.join()).toContain('leads to another database cluster than DATABASE_URL');
  } finally {
    await other.stop();
  }
});

test('refuses to start and reports why when DATABASE_URL accepts no writes', async () => {
  const start = (databaseUrl: string) => startApp({ database: primary.database, databaseUrl });
  await expect(start(standby.url)).rejects.toThrow(/^DATABASE_URL leads to a read-only replica/);
  const readOnly = `${primary.url}&options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
  await expect(start(readOnly)).rejects.toThrow(/^DATABASE_URL leads to a read-only database/);
});

test('skips a replica that was promoted while the primary is still running', async () => {
  await until(isUsed);
  const player = await known();
  await standby.ask('select pg_promote()');
  await until(() => !isUsed());
  expect(app.lines.join()).toContain('leads to a server that accepts writes and is not the primary');
  expect((await betOnDice(player)).status).toBe(201);
  expect(await totalOf(player)).toBe(2);
});

test('skips a replica on another timeline, even after the primary has written more', async () => {
  await standby.ask('select pg_promote() where pg_is_in_recovery()');
  const astray = await startStandby({ folder: primary.folder, url: standby.url }, 'astray');
  try {
    await standby.ask(fill(32));
    await until(async () => (await ahead(astray)) > 16_000_000);
    const env = { DATABASE_READ_URL: astray.url, LOG_LEVEL: 'info' };
    const other = await startApp({ database: primary.database, env, reconcileOnStop: false });
    try {
      const isLeft = () => !other.services.replica!.isUsed();
      const STRAYED = 'it has changes that the primary does not have: it follows another primary';
      await until(() => isLeft() && other.lines.join().includes(STRAYED));
      await until(async () => {
        await sql.raw(fill(32)).execute(app.db);
        return (await ahead(astray)) < 0;
      });
      await lookedAt(astray, 2);
      expect(isLeft()).toBe(true);
    } finally {
      await other.stop();
    }
  } finally {
    await astray.stop();
  }
});
