import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGames } from '../chaos/games.ts';
import { type Attempt, createPlayers, type LoadPlayer, startLoad } from '../crash/load.ts';
import { times } from '../kit/length.ts';
import type { Person } from '../kit/processes/visitors.ts';
import {
  expectNothingLost,
  type Platform,
  startPlatform,
  startRounds,
  tellOnFailure,
  together,
  underLoad,
} from './platform.ts';

const KILLS = times('CLUSTER_KILLS', 9, 50);
const PEOPLE = 10;

let platform: Platform;
let players: LoadPlayer[];
let people: Person[];
/** Bets of all tests in this file. */
const history: Attempt[] = [];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform();
  players = await createPlayers(platform.cluster.balanced('api'), Array(40).fill(100_000));
  people = await createPlayers(platform.cluster.balanced('api'), Array(PEOPLE).fill(10_000));
  await startRounds(platform);
}, 120_000);
afterAll(() => platform?.stop());

test(`loses or duplicates no bet, and keeps serving, when processes of every kind are killed ${KILLS} times under load`, async () => {
  const { cluster, random } = platform;
  const targets = () => [cluster.balanced('api')];
  const load = startLoad({ targets, players, clients: 12, hot: 2, random, name: 'kill' });
  const games = createGames({ insist: platform.insist, people }, random);
  let isOver = false;
  const play = async (person: Person) => {
    for (; !isOver; await sleep(20)) await games.play(person);
  };

  // Kills each process once, then random ones.
  const each = cluster.names.toSorted(() => random() - 0.5);
  const killed: string[] = [];
  const killAll = async () => {
    try {
      for (let i = 0; i < KILLS; i++) {
        await sleep(300 + 700 * random());
        const name = each[i] ?? each[Math.floor(random() * each.length)]!;
        await cluster.kill(name);
        killed.push(name);
        await sleep(500 * random());
        await cluster.heal();
      }
    } finally {
      isOver = true;
      await cluster.heal();
    }
  };
  await underLoad(load, history, () => together(killAll(), ...people.map(play)));
  await games.resumeAll();

  console.log(`killed ${killed.join(' ')}: ${load.history.length} bets, ${JSON.stringify(games.counts)}`);
  expect(load.history.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(100 * KILLS);
  // The second process of the same kind serves requests, so no request has to wait for the killed process.
  expect(longestSilence(load.history)).toBeLessThan(3000);
  await expectNothingLost(platform, history, players);
}, 600_000);

test('runs every speed-roulette round once and settles its bets with either worker', async () => {
  const { cluster, onDb, insist, random } = platform;
  const rounds = () =>
    onDb(async (db) => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from speed_rounds`.execute(db);
      return rows[0]!.n;
    });
  for (const worker of ['worker-1', 'worker-2', 'worker-1']) {
    await cluster.kill(worker);
    try {
      const before = await rounds();
      for (const { token } of people)
        await insist('POST', '/casino/games/house/speed-roulette/bet', {
          token,
          body: { currencyId: 'USDT', betAmount: '1', color: random() < 0.5 ? 'RED' : 'BLACK' },
          headers: { 'idempotency-key': crypto.randomUUID() },
        });
      await expect.poll(rounds, { timeout: 20_000, interval: 100 }).toBeGreaterThan(before + 1);
    } finally {
      await cluster.heal();
    }
  }
  await onDb(async (db) => {
    const { rows: gaps } = await sql`
      select chain_id, max(position) as last, count(*) as played from speed_rounds group by 1 having max(position) <> count(*)`.execute(
      db,
    );
    expect(gaps).toEqual([]);
    // According to the database clock, each round begins only after the previous one has ended.
    const { rows: overlaps } = await sql`
      select id from (select id, started_at, lag(ends_at) over (order by id) as ended from speed_rounds) r
      where started_at < ended`.execute(db);
    expect(overlaps).toEqual([]);
    const { rows: voided } = await sql`select id from speed_rounds where phase = 'VOID'`.execute(db);
    expect(voided).toEqual([]);
  });
  await expectNothingLost(platform, history, players);
}, 180_000);

/** Returns the longest time without an acknowledged bet, in milliseconds. */
function longestSilence(history: readonly { outcome: string; sentAt: number; ms: number }[]): number {
  const at = history
    .filter(({ outcome }) => outcome === 'ok')
    .map(({ sentAt, ms }) => sentAt + ms)
    .sort((a, b) => a - b);
  return at.reduce((most, time, i) => Math.max(most, time - (at[i - 1] ?? time)), 0);
}
