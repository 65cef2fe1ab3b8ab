import { createHash, createHmac } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const seeds = async ({ call }: Player) => (await call('GET', '/fairness/seeds')).body;
const rotate = ({ call }: Player, body: object = {}) => call('POST', '/fairness/seeds/rotate', { body });
const history = async ({ call }: Player, query = '') =>
  (await call('GET', `/fairness/seeds/history${query}`)).body;

/** A second implementation of the published scheme, which uses none of the service's code. */
function independentRoll(serverSeed: string, clientSeed: string, nonce: number): number {
  const block = createHmac('sha256', serverSeed).update(`${clientSeed}:${nonce}:0`, 'utf8').digest();
  return Number((BigInt(block.readUInt32BE(0)) * 10_001n) / 4_294_967_296n) / 100;
}
const sha256 = (text: string) => createHash('sha256').update(text, 'ascii').digest('hex');

describe('seeds', () => {
  test('creates two seed commitments, a client seed and nonce 0 for a new player', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const first = await seeds(player);
    expect(first).toEqual({
      serverSeedHash: HASH,
      nextServerSeedHash: HASH,
      clientSeed: expect.stringMatching(/^[0-9a-f]{16}$/),
      clientSeedOrigin: 'SERVER',
      nonce: 0,
      createdAt: TIME,
      openRounds: [],
    });
    await betOnDice(player);
    expect(await seeds(player)).toEqual({ ...first, nonce: 1 });
    expect((await betOnDice(player, { betAmount: '999' })).status).toBe(400);
    expect(await seeds(player)).toEqual({ ...first, nonce: 1 });
    const hashes = [first, await seeds(await app.newPlayer())].flatMap((s) => [
      s.serverSeedHash,
      s.nextServerSeedHash,
    ]);
    expect(new Set(hashes).size).toBe(4);
  });

  test('reveals the committed seed on rotation, activates the announced seed and announces another', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    for (let i = 0; i < 3; i++) await betOnDice(player);
    const before = await seeds(player);
    const clientSeed = ' My own seed: ~! ';
    const { status, body } = await rotate(player, { clientSeed });
    expect([status, body]).toEqual([
      201,
      {
        revealed: {
          serverSeed: HASH,
          serverSeedHash: before.serverSeedHash,
          clientSeed: before.clientSeed,
          clientSeedOrigin: 'SERVER',
          lastNonce: 2,
          rotatedAt: TIME,
        },
        active: {
          serverSeedHash: before.nextServerSeedHash,
          nextServerSeedHash: HASH,
          clientSeed,
          clientSeedOrigin: 'PLAYER',
          nonce: 0,
          createdAt: TIME,
          openRounds: [],
        },
      },
    ]);
    expect(sha256(body.revealed.serverSeed)).toBe(before.serverSeedHash);
    expect(body.active.nextServerSeedHash).not.toBe(before.nextServerSeedHash);
    expect(await seeds(player)).toEqual(body.active);
    const { body: unused } = await rotate(player);
    expect(unused.revealed).toMatchObject({ lastNonce: -1, clientSeed });
    expect(unused.active).toMatchObject({ clientSeed, clientSeedOrigin: 'PLAYER' });
  });

  test.each(['', 'x'.repeat(65), 'ü', 'a\nb', '\u007f', 'a\0', 7, null, ['x']])(
    'rejects a client seed like %j and does not rotate',
    async (clientSeed) => {
      const player = await app.newPlayer();
      const before = await seeds(player);
      const { status, body } = await rotate(player, { clientSeed });
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(await seeds(player)).toEqual(before);
      expect((await history(player)).total).toBe(0);
    },
  );

  test('accepts up to 64 printable characters as client seed', async () => {
    const player = await app.newPlayer();
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 0x20 + i));
    for (const clientSeed of [printable.slice(0, 64), printable.slice(-64), 'x']) {
      expect((await rotate(player, { clientSeed })).body.active.clientSeed).toBe(clientSeed);
    }
  });

  test("lists the player's revealed seed pairs in both sort orders, in pages, and filtered by hash", async () => {
    const player = await app.newPlayer();
    const revealed = [];
    for (let i = 0; i < 5; i++)
      revealed.push((await rotate(player, { clientSeed: `seed ${i}` })).body.revealed);
    await rotate(await app.newPlayer());
    const page = (data: object[], take: number, at: number, total = 5) => {
      return { data, take, page: at, total, totalPages: Math.ceil(total / take) };
    };
    expect(await history(player)).toEqual(page(revealed.toReversed(), 20, 1));
    expect(await history(player, '?sortOrder=asc&sortBy=rotatedAt')).toEqual(page(revealed, 20, 1));
    expect(await history(player, '?take=2&page=2')).toEqual(page([revealed[2], revealed[1]], 2, 2));
    expect(await history(player, '?take=2&page=3')).toEqual(page([revealed[0]], 2, 3));
    expect(await history(player, '?take=2&page=4')).toEqual(page([], 2, 4));
    expect(await history(player, '?page=9007199254740991')).toEqual(page([], 20, 9007199254740991));
    const { serverSeedHash } = revealed[3];
    expect(await history(player, `?serverSeedHash=${serverSeedHash}`)).toEqual(page([revealed[3]], 20, 1, 1));
    const { serverSeedHash: active } = await seeds(player);
    for (const hash of [active, 'none', "'"])
      expect((await history(player, `?serverSeedHash=${hash}`)).total).toBe(0);
    for (const query of ['?take=21', '?take=0', '?page=0', '?sortBy=id', '?serverSeed=x'])
      expect((await history(player, query)).code).toBe('VALIDATION_FAILED');
  });
});

test('marks the client seed as server-generated until the player sends one', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const [first, bet] = [await seeds(player), (await betOnDice(player)).body];
  const { active } = (await rotate(player)).body;
  expect(active).toMatchObject({ clientSeed: first.clientSeed, clientSeedOrigin: 'SERVER' });
  expect((await app.call('GET', `/fairness/bets/${bet.betId}`)).body.clientSeedOrigin).toBe('SERVER');
  await app.sql`update seed_pairs set client_seed_origin = null where user_id = ${player.id}`.execute(app.db);
  expect(await seeds(player)).toMatchObject({ clientSeedOrigin: 'SERVER' });
});

describe('bets', () => {
  const proof = (id: string) => app.call('GET', `/fairness/bets/${id}`);

  test('shows the commitment to everyone immediately and the seed after the reveal, so that anyone can verify a bet', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await rotate(player, { clientSeed: 'checked by hand' });
    const { serverSeedHash } = await seeds(player);
    const bets = [];
    for (let i = 0; i < 4; i++) bets.push((await betOnDice(player, { threshold: 20.5 + i })).body);
    const hidden = { serverSeed: null, verified: null };
    const outcomeOf = (bet: any) => ({
      randomValue: bet.randomValue,
      didWin: bet.didWin,
      // The proof contains the multiplier on offer, even for a lost bet.
      multiplier: bet.offeredMultiplier ?? bet.multiplier,
    });
    const expected = bets.map((bet, nonce) => ({
      betId: bet.betId,
      game: 'dice',
      algorithmVersion: '1',
      serverSeedHash,
      clientSeed: 'checked by hand',
      clientSeedOrigin: 'PLAYER',
      nonce,
      rtpBp: 9900,
      inputs: { threshold: 20.5 + nonce, above: true },
      outcome: outcomeOf(bet),
      round: null,
    }));
    for (const bet of expected) expect((await proof(bet.betId)).body).toEqual({ ...bet, ...hidden });
    const { serverSeed } = (await rotate(player)).body.revealed;
    for (const bet of expected) {
      const { status, body } = await proof(bet.betId);
      expect([status, body]).toEqual([200, { ...bet, serverSeed, verified: true }]);
      expect(sha256(body.serverSeed)).toBe(body.serverSeedHash);
      const roll = independentRoll(body.serverSeed, body.clientSeed, body.nonce);
      expect([body.outcome.randomValue, body.outcome.didWin]).toEqual([roll, roll > body.inputs.threshold]);
    }
  });

  test('reports a bet as unverified when the stored outcome or inputs were altered', async () => {
    const other = await startApp({ reconcileOnStop: false });
    const player = await other.newPlayer({ usdt: 10 });
    const { betId } = (await betOnDice(player)).body;
    await rotate(player);
    const verifiedWith = async (change: RawBuilder<unknown>) => {
      await sql`update bets set ${change} where id = ${BigInt(betId)}`.execute(other.db);
      return (await other.call('GET', `/fairness/bets/${betId}`)).body.verified;
    };
    expect(await verifiedWith(sql`outcome = outcome`)).toBe(true);
    for (const inputs of ['{"threshold": 51, "above": true}', '{"threshold": 200, "above": true}', '{}'])
      expect(await verifiedWith(sql`inputs = ${inputs}::json`)).toBe(false);
    expect(await verifiedWith(sql`inputs = '{"threshold": 50, "above": true}'`)).toBe(true);
    const outcome = '{"randomValue": 100, "didWin": true, "multiplier": 1.98}';
    expect(await verifiedWith(sql`outcome = ${outcome}::json`)).toBe(false);
    await other.stop();
  });

  test('returns 404 for unknown bet ids of any form', async () => {
    for (const id of [
      '1',
      '9223372036854775807',
      '9223372036854775808',
      '0',
      '-1',
      '1e3',
      '01',
      'x',
      '%20',
      '1'.repeat(64),
    ])
      expect(await proof(id)).toMatchObject({ status: 404, body: { code: 'BET_NOT_FOUND' } });
    for (const id of ['1'.repeat(65), '%00', '%2F', '']) expect((await proof(id)).status).toBe(404);
  });
});
