import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { insertBets, newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { ONE } from '../../../platform/money.ts';
import { createLiveBets, NO_SCENERY } from './live.ts';

let player: Player;
let viewer: Player;
/** Ids for inserted rows. They are higher than the ids of real bets. */
let next: bigint;

const app = fixture(() =>
  startApp({
    reconcileOnStop: false,
    env: { LIVE_BETS_HIGH_ROLLER_USD: '50', LIVE_BETS_LUCKY_MULTIPLIER: '3', BRAND_NAME: 'Goldmine' },
  }),
);
beforeAll(async () => {
  next = (await sql<{ id: bigint }>`select last_value + 2000000000 as id from ledger_ids`.execute(app.db))
    .rows[0]!.id;
  player = await newRealPlayer(app, { usdt: 1000 });
  viewer = await app.newPlayer();
});

type Made = Parameters<typeof insertBets>[1][number];
const insert = async (bet: Omit<Made, 'id' | 'at' | 'userId'> & { userId?: number; id?: bigint }) => {
  const id = bet.id ?? next++;
  await insertBets(app, [{ userId: player.id, at: new Date(), ...bet, id }]);
  return String(id);
};
const idsOf = (rows: readonly { id: string }[]) => rows.map((row) => row.id);
/** Returns the current feed, read by a new instance whose cache is empty. */
const feedOf = async (type: 'ALL' | 'HIGH_ROLLERS' | 'LUCKY_WINS', who = viewer, count = 100) => {
  const { lastPlayed } = app.services.userStats.games;
  const { beside } = app.services.catalogue;
  const thresholds = { highRollerUsd: 50, luckyMultiplier: 3 };
  const live = createLiveBets({
    db: app.services.db,
    beside,
    lastPlayed,
    scenery: NO_SCENERY,
    ...thresholds,
  });
  return live.list(who.id, type, count);
};
const live = (query: string, who = viewer) => who.call('GET', `/live-bets?${query}`);
const mine = (query: string, who = player) => who.call('GET', `/live-bets/my?${query}`);

describe('GET /live-bets', () => {
  test("shows another player's bet within a second and with every field", async () => {
    const { body: bet } = await betOnDice(player, { betAmount: '2' });
    const shown = async () => (await live('type=ALL&count=1')).body[0]?.id;
    await expect.poll(shown, { timeout: 3000 }).toBe(bet.betId);
    const { status, body } = await live('type=ALL&count=1');
    const identity = {
      id: expect.any(Number),
      slug: 'dice',
      name: 'Dice',
      type: 'HOUSE_GAME',
      images: ['/art/tile-dice.svg'],
    };
    expect([status, body]).toEqual([
      200,
      [
        {
          id: bet.betId,
          status: 'SETTLED',
          currencyId: 'USDT',
          amount: '2',
          usdAmount: '2',
          payout: bet.payout,
          usdPayout: bet.payout,
          multiplier: bet.didWin ? 1.98 : 0,
          createdAt: bet.createdAt,
          updatedAt: bet.createdAt,
          user: { id: player.id, username: player.username, avatar: null, vipLevel: 0, isPrivate: false },
          gameIdentity: { ...identity, providerName: null },
          game: {
            ...identity,
            categories: ['HOUSE_GAME'],
            addedAt: expect.stringMatching(/^20.*Z$/),
            lastPlayedAt: bet.createdAt,
            info: null,
            provider: { id: 0, name: 'Goldmine', slug: 'house', images: [] },
          },
        },
      ],
    ]);
    expect(Object.keys(body[0])).not.toContain('outcome');
  });

  test('lists bets at or above the thresholds as high rollers and lucky wins', async () => {
    const small = await insert({ amount: 50n * ONE - 1n });
    const high = await insert({ amount: 50n * ONE });
    const almost = await insert({ amount: 3n, usdAmount: ONE, payout: 8n });
    const lucky = await insert({ amount: 3n, usdAmount: ONE, payout: 9n });
    const both = await insert({ amount: 60n * ONE, payout: 600n * ONE });
    // A large amount of a low-value currency is not a high stake.
    const cheap = await insert({ amount: 1000n * ONE, usdAmount: ONE });
    expect(idsOf(await feedOf('ALL')).slice(0, 6)).toEqual([cheap, both, lucky, almost, high, small]);
    expect(idsOf(await feedOf('HIGH_ROLLERS'))).toEqual([both, high]);
    expect(idsOf(await feedOf('LUCKY_WINS'))).toEqual([both, lucky]);
    expect(idsOf(await feedOf('HIGH_ROLLERS', viewer, 1))).toEqual([both]);
  });

  test('orders bets by settlement time and hides open and failed ones', async () => {
    const usual = { amount: ONE };
    const first = await insert(usual);
    const open = await insert({ ...usual, status: 'CREATED' });
    const second = await insert(usual);
    const wrong = [
      await insert({ ...usual, status: 'ERROR' }),
      await insert({ ...usual, status: 'ROLLBACK' }),
      await insert({ ...usual, status: 'ROLLBACK', settlementId: next++ }),
    ];
    const before = idsOf(await feedOf('ALL'));
    expect(before.indexOf(second)).toBe(before.indexOf(first) - 1);
    for (const id of [open, ...wrong]) expect(before).not.toContain(id);
    await sql`update bets set status = 'SETTLED', settled_at = now(), settlement_id = ${next++} where id = ${open}`.execute(
      app.db,
    );
    const third = await insert(usual);
    const after = idsOf(await feedOf('ALL'));
    const [a, b] = [after.indexOf(third), after.indexOf(open)];
    expect(after.slice(a, a + 4)).toEqual([third, open, second, first]);
    expect(b).toBe(a + 1);
  });

  test('shows private players and streamers as Incognito to others, even if they become private later', async () => {
    const shy = await newRealPlayer(app);
    const id = await insert({ userId: shy.id, amount: 70n * ONE });
    const userOf = async (who: Player) =>
      (await feedOf('HIGH_ROLLERS', who)).find((row) => row.id === id)?.user;
    const known = { id: shy.id, username: shy.username, avatar: null, vipLevel: 0 };
    const hidden = { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };
    expect(await userOf(viewer)).toEqual({ ...known, isPrivate: false });
    for (const field of ['isPrivate', 'isStreamerMode']) {
      expect((await shy.call('PATCH', '/user/me', { body: { [field]: true } })).status).toBe(200);
      expect(await userOf(viewer)).toEqual(hidden);
      expect(await userOf(shy)).toEqual({ ...known, isPrivate: field === 'isPrivate' });
      const own = (await mine('count=1', shy)).body;
      expect(own).toMatchObject([{ id, user: { id: shy.id, username: shy.username } }]);
      expect((await shy.call('PATCH', '/user/me', { body: { [field]: false } })).status).toBe(200);
    }
    expect(await userOf(viewer)).toEqual({ ...known, isPrivate: false });
  });

  test('hides bets of test users and staff', async () => {
    const ids: string[] = [];
    for (const column of ['is_test', 'is_staff'] as const) {
      const somebody = await newRealPlayer(app);
      ids.push(await insert({ userId: somebody.id, amount: 80n * ONE, payout: 800n * ONE }));
      expect(idsOf(await feedOf('HIGH_ROLLERS'))).toContain(ids.at(-1));
      await app.db
        .updateTable('users')
        .set({ [column]: true })
        .where('id', '=', somebody.id)
        .execute();
    }
    for (const type of ['ALL', 'HIGH_ROLLERS', 'LUCKY_WINS'] as const)
      for (const id of ids) expect(idsOf(await feedOf(type))).not.toContain(id);
  });

  test('shows a provider game under its provider with the custom image', async () => {
    const mine = { slug: 'mine', name: 'Mine', origin_name: 'Mine' };
    await app.db
      .insertInto('game_providers')
      .values({ ...mine, id: 7 })
      .execute();
    const images = { images: ['/original.webp'], custom_images: ['/custom.webp'] };
    const of = { provider_id: 7, provider_name: 'Mine', categories: ['SLOTS', 'CRASH'] };
    const slot = { slug: 'gold', name: 'Gold', type: 'SLOTS', ...of, ...images };
    const { id: gameId } = await app.db
      .insertInto('games')
      .values(slot)
      .returning('id')
      .executeTakeFirstOrThrow();
    await app.services.catalogue.state.reload();
    const id = await insert({ gameId, amount: 90n * ONE });
    const row = (await feedOf('HIGH_ROLLERS')).find((bet) => bet.id === id)!;
    const shown = { id: gameId, slug: 'gold', type: 'SLOTS', images: ['/custom.webp'] };
    expect(row.gameIdentity).toMatchObject({ ...shown, providerName: 'Mine' });
    const provider = { id: 7, name: 'Mine', slug: 'mine', images: [] };
    expect(row.game).toMatchObject({ ...shown, categories: ['SLOTS', 'CRASH'], provider });
  });

  test('returns at most 100 of the newest 10,000 bets, shares one read between requests, and retries a failed read', async () => {
    const old = await insert({ amount: 99n * ONE });
    const from = next;
    next += 10_000n;
    const crowd = Array.from({ length: 9_999 }, (_, i) => from + BigInt(i));
    const at = new Date();
    await insertBets(
      app,
      crowd.map((id) => ({ id, userId: player.id, at })),
    );
    expect(idsOf(await feedOf('ALL'))).toEqual(crowd.toReversed().slice(0, 100).map(String));
    expect(idsOf(await feedOf('HIGH_ROLLERS'))).toContain(old);
    await insert({});
    expect(idsOf(await feedOf('HIGH_ROLLERS'))).not.toContain(old);

    let [reads, isBroken] = [0, true];
    const db = new Proxy(app.services.db, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'getExecutor') {
          reads++;
          if (isBroken) throw new Error('the database is gone');
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const lastPlayed = async () => new Map<number, Date>();
    const feed = createLiveBets({
      db,
      lastPlayed,
      scenery: NO_SCENERY,
      beside: () => undefined,
      highRollerUsd: 50,
      luckyMultiplier: 3,
    });
    await expect(feed.list(viewer.id, 'ALL', 1)).rejects.toThrow('the database is gone');
    isBroken = false;
    reads = 0;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => feed.list(i, i % 2 ? 'ALL' : 'LUCKY_WINS', 5)),
    );
    expect(answers[1]).toHaveLength(5);
    const once = reads;
    await Promise.all(Array.from({ length: 50 }, () => feed.list(viewer.id, 'ALL', 5)));
    expect(reads).toBe(once);
    expect(once).toBeLessThanOrEqual(2);
  });

  test('orders bets by settlement time even at the end of a long list', async () => {
    const open = await insert({ status: 'CREATED' });
    await insert({});
    await sql`update bets set status = 'SETTLED', settled_at = now(), settlement_id = ${next++} where id = ${open}`.execute(
      app.db,
    );
    expect(idsOf(await feedOf('ALL'))[0]).toBe(open);
    expect(idsOf((await mine('count=2')).body)[0]).toBe(open);
  });

  test.each([
    'count=1',
    'type=ALL',
    'type=all&count=1',
    'type=ALL&count=0',
    'type=ALL&count=101',
    'type=ALL&count=1.5',
    'type=ALL&count=x',
    'type=ALL&type=ALL&count=1',
    'type=ALL&count=1&more=1',
  ])('rejects the query ?%s', async (query) => {
    expect((await live(query)).body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });
});

describe('GET /live-bets/my', () => {
  test('lists the newest bets first without inputs and outcome', async () => {
    const own = await newRealPlayer(app, { usdt: 100 });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      made.unshift((await betOnDice(own)).body.betId);
      const { status, body } = await mine('count=3', own);
      expect([status, idsOf(body)]).toEqual([200, made.slice(0, 3)]);
    }
    const { body } = await mine('status=SETTLED&count=100', own);
    expect(idsOf(body)).toEqual(made);
    for (const row of body) {
      const fields = [
        'amount',
        'createdAt',
        'currencyId',
        'game',
        'gameIdentity',
        'id',
        'multiplier',
        'payout',
      ];
      const others = ['status', 'updatedAt', 'usdAmount', 'usdPayout', 'windowId', 'user'];
      expect(new Set(Object.keys(row))).toEqual(new Set([...fields, ...others]));
      expect(Object.keys(row.game)).not.toContain('outcome');
    }
    expect(idsOf((await mine('count=100', viewer)).body)).toEqual([]);
  });

  test('lists bets in the other states, and shows only the stake of an open round', async () => {
    const own = await newRealPlayer(app);
    const ids: Record<string, string> = {};
    for (const status of ['CREATED', 'ERROR', 'ROLLBACK', 'SETTLED'])
      ids[status] = await insert({ userId: own.id, status, errorReason: 'a secret of ours' });
    await sql`update bets set inputs = '{"hidden": 1}', outcome = '{"bombs": [7]}' where id = ${ids.CREATED}`.execute(
      app.db,
    );
    for (const [status, id] of Object.entries(ids)) {
      const answer: Answer = await mine(`status=${status}&count=10`, own);
      expect(answer.body).toMatchObject([{ id, status }]);
      expect(answer.text).not.toMatch(/secret|hidden|bombs/);
      const listed = await own.call('GET', `/bets?status=${status}`);
      expect(listed.body).toMatchObject({ total: 1, data: [{ id, status }] });
      expect(listed.text).not.toMatch(/secret|hidden|bombs/);
    }
    const info = await own.call('GET', `/bets/house-games/info/${ids.CREATED}`);
    expect([info.status, info.body.code]).toEqual([404, 'BET_NOT_FOUND']);
  });

  test.each(['', 'count=0', 'count=101', 'status=settled&count=1', 'type=ALL&count=1'])(
    'rejects the query ?%s',
    async (query) => {
      expect((await mine(query)).body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
    },
  );

  test('requires a session for both feeds', async () => {
    for (const path of ['/live-bets?type=ALL&count=1', '/live-bets/my?count=1'])
      expect((await app.call('GET', path)).body).toMatchObject({ statusCode: 401, code: 'UNAUTHORIZED' });
  });
});
