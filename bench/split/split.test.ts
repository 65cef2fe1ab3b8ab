import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../test/kit/database.ts';
import { captureWrites, keepHalf, type Places, readPlaces, readWrites, type Write } from './halves.ts';
import { crossingsOf, hashOf, judgeAll, shapeOf, verdictOfWrites } from './judge.ts';
import type { Recorded } from './record.ts';
import { type Databases, needOf, replay, stopTime } from './replay.ts';

const PAY = 'update wallets set cash = cash + $1 where user_id = $2';
const PAY_ALL = 'update wallets set cash = cash + 1 where user_id = any($1)';
const RENAME = 'update faq set title = $1';
const [EVEN, ODD, STAFF] = [1002, 1003, 1005];

let databases: Databases;
let places: Places;
let writes: Write[];
const closing: (() => Promise<unknown>)[] = [];

/** Creates a few players in each half, a staff account, wallets and tips. Then starts to record writes. */
beforeAll(async () => {
  const database = await createTestDatabase();
  closing.push(database.drop);
  const whole = await connect(database.name);
  await whole.query(
    `insert into users (id, username, is_staff) select id, 'split_' || id, id = ${STAFF} from generate_series(1001, 1006) id`,
  );
  await whole.query(
    `insert into wallets (user_id, currency_id, cash) select id, 'USDT', id from generate_series(1001, 1006) id`,
  );
  await whole.query(`insert into faq (title, text, sort_order) values ('a', 'b', 1)`);
  places = await readPlaces(whole);
  await captureWrites(whole, places);
  await whole.query(PAY, [5, EVEN]);
  await whole.query(PAY_ALL, [[EVEN, ODD]]);
  await whole.query(RENAME, ['c']);
  await whole.query('begin');
  await whole.query(PAY, [1, EVEN]);
  await whole.query(PAY, [1, STAFF]);
  await whole.query('commit');
  writes = await readWrites(whole);
  await closing.pop()!();
  const admin = await connect('postgres');
  const halves = [];
  for (const side of [0, 1] as const) {
    const name = `${database.name}_${side}`;
    await admin.query(`create database ${name} template ${database.name}`);
    const half = await connect(name);
    closing.splice(-1, 0, () => admin.query(`drop database ${name} with (force)`));
    await keepHalf(half, places, side);
    halves.push(half);
  }
  databases = { whole: await connect(database.name), halves: [halves[0]!, halves[1]!] };
  for (const db of [databases.whole, ...halves]) await stopTime(db, '2020-01-01T00:00:00Z');
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function connect(database: string): Promise<pg.Client> {
  const url = inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, database);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  closing.push(() => client.end());
  return client;
}

const asks = (text: string, ...values: unknown[]) => replay(databases, text, values);

describe('a read', () => {
  const own = 'select cash from wallets where user_id = $1';
  test("reports that one half of the database is enough to read one player's data", async () => {
    expect(await asks(own, EVEN)).toBe('one');
    expect(await asks(own, ODD)).toBe('one');
  });

  test('reports that either half returns the same catalogue, staff account or time', async () => {
    expect(await asks('select title from faq')).toBe('either');
    expect(await asks(own, STAFF)).toBe('either');
    expect(await asks('select now()')).toBe('either');
  });

  test('reports that a read of players in both halves needs both, and that counts, sums and limited lists must also be combined', async () => {
    expect(await asks('select username from users where id = any($1)', [EVEN, ODD, STAFF])).toBe('joined');
    expect(await asks('select count(*) from users')).toBe('combined');
    expect(await asks('select id from users order by id desc limit 4')).toBe('combined');
    expect(await asks('select sum(cash) from wallets')).toBe('combined');
  });

  test('reports that a read that returns no rows needs neither half, and does not classify a failed read', async () => {
    expect(await asks(own, 4_000_000)).toBe('nothing');
    expect(await asks('select no_such_column from users')).toBeUndefined();
  });

  test('reports a query whose halves together do not return the rows of the full result', () => {
    expect(needOf(['a', 'b'], ['a'], ['b'])).toBe('joined');
    expect(needOf(['a', 'b'], ['a'], ['b', 'b'])).toBe('combined');
    expect(needOf([], [], ['a'])).toBe('combined');
  });
});

describe('a write', () => {
  const of = (text: string) =>
    verdictOfWrites(
      writes.filter(({ query }) => query === hashOf(text)),
      places,
    );
  test('classifies a write by whether it affects one player, players in both halves, or shared data', () => {
    expect(of(PAY)).toEqual({ kind: 'player', share: 0 });
    expect(of(PAY_ALL)).toEqual({ kind: 'both', share: 1 });
    expect(of(RENAME)).toEqual({ kind: 'everywhere', share: 1 });
    expect(of('select 1')).toBeUndefined();
  });

  test('reports a write as cross-half only when its transaction writes players of both halves', () => {
    const sent: Recorded = { text: PAY_ALL, module: 'money/ledger', part: 'api', calls: 1, samples: [] };
    expect(crossingsOf(writes, [sent])).toEqual([
      { modules: 'money/ledger', parts: 'api', tables: 'wallets', count: 1 },
    ]);
  });
});

test('classifies each statement once, using sample parameters from all its callers', async () => {
  const sent = (text: string, ...samples: unknown[][]): Recorded => ({
    text,
    module: 'a/b',
    part: 'api',
    calls: 2,
    samples,
  });
  const judged = await judgeAll(
    [
      sent('select cash from wallets where user_id in ($1, $2)', [EVEN, 1004]),
      sent('select cash from wallets where user_id in ($1, $2, $3)', [EVEN, ODD, 1004]),
      sent(PAY),
      sent('select 1', []),
    ],
    { databases, places, writes: Map.groupBy(writes, ({ query }) => query) },
  );
  expect(judged.map(({ text, calls, kind, share }) => [text, calls, kind, share])).toEqual([
    ['select cash from wallets where user_id in ($…)', 4, 'joined', 0.5],
    [shapeOf(PAY), 2, 'player', 0],
  ]);
});
