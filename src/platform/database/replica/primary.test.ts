import { beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../observability/log.ts';
import { isUnavailable } from '../errors.ts';
import { createPrimary, type Primary, type Server, WrongServer } from './primary.ts';

let lines: string[];
let primary: Primary;
beforeEach(() => {
  lines = [];
  const write = (line: string) => void lines.push(line);
  primary = createPrimary(createLog({ level: 'warn', service: 'test', destination: { write } }));
});

const at = (timeline: number, lsn: bigint, changes: Partial<Server> = {}): Server => ({
  cluster: '7001',
  isStandby: false,
  isReadOnly: false,
  position: { timeline, lsn },
  ...changes,
});
/** Checks a new connection as if no write had been acknowledged since the server was queried. */
const admit = (server: Server, observer = {}) =>
  primary.admit(server, { known: primary.acknowledged(), ...observer });
const refusal = (server: Server, observer = {}) => {
  try {
    admit(server, observer);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(WrongServer);
    // Waiting callers get 503 instead of 500.
    expect(isUnavailable(error)).toBe(true);
    return (error as Error).message;
  }
};

test('rejects a read-only server without logging it, because every failover causes this', () => {
  expect(refusal(at(1, 0n, { isStandby: true, position: undefined }))).toMatch(
    /leads to a read-only replica/,
  );
  expect(refusal(at(1, 0n, { isReadOnly: true }))).toMatch(/read-only database/);
  expect(primary.refusal()).toBeUndefined();
  expect(lines).toEqual([]);
});

test('rejects a node of another cluster, and logs one line until the correct node is back', () => {
  expect(refusal(at(1, 10n))).toBeUndefined();
  for (let i = 0; i < 3; i++) expect(refusal(at(5, 999n, { cluster: '7002' }))).toMatch(/another cluster/);
  expect(primary.refusal()).toMatch(/another cluster/);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'error', expected: '7001', found: '7002' });
  expect(refusal(at(1, 11n))).toBeUndefined();
  expect(primary.refusal()).toBeUndefined();
});

describe('after acknowledged writes', () => {
  beforeEach(() => {
    admit(at(3, 100n));
    primary.acknowledge({ timeline: 3, lsn: 200n });
  });

  test('ignores a response to a query that was sent before the write', () => {
    const known = primary.acknowledged();
    primary.acknowledge({ timeline: 3, lsn: 300n });
    primary.admit(at(3, 250n), { known });
    expect(primary.isBehind()).toBe(false);
    expect(lines).toEqual([]);
    admit(at(3, 250n));
    expect(primary.isBehind()).toBe(true);
  });

  test('rejects a former primary on an older timeline, however long its log is', () => {
    admit(at(4, 210n));
    primary.acknowledge({ timeline: 4, lsn: 220n });
    expect(refusal(at(3, 9000n))).toMatch(/former primary/);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', acknowledged: '4:0/DC', found: '3:0/2328' },
    ]);
    expect(primary.isBehind()).toBe(false);
    expect(refusal(at(4, 230n))).toBeUndefined();
  });

  test('accepts a successor that has all writes', () => {
    expect(refusal(at(4, 200n))).toBeUndefined();
    expect([primary.isBehind(), lines]).toEqual([false, []]);
  });

  test.each([
    ['a successor', 4],
    ['the same server', 3],
  ])('uses %s that lacks the last write, with one log line and a permanent alarm', (_, timeline) => {
    expect(refusal(at(timeline, 199n))).toBeUndefined();
    expect(refusal(at(timeline, 5000n))).toBeUndefined();
    expect(primary.isBehind()).toBe(true);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the database has lost acknowledged writes');
  });

  test('reports a write that is acknowledged before another write that began earlier', () => {
    primary.acknowledge({ timeline: 3, lsn: 150n });
    expect(primary.isBehind()).toBe(true);
  });
});

test('accepts only observers while the database does not commit', () => {
  primary.hold(true);
  expect(refusal(at(1, 1n))).toMatch(/does not commit/);
  expect(refusal(at(1, 1n), { isObserver: true })).toBeUndefined();
  primary.hold(false);
  expect(refusal(at(1, 1n))).toBeUndefined();
});
