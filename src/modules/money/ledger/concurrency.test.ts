import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DICE, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { postingsOf } from '../../../../test/kit/money/postings.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { post } from './post.ts';
import type { Entry } from './write.ts';

const RUN_MS = 7000;
const AT_ONCE = 64;

let apps: TestApp[];
let players: Player[];
beforeAll(async () => {
  // The timeouts are long, so that a slow machine is not mistaken for a deadlock: 64 callers queue for 8 players.
  const patience = ['DATABASE_CONNECT_TIMEOUT_MS', 'DATABASE_STATEMENT_TIMEOUT_MS', 'BET_DEADLINE_MS'];
  const env = { DATABASE_POOL_SIZE: '24', ...Object.fromEntries(patience.map((name) => [name, '15000'])) };
  const first = await startApp({ env });
  apps = [first, await startApp({ env, database: first.database })];
  players = await Promise.all(Array.from({ length: 8 }, () => first.newPlayer({ usdt: 1000 })));
});
afterAll(async () => {
  for (const app of apps.toReversed()) await app.stop();
});

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
const amount = () => BigInt(1 + Math.floor(Math.random() * 1000)) * (ONE / 100n);
const postingOf = postingsOf('test.tip');

/** Moves money between two players through the platform's account for tips. */
function tip(from: Player, to: Player): Entry {
  const given = amount();
  const postings = [postingOf(from.id, 'cash', 'tips', given), postingOf(to.id, 'tips', 'cash', given)];
  return { key: `tip:${randomUUID()}`, kind: 'test.tip', postings };
}

/** Returns two different players in random order. */
function pair(): [Player, Player] {
  const from = any(players);
  return [from, any(players.filter((p) => p !== from))];
}

const OPERATIONS: Record<string, (app: TestApp) => Promise<string>> = {
  async tip({ services: { db } }) {
    await transaction(db, (tx) => post(tx, [tip(...pair())]));
    return 'done';
  },
  async 'tip with a key'({ services: { db } }) {
    const [from, to] = pair();
    const request = { userId: from.id, key: randomUUID(), operation: 'tip', input: { to: to.id } };
    const pay = async (tx: Tx) => (await post(tx, [tip(from, to)])).length;
    await runIdempotently(db, { ...request, alsoLocks: [to.id] }, pay);
    return 'done';
  },
  async 'a chain of tips'({ services: { db } }) {
    const [a, b, c] = [any(players), any(players), any(players)];
    const chain = [tip(a, b), tip(b, c), tip(c, a)];
    await transaction(db, (tx) => post(tx, chain));
    return 'done';
  },
  async 'a vault move'(app) {
    const body = { currencyId: 'USDT', amount: '1.5' };
    const route = any(['to-vault', 'from-vault']);
    const { token } = any(players);
    const answer = await app.call('POST', `/accounting/${route}`, { token, body });
    return answer.status === 201 ? 'done' : answer.body.code;
  },
  async 'a bet'(app) {
    const { token } = any(players);
    const answer = await app.call('POST', '/casino/games/house/dice/bet', { token, body: DICE });
    return answer.status === 201 ? 'done' : answer.body.code;
  },
};

/** Runs random operations for a while and counts their outcomes. */
async function run(): Promise<Map<string, number>> {
  const until = performance.now() + RUN_MS;
  const outcomes = new Map<string, number>();
  const worker = async () => {
    while (performance.now() < until) {
      const [name, operate] = any(Object.entries(OPERATIONS));
      const ended = await operate(any(apps)).catch((error: Error & { code?: string }) =>
        error instanceof AppError ? error.code : `${error.code}: ${error.message}`,
      );
      const outcome = `${name}: ${ended}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

test('never deadlocks when 8 players tip, move money and bet through two processes', async () => {
  const outcomes = await run();
  for (const name of Object.keys(OPERATIONS))
    expect(outcomes.get(`${name}: done`) ?? 0, name).toBeGreaterThan(20);
  // A bet that has waited 1.5 s in its player's queue is rejected with 503, so that the queue can continue.
  const expected = /: done$|: INSUFFICIENT_(BALANCE|VAULT)$|^a bet: SERVICE_UNAVAILABLE$/;
  expect([...outcomes].filter(([outcome]) => !expected.test(outcome))).toEqual([]);
  // Retries would hide a deadlock from callers, but the database's statistics include all deadlocks.
  await sql`select pg_stat_force_next_flush()`.execute(apps[0]!.db);
  const { rows } =
    await sql`select deadlocks from pg_stat_database where datname = current_database()`.execute(apps[0]!.db);
  expect(rows).toEqual([{ deadlocks: 0n }]);
});
