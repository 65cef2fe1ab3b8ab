import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/kit/database.ts';
import {
  begin,
  deposit,
  framesOf,
  listening,
  newFeed,
  readUntil,
  tell,
} from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { transaction } from '../../../platform/database/db.ts';
import type { Feed, Frame } from '../../../realtime/feed.ts';
import { emitEvent } from '../../base/events/service.ts';
import { createSafeWatermark, reservedBelow } from './safe-watermark.ts';
import { watermarkOf, withoutValues } from './watermark.ts';

const ENV = { WATERMARK_WARN_SECONDS: '1', WATERMARK_DEGRADED_SECONDS: '1' };

const app = fixture(() => startApp({ env: ENV }));
const foreign = fixture(createTestDatabase);
const player = fixture(() => app.newPlayer());
const open = new Set<pg.Client>();
afterEach(async () => {
  for (const client of open) await client.end();
  open.clear();
});

/** Starts a transaction in the given database that writes and then stays open. */
async function leaveOpen({ url }: TestDatabase, application = 'somebody'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: application });
  open.add(client);
  await client.connect();
  await client.query('begin; select pg_current_xact_id()');
  return client;
}

/** Collects the player's numbered events from the feed. */
function reader(feed: Feed) {
  const told: Frame[] = [];
  return {
    numbers: () => told.map(({ data }) => Number((data as { depositId: string }).depositId)),
    seqs: () => told.map(({ seq }) => seq),
    async read() {
      told.push(...framesOf((await feed.next(listening([player]))).deliveries, 'deposit.status'));
    },
  };
}

/** Emits an event in a transaction that reserves its ids and then stays open. Call the returned function to commit it. */
async function held(n: number) {
  const [said, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = transaction(app.services.db, async (tx) => {
    await emitEvent(tx, { ...deposit(n), userId: player.id });
    said.resolve();
    await go.promise;
  });
  await Promise.race([said.promise, ended]);
  return async () => {
    go.resolve();
    await ended;
  };
}

test('delivers events while a transaction is open in another database', async () => {
  const feed = newFeed(app);
  await begin(feed, listening([player]));
  await leaveOpen(foreign);
  await tell(app, player.id, 1);
  await readUntil(feed, listening([player]), (all) => framesOf(all, 'deposit.status').length === 1);
  await tell(app, player.id, 2);
  await readUntil(feed, listening([player]), (all) => framesOf(all, 'deposit.status').length === 1);
});

test('lets consumers proceed while a transaction is open in another database', async () => {
  await leaveOpen(foreign);
  await tell(app, player.id, 3);
  const [safeWatermark, below] = [createSafeWatermark(app.services.db), await reservedBelow(app.services.db)];
  await until(async () => (await safeWatermark()) >= below);
});

test('misses no late commit in this database while transactions are open in another database', async () => {
  const feed = newFeed(app);
  await begin(feed, listening([player]));
  const its = reader(feed);
  await leaveOpen(foreign);
  const letGo = await held(11);
  await tell(app, player.id, 12);
  // Reads often, and for longer than a mark waits before the locks are checked.
  for (const end = performance.now() + 500; performance.now() < end; ) await its.read();
  expect(its.numbers()).toEqual([]);
  await letGo();
  await until(async () => {
    await its.read();
    return its.numbers().length === 2;
  });
  expect(its.numbers()).toEqual([11, 12]);
});

test("reads concurrent writes completely and in order while another session holds back the server's xmin horizon", async () => {
  const feed = newFeed(app);
  await begin(feed, listening([player]));
  const its = reader(feed);
  await leaveOpen(foreign);
  const all = Array.from({ length: 60 }, (_, i) => 100 + i);
  const telling = Promise.all(all.map((n) => tell(app, player.id, n, (n * 7) % 40)));
  await until(async () => {
    await its.read();
    return its.numbers().length >= all.length;
  });
  await telling;
  await its.read();
  expect(its.numbers().toSorted((a, b) => a - b)).toEqual(all);
  expect(its.seqs()).toEqual(its.seqs().toSorted((a, b) => a - b));
});

test('waits for a prepared transaction of this database, but not of another', async () => {
  const prepare = async (of: TestDatabase, gid: string, statement: string) => {
    const client = await leaveOpen(of);
    await client.query(statement);
    await client.query(`prepare transaction '${gid}'`);
    return client;
  };
  const abroad = await prepare(foreign, 'of-another', 'select 1');
  const feed = newFeed(app);
  await begin(feed, listening([player]));
  const its = reader(feed);
  await tell(app, player.id, 21);
  await until(async () => {
    await its.read();
    return its.numbers().length === 1;
  });
  const event = JSON.stringify(deposit(22).data);
  const own = await prepare(
    app.database,
    'of-ours',
    `insert into events (id, user_id, room, name, data) select nextval('ledger_ids'), ${player.id}, 'user', 'deposit.status', '${event}'`,
  );
  try {
    await tell(app, player.id, 23);
    for (const end = performance.now() + 500; performance.now() < end; ) await its.read();
    expect(its.numbers()).toEqual([21]);
  } finally {
    await own.query(`commit prepared 'of-ours'`);
    await abroad.query(`rollback prepared 'of-another'`);
  }
  await until(async () => {
    await its.read();
    return its.numbers().length === 3;
  });
  expect(its.numbers()).toEqual([21, 22, 23]);
});

test('measures, logs and reports a transaction of this database that stays open, without the literals of its query', async () => {
  const feed = newFeed(app);
  await begin(feed, listening([player]));
  const its = reader(feed);
  const ready = async () => {
    const { status, body } = await app.call('GET', '/health/ready');
    return { status, said: body.status, watermark: body.details.watermark, error: body.error };
  };
  expect(await ready()).toMatchObject({ status: 200, watermark: { status: 'up', ageSeconds: 0 } });
  const client = await leaveOpen(app.database, 'a forgotten console');
  await client.query(`select 'the secret of somebody' as a, 4711 as b`);
  const { rows } = await client.query('select pg_backend_pid() as pid');
  for (let n = 31; n <= 33; n++) await tell(app, player.id, n);
  const line = () => app.lines.find((text) => text.includes('a transaction that does not end'));
  await until(async () => {
    await its.read();
    return line() !== undefined && (await ready()).watermark.status === 'degraded';
  });
  expect(JSON.parse(line()!).blockers).toMatchObject([
    {
      pid: rows[0].pid,
      database: app.database.name,
      application: 'a forgotten console',
      state: 'idle in transaction',
    },
  ]);
  expect(line()).not.toMatch(/secret of somebody|4711/);
  const late = await ready();
  expect(late).toMatchObject({ status: 200, said: 'ok', error: { watermark: { status: 'degraded' } } });
  const { text } = await app.call('GET', '/metrics');
  expect(Number(/^croupier_watermark_age_seconds\S* (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(1);
  expect(its.numbers()).toEqual([]);
  await client.query('rollback');
  await until(async () => {
    await its.read();
    return its.numbers().length === 3;
  });
  expect(its.numbers()).toEqual([31, 32, 33]);
  expect(await ready()).toMatchObject({ error: {}, watermark: { status: 'up', ageSeconds: 0 } });
  expect(watermarkOf(app.services.db).ageMs()).toBe(0);
});

test.each([
  ['select 1', 'select ?'],
  ['update users set a = $1 where id = $22', 'update users set a = $1 where id = $22'],
  [`update users\n  set password = 'hunter2' where id = 7`, 'update users set password = …'],
  [`select E'it\\'s hidden' from t`, 'select E…'],
  ['select $$hidden$$ from t', 'select …'],
  ['select $tag$hidden$tag$', 'select …'],
  ['select 1 -- hidden', 'select ? …'],
  ['select /* hidden */ 1', 'select …'],
  [`select ${'a, '.repeat(100)}`, `${`select ${'a, '.repeat(100)}`.slice(0, 120)}…`],
])('logs the beginning of a statement without values: %s', (query, shown) => {
  expect(withoutValues(query)).toBe(shown);
});
