/** A series whose database connection fails during a commit. Bets with an unknown outcome must not be reported as rejected. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cashOf, DICE, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type FaultProxy, startFaultProxy } from '../../../../test/kit/processes/fault-proxy.ts';

type Fault = { batch: number; side: 'before' | 'after' };
const BATCH = 4;

let proxy: FaultProxy;
/** A second process of the same platform. Its connections fail on command. */
let frail: TestApp;
let fault: Fault | undefined;
let batches = 0;

const app = fixture(startApp);
beforeAll(async () => {
  const { searchParams } = new URL(app.database.url.replace('@/', '@socket/'));
  proxy = await startFaultProxy({
    target: { path: `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}` },
    watch(chunk, direction) {
      if (!fault) return true;
      const isCommitted = direction === 'reply' && chunk.includes('COMMIT\0');
      if (direction === 'request' && chunk.includes('bets.insert-settled')) batches++;
      else if (!isCommitted) return true;
      const breaks = batches === fault.batch && isCommitted === (fault.side === 'after');
      if (breaks) breakDown();
      return !breaks;
    },
  });
  frail = await startApp({
    database: app.database,
    databaseUrl: `postgres://croupier@127.0.0.1:${proxy.port}/${app.database.name}`,
    env: { BET_BATCH: String(BATCH), BET_LANES: '1' },
  });
});
afterEach(() => {
  fault = undefined;
});
// The books must balance at the end: reconcile runs when the app stops.
afterAll(async () => {
  await frail.stop();
  await proxy.stop();
});

/** Closes every connection once; later connections work. */
function breakDown(): void {
  fault = undefined;
  setImmediate(() => {
    proxy.mode('reset');
    proxy.mode('pass');
  });
}
function arm(next: Fault): void {
  batches = 0;
  fault = next;
}

const series = (player: Player, count: number, key?: string, through = frail) =>
  through.call('POST', '/casino/games/house/dice/series', {
    token: player.token,
    body: { ...DICE, count },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const made = async (player: Player): Promise<number> => (await player.call('GET', '/bets')).body.total;

describe("a connection failure during the second batch's commit", () => {
  test.each<[string, Fault['side'], number]>([
    ['before the commit arrives, so no uncertain bet was placed', 'before', 5],
    ['after the commit, so all uncertain bets were placed', 'after', 9],
  ])(
    'reports uncertain bets as unknown, and returns their outcomes when the key is repeated: %s',
    async (_, side, there) => {
      const player = await app.newPlayer({ usdt: 1000 });
      const key = randomUUID();
      // With a key, the first bet is sent separately, so the batches have 1, 4 and 4 bets.
      arm({ batch: 3, side });
      const { status, body } = await series(player, 9, key);
      expect([status, body.bets.length, body.refused, body.unknown]).toEqual([201, 5, null, BATCH]);
      await expect.poll(() => made(player)).toBe(there);

      const again = await series(player, 9, key);
      expect([again.status, again.body.refused, again.body.unknown]).toEqual([201, null, 0]);
      expect(again.body.bets.slice(0, 5)).toEqual(body.bets);
      expect(new Set(again.body.bets.map(({ betId }: { betId: string }) => betId)).size).toBe(9);
      expect(await made(player)).toBe(9);
      // Sending the same request to another process places no bet.
      expect((await series(player, 9, key, app)).body).toEqual(again.body);
      const paid = again.body.bets.reduce(
        (sum: number, bet: { payout: string }) => sum + Number(bet.payout),
        0,
      );
      expect(Number(await cashOf(player))).toBeCloseTo(1000 - 9 + paid, 6);
    },
  );
});

test('returns 503 BET_OUTCOME_UNKNOWN when no outcome is certain, with and without a key', async () => {
  for (const key of [undefined, randomUUID()]) {
    const player = await app.newPlayer({ usdt: 1000 });
    arm({ batch: 1, side: 'after' });
    const { status, body } = await series(player, BATCH, key);
    expect([status, body.code]).toEqual([503, 'BET_OUTCOME_UNKNOWN']);
    await expect.poll(() => made(player)).toBe(key === undefined ? BATCH : 1);
    if (key === undefined) continue;
    expect((await series(player, BATCH, key)).body).toMatchObject({ unknown: 0, refused: null });
    expect(await made(player)).toBe(BATCH);
  }
});

test('reports both rejected and unknown bets in a series', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const limit = { type: 'WAGER', period: 'DAY', amount: '6' };
  expect((await player.call('POST', '/user-limits/gambling-limits', { body: limit })).status).toBe(201);
  arm({ batch: 3, side: 'after' });
  const key = randomUUID();
  const { status, body } = await series(player, 12, key);
  // Batches of one and four bets are placed, the failing batch contains one more bet, and the last three exceed the limit.
  expect([status, body.bets.length, body.refused?.code, body.unknown]).toEqual([
    201,
    5,
    'LIMIT_REACHED',
    BATCH,
  ]);
  const again = (await series(player, 12, key)).body;
  expect([again.bets.length, again.refused?.code, again.unknown]).toEqual([6, 'LIMIT_REACHED', 0]);
  expect(await made(player)).toBe(6);
});
