import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type FaultProxy, startFaultProxy } from '../../../../test/kit/processes/fault-proxy.ts';
import { until } from '../../../../test/kit/until.ts';
import type { Statement } from '../../../platform/database/db.ts';
import { isUnavailable, sqlState } from '../../../platform/database/errors.ts';
import { BEGIN, COMMIT, createLane, type Lane, NotCommitted } from './lane.ts';

let proxy: FaultProxy;
let admin: pg.Client;
let lane: Lane;
/** Waits until the server has announced that it will close a connection and the proxy has forwarded the announcement. */
let isTold = false;

const database = fixture(createTestDatabase);
beforeAll(async () => {
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query('create table notes (text text)');
  const { host, searchParams } = new URL(database.url.replace('@/', '@socket/'));
  expect(host).toBe('socket');
  proxy = await startFaultProxy({
    target: { path: `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}` },
    watch(chunk) {
      isTold ||= chunk.includes('57P01');
      return true;
    },
  });
});

beforeEach(() => {
  lane = createLane({
    connectionString: `postgres://croupier@127.0.0.1:${proxy.port}/${database.name}`,
    poolSize: 1,
    connectTimeoutMs: 1000,
    statementTimeoutMs: 500,
    name: 'lane under test',
  });
});

afterEach(async () => {
  proxy.mode('pass');
  await lane.close();
  await admin.query('truncate notes');
});

afterAll(async () => {
  await admin.end();
  await proxy.stop();
});

const statement = (text: string): Statement => ({ name: text, text, values: [] });
const note = (text: string) => statement(`insert into notes values ('${text}')`);
const notes = async () => (await admin.query('select text from notes')).rows.map(({ text }) => text);

const OWN = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lane under test'`;

async function cut(): Promise<void> {
  isTold = false;
  await admin.query(OWN);
  await until(() => isTold);
  // Forwarded data is read in one of the next iterations of the event loop.
  for (let i = 0; i < 10; i++) await turn();
}

test.each([
  ['25006', ['set transaction read only', 'create table never (n int)']],
  ['26000', ['execute nothing']],
] as const)('reports %s as not committed and reconnects for the next transaction', async (code, texts) => {
  const pid = statement('select pg_backend_pid() as pid');
  const [, [before]] = (await lane.send([BEGIN, pid, COMMIT])) as [unknown, { pid: number }[], unknown];
  const sent = lane.send([BEGIN, note('first'), ...texts.map(statement), COMMIT]);
  const outcome = await sent.catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(NotCommitted);
  expect((outcome as NotCommitted).cause).toMatchObject({ code });
  expect(isUnavailable((outcome as NotCommitted).cause)).toBe(true);
  const [, [after]] = (await lane.send([BEGIN, pid, COMMIT])) as [unknown, { pid: number }[], unknown];
  expect(after).not.toEqual(before);
  expect(await notes()).toEqual([]);
});

test('never continues a transaction on another connection', async () => {
  await lane.send([BEGIN, note('first')]);
  await cut();
  // A busy machine may forward the announcement later.
  await sleep(200);
  const outcome = await lane.send([note('second'), COMMIT]).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(NotCommitted);
  // Waiting callers receive 503, not 500.
  expect(isUnavailable((outcome as NotCommitted).cause)).toBe(true);
  expect(await notes()).toEqual([]);
  await lane.send([BEGIN, note('third')]);
  await lane.send([note('fourth'), COMMIT]);
  expect(await notes()).toEqual(['third', 'fourth']);
});

test('does not affect the next transaction when the end of a connection is noticed late', async () => {
  await lane.send([BEGIN, note('lost')]);
  // The server announces 100 ms later that the session ends, and closes the connection after another 100 ms.
  proxy.mode({ delayMs: 100 });
  await cut();
  const next = lane.send([BEGIN, note('kept'), COMMIT]);
  await sleep(150);
  proxy.mode('pass');
  await next;
  await lane.send([BEGIN, note('kept'), COMMIT]);
  const { rowCount } = await admin.query(OWN);
  expect(rowCount).toBe(1);
  expect(await notes()).toEqual(['kept', 'kept']);
});

test('reports an unknown outcome when the database stops responding, and then reconnects', async () => {
  await lane.send([BEGIN, note('first')]);
  proxy.mode('black-hole');
  const outcome = await lane.send([COMMIT]).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  expect(outcome).not.toBeInstanceOf(NotCommitted);
  proxy.mode('pass');
  await lane.send([BEGIN, note('second'), COMMIT]);
  expect(await notes()).toContain('second');
});

test('reports a failed statement as not committed, but returns the database error of a failed COMMIT', async () => {
  await expect(lane.send([BEGIN, note('a'), statement('select 1/0'), COMMIT])).rejects.toThrow(NotCommitted);
  await admin.query(`create constraint trigger late after insert on notes deferrable initially deferred
    for each row execute function refuse_change()`);
  const outcome = await lane.send([BEGIN, note('b'), COMMIT]).catch((error: unknown) => error);
  await admin.query('drop trigger late on notes');
  expect(sqlState(outcome)).toBe('42501');
  expect(await notes()).toEqual([]);
});

test('releases its locks when a transaction is idle for two seconds, and reports the transaction as not committed', async () => {
  await lane.send([BEGIN, note('forgotten'), statement('lock table notes in access exclusive mode')]);
  const began = performance.now();
  expect(await notes()).toEqual([]);
  expect(performance.now() - began).toBeLessThan(20_000);
  // The announcement that the session ends may arrive as the response to a later statement.
  const outcome = await lane.send([note('late'), COMMIT]).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(NotCommitted);
  expect(isUnavailable((outcome as NotCommitted).cause)).toBe(true);
  await lane.send([BEGIN, note('next'), COMMIT]);
  expect(await notes()).toEqual(['next']);
});

test('treats EPIPE as a connection failure, not as an SQLSTATE', () => {
  const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  expect(sqlState(error)).toBeUndefined();
  expect(isUnavailable(error)).toBe(true);
  expect(sqlState({ code: '40P01' })).toBe('40P01');
  expect(sqlState({ code: 'P0001' })).toBe('P0001');
});
