import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepAlive } from '../crash/client.ts';
import { type Attempt, bet, createPlayers, type LoadPlayer, startLoad } from '../crash/load.ts';
import { times } from '../kit/length.ts';
import {
  expectNothingLost,
  newName,
  type Platform,
  startPlatform,
  tellOnFailure,
  underLoad,
} from './platform.ts';

const SECONDS = times('CLUSTER_OVERLOAD_SECONDS', 6, 30);
/**
 * Limits for an otherwise idle machine (CLUSTER_QUIET=true). If other programs use the processors, rejecting a request takes as long as
 * processing it. The test then only requires that the platform does not collapse and rejects bets long before their deadline.
 */
const WANTED =
  process.env.CLUSTER_QUIET === 'true'
    ? { refusalMs: 50, goodput: 0.8, after: 0.95 }
    : { refusalMs: 500, goodput: 0.2, after: 0.6 };
/**
 * The limit for recovery is ten seconds: one second until recovery begins, and three measurement windows. Two of the windows may fail
 * because the machine stalls.
 */
const WINDOWS = 3;
const WINDOW_MS = 3000;
const CLIENTS = 48;
const BATCH = 4;
const BATCH_MS = 40;
/** Maximum number of bets per second that the database can store. */
const CAPACITY = (BATCH / BATCH_MS) * 1000;

let platform: Platform;
let players: LoadPlayer[];
/** Bets of all tests in this file. */
const history: Attempt[] = [];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({ parts: ['api'], settings: { BET_BATCH: String(BATCH) } });
  players = await createPlayers(platform.cluster.balanced('api'), Array(CLIENTS).fill(100_000));
  // Small batches with a delay make the database the bottleneck on a machine of any speed.
  await platform.onDb((db) =>
    sql
      .raw(`create function dawdle() returns trigger language plpgsql as
        $$ begin perform pg_sleep(${BATCH_MS / 1000}); return null; end $$;
        create trigger dawdle before insert on bets for each statement execute function dawdle()`)
      .execute(db),
  );
}, 120_000);
afterAll(() => platform?.stop());

/** Returns the acknowledged bets per second in the best measurement window. The clients wait for each response. */
async function pace(name: string): Promise<number> {
  const { cluster, random } = platform;
  const targets = () => cluster.urlsOf('api');
  const load = startLoad({ targets, players, clients: CLIENTS, hot: 0, random, name });
  const done = () => load.history.filter(({ outcome }) => outcome === 'ok').length;
  return underLoad(load, history, async () => {
    await sleep(1000);
    let best = 0;
    for (let i = 0; i < WINDOWS; i++) {
      const [before, began] = [done(), performance.now()];
      await sleep(WINDOW_MS);
      best = Math.max(best, ((done() - before) / (performance.now() - began)) * 1000);
    }
    return best;
  });
}

/** Sends this many bets per second without waiting for responses. */
async function flood(perSecond: number, seconds: number): Promise<Attempt[]> {
  const { cluster } = platform;
  const agent = keepAlive();
  const attempts: Promise<Attempt>[] = [];
  const name = newName('flood');
  const began = performance.now();
  for (let due = 0; performance.now() - began < seconds * 1000; await sleep(5)) {
    for (; due < ((performance.now() - began) / 1000) * perSecond; due++) {
      const player = players[due % players.length]!;
      const tag = `${name}-${due}`;
      attempts.push(bet({ url: cluster.urlOf('api'), agent, player, tag, key: `key-${tag}` }));
    }
  }
  const answered = await Promise.all(attempts);
  agent.destroy();
  return answered;
}

test(`rejects excess requests immediately at four times its capacity for ${SECONDS} s, and recovers afterwards`, async () => {
  const peak = await pace('before');
  const began = performance.now();
  const flooded = await flood(4 * Math.max(peak, CAPACITY), SECONDS);
  for (const attempt of flooded) history.push(attempt);
  const ends = began + SECONDS * 1000;
  // The first second of the overload is excluded from the comparison.
  const during = flooded.filter(({ sentAt, ms }) => sentAt + ms > began + 1000 && sentAt + ms < ends);
  const goodput = during.filter(({ outcome }) => outcome === 'ok').length / (SECONDS - 1);
  const refused = during.filter(({ said }) => /^(503|429)/.test(said)).map(({ ms }) => ms);
  const median = refused.toSorted((a, b) => a - b)[Math.floor(refused.length / 2)]!;
  const after = await pace('after');
  const round = Math.round;
  const answers = Object.entries(Object.groupBy(during, ({ said }) => said));
  console.log(answers.map(([said, all]) => `${all!.length} × ${said}`).join(', '));
  console.log(
    `peak ${round(peak)}/s; sent ${round(flooded.length / SECONDS)}/s: ${round(goodput)}/s made, ${refused.length} refused, median ${median?.toFixed(1)} ms; after ${round(after)}/s`,
  );
  expect(flooded.length).toBeGreaterThan(2 * peak * SECONDS);
  expect(refused.length).toBeGreaterThan(peak);
  expect(median).toBeLessThanOrEqual(WANTED.refusalMs);
  expect(goodput).toBeGreaterThanOrEqual(WANTED.goodput * peak);
  expect(after).toBeGreaterThanOrEqual(WANTED.after * peak);
  await expectNothingLost(platform, history, players);
}, 180_000);
