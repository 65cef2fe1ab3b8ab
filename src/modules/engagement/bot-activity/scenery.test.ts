import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { type Account, startBots } from '../../../../test/kit/engagement/bots.ts';
import {
  begin,
  framesOf,
  listening,
  newFeed,
  readUntil,
  toldAgain,
} from '../../../../test/kit/engagement/feed.ts';
import { liftLimits } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { assertConforms } from '../../../../test/kit/http/conforms.ts';
import { fingerprint } from '../../../../test/kit/http/fingerprint.ts';
import { betConsumers } from '../../../app/worker.ts';
import { deleteDue } from '../../../platform/jobs/purge.ts';
import { ROWS_EXPIRY } from './service.ts';

const world = fixture(startBots);
const off = fixture(() => startApp({ database: world.database, env: { BOT_ACTIVITY: 'off' } }));
let player: Player;
let viewer: Player;
let bot: Account;
beforeAll(async () => {
  player = await newRealPlayer(world.app, { usdt: 10_000 });
  viewer = await world.newPlayer();
  bot = await world.newActiveBot();
});
beforeEach(() => sql`delete from simulated_bets`.execute(world.db));

const feed = async (query: string, app: TestApp = world.app) => {
  const { status, body } = await app.call('GET', `/live-bets?${query}`, { token: viewer.token });
  expect(status).toBe(200);
  return body as any[];
};
const bet = async () => {
  const { status, body } = await betOnDice(player, { betAmount: '0.1' });
  expect(status).toBe(201);
  return body.betId as string;
};
const bets = async (count: number) => {
  let last = '';
  for (let n = 0; n < count; n++) last = await bet();
  return last;
};
const isScenery = (row: { id: string }) => row.id.startsWith('sim-');
/** Waits until the feed shows a bet and returns the whole feed. */
const feedWith = async (betId: string, app?: TestApp) => {
  let rows: any[] = [];
  await expect
    .poll(async () => {
      rows = await feed('type=ALL&count=100', app);
      return rows.some(({ id }) => id === betId);
    })
    .toBe(true);
  return rows;
};

describe('GET /live-bets', () => {
  test('marks simulated rows, and returns all fields of a bet for them', async () => {
    await world.showRows(bot.id, 1);
    const row = (await feedWith(await bets(4)))[4];
    const [stored] = await world.rowsOf(bot.id);
    // Makes the simulated row older than the four bets.
    const at = stored!.created_at.toISOString();
    const identity = {
      id: 1,
      slug: 'dice',
      name: 'Dice',
      type: 'HOUSE_GAME',
      images: ['/art/tile-dice.svg'],
    };
    expect(row).toEqual({
      id: `sim-${stored!.id}`,
      isSimulated: true,
      status: 'SETTLED',
      currencyId: 'USDT',
      amount: '1',
      payout: '1.98',
      usdAmount: '1',
      usdPayout: '1.98',
      multiplier: 1.98,
      createdAt: at,
      updatedAt: at,
      user: { id: bot.id, username: bot.username, avatar: null, vipLevel: 0, isPrivate: false },
      gameIdentity: { ...identity, providerName: null },
      game: {
        ...identity,
        categories: ['HOUSE_GAME'],
        addedAt: expect.any(String),
        lastPlayedAt: null,
        info: null,
        provider: expect.objectContaining({ slug: 'house' }),
      },
    });
    for (const path of ['/bets/house-games/info', '/bets/slots/info'])
      expect(codeOf(await player.call('GET', `${path}/${row.id}`))).toBe('404 BET_NOT_FOUND');
  });

  test('limits simulated rows to one in five rows on pages of any length', async () => {
    const turns = fc.sample(fc.record({ bets: fc.nat(6), scenery: fc.nat(4) }), { seed: 5, numRuns: 25 });
    let last = '';
    for (const turn of turns) {
      if (turn.scenery > 0) await world.showRows(bot.id, turn.scenery);
      if (turn.bets > 0) last = await bets(turn.bets);
    }
    const whole = await feedWith(last);
    expect(whole.filter(isScenery).length).toBeGreaterThanOrEqual(10);
    expect(whole.filter(isScenery).every(({ isSimulated }) => isSimulated === true)).toBe(true);
    expect(whole.filter((row) => !isScenery(row)).every((row) => !('isSimulated' in row))).toBe(true);
    for (let count = 1; count <= 100; count++) {
      const rows = await feed(`type=ALL&count=${count}`);
      expect(rows).toHaveLength(Math.min(count, whole.length));
      expect(rows.filter(isScenery).length * 5, `of ${count}`).toBeLessThanOrEqual(rows.length);
    }
    // Rows are ordered by position, and every process returns the same rows.
    const positions = whole.map(({ id }) => BigInt(id.replace('sim-', '')));
    expect(positions).toEqual(positions.toSorted((a, b) => Number(b - a)));
    const elsewhere = await startApp({ database: world.database });
    expect((await feedWith(last, elsewhere)).map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    await elsewhere.stop();
  });

  test('excludes simulated rows from the lists of high rollers, lucky wins and own bets', async () => {
    await world.showRows(bot.id, 20);
    await sql`update simulated_bets set usd_amount = 1e13::int8, payout = amount * 1000`.execute(world.db);
    await feedWith(await bets(20));
    for (const type of ['HIGH_ROLLERS', 'LUCKY_WINS'])
      expect((await feed(`type=${type}&count=100`)).filter(isScenery)).toEqual([]);
    expect((await player.call('GET', '/live-bets/my?count=100')).body.filter(isScenery)).toEqual([]);
  });

  test('shows no simulated rows with BOT_ACTIVITY off, including earlier ones', async () => {
    await world.showRows(bot.id, 5);
    const last = await bets(25);
    expect((await feedWith(last)).filter(isScenery)).toHaveLength(5);
    expect((await feedWith(last, off as TestApp)).filter(isScenery)).toEqual([]);
  });

  test.each<[string, (userId: number) => Promise<unknown>]>([
    ['a deactivated activity', (userId) => world.change({ userId, isActive: false })],
    ['a former bot', (userId) => world.toggle(userId, false)],
    [
      'a banned bot',
      (userId) => world.boss.call('PATCH', `/admin/user/${userId}/ban`, { body: { banReason: 'a test' } }),
    ],
  ])('hides the rows of %s', async (_, end) => {
    const other = await world.newActiveBot();
    await world.showRows(other.id, 2);
    const countOf = async (betId: string) =>
      (await feedWith(betId)).filter(({ user }) => user.id === other.id).length;
    expect(await countOf(await bets(10))).toBe(2);
    await end(other.id);
    expect(await countOf(await bets(1))).toBe(0);
    // No new rows are stored either.
    await world.showRows(other.id, 1);
    expect(await world.rowsOf(other.id)).toHaveLength(2);
  });

  test('shows a bot with a private profile as Incognito', async () => {
    await world.boss.call('PATCH', `/admin/user/${bot.id}`, { body: { isPrivate: true } });
    await world.showRows(bot.id, 1);
    const rows = await feedWith(await bets(4));
    expect(rows.find(isScenery).user).toEqual({
      id: null,
      username: 'Incognito',
      avatar: null,
      vipLevel: null,
      isPrivate: true,
    });
    await world.boss.call('PATCH', `/admin/user/${bot.id}`, { body: { isPrivate: false } });
  });

  test('deletes rows after an hour', async () => {
    await world.showRows(bot.id, 3);
    const [first, second] = await world.rowsOf(bot.id);
    const age = (id: bigint, minutes: number) =>
      sql`update simulated_bets set created_at = now() - interval '1 minute' * ${minutes}::int where id = ${id}`.execute(
        world.db,
      );
    await age(first!.id, 61);
    await age(second!.id, 59);
    await deleteDue(world.services.db, ROWS_EXPIRY);
    expect((await world.rowsOf(bot.id)).map(({ id }) => id)).not.toContain(first!.id);
    expect(await world.rowsOf(bot.id)).toHaveLength(2);
  });
});

describe('live-bets.new', () => {
  const watching = listening([], 'public');
  const rowsIn = (frames: ReturnType<typeof framesOf>) =>
    frames.filter(({ event }) => event === 'live-bets.new').map(({ data }) => (data as { bets: any[] }).bets);

  test('sends each simulated row at most once, and limits simulated rows to one in five rows of a frame', async () => {
    const reader = newFeed(world.app);
    await begin(reader, watching);
    const seen: string[] = [];
    for (const [count, scenery, expected] of [
      [8, 3, 2],
      [3, 3, 0],
      [9, 1, 1],
    ] as const) {
      await world.showRows(bot.id, scenery);
      const last = await bets(count);
      const read = await readUntil(reader, watching, (all) =>
        rowsIn(framesOf(all))
          .flat()
          .some(({ id }) => id === last),
      );
      for (const frame of framesOf(read, 'live-bets.new')) assertConforms(frame);
      // The bets may arrive in several frames.
      for (const rows of rowsIn(framesOf(read))) {
        expect(rows.length).toBeLessThanOrEqual(10);
        expect(rows.filter(isScenery).length * 5).toBeLessThanOrEqual(rows.length);
        seen.push(...rows.filter(isScenery).map(({ id }) => id));
      }
      expect(rowsIn(framesOf(read)).flat().filter(isScenery).length).toBeLessThanOrEqual(expected);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(0);
  });

  test('sends no frame that contains only simulated rows, but sends new subscribers the current feed', async () => {
    const reader = newFeed(world.app);
    const position = await begin(reader, watching);
    await world.showRows(bot.id, 10);
    await expect.poll(async () => (await reader.next(watching)).position).toBeGreaterThan(position);
    const last = await bets(9);
    await feedWith(last);
    const [frames] = await toldAgain(reader, [{ userId: 0, rooms: ['public'], lastSeq: position }]);
    const [rows] = rowsIn(frames!);
    expect(rows!.map(({ id }) => id)).toEqual((await feed('type=ALL&count=10')).map(({ id }) => id));
    expect(rows!.filter(isScenery)).toHaveLength(1);
  });

  test('sends no simulated rows with BOT_ACTIVITY off', async () => {
    const reader = newFeed(off as TestApp);
    await begin(reader, watching);
    await world.showRows(bot.id, 5);
    const last = await bets(10);
    const read = await readUntil(reader, watching, (all) =>
      rowsIn(framesOf(all))
        .flat()
        .some(({ id }) => id === last),
    );
    expect(rowsIn(framesOf(read)).flat().filter(isScenery)).toEqual([]);
  });
});

test('does not affect balances, statistics, leaderboards, challenges, rewards or lists, even with a hundred simulated rows', async () => {
  await liftLimits(world.app);
  const leaderboard = await world.boss.call('POST', '/admin/leaderboards', {
    body: {
      name: 'A race',
      description: 'x',
      endDate: new Date(Date.now() + 86_400_000).toISOString(),
      currencyId: 'USDT',
      prizes: [{ place: 1, usdAmount: '10' }],
    },
  });
  expect(leaderboard.status).toBe(201);
  const challenge = await world.boss.call('PUT', '/admin/challenge', {
    body: {
      gameSlug: 'dice',
      minBetAmountUsd: '0.01',
      minBetMultiplier: 50,
      rewardCurrency: 'USDT',
      rewardAmount: '1',
      isHidden: false,
    },
  });
  expect(challenge.status).toBe(200);
  await bets(3);
  const consume = async () => {
    for (const consumer of betConsumers(world.services)) await consumer.catchUp();
  };
  const lists = async () => {
    const paths = [
      ...(['/live-bets?type=HIGH_ROLLERS&count=100', '/live-bets?type=LUCKY_WINS&count=100'] as const),
      ...(['/casino/games?sortBy=popular', '/casino/games?sortBy=lastPlayed', '/challenge'] as const),
      ...([`/user/${player.username}/stats`, `/leaderboards/${leaderboard.body.id}`] as const),
    ];
    const responses = await Promise.all(paths.map((path) => viewer.call('GET', path)));
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    return responses.map(({ text }) => text);
  };
  // Waits until all bets are consumed.
  let before = await fingerprint(world.db);
  await expect
    .poll(
      async () => {
        await consume();
        const after = await fingerprint(world.db);
        const isQuiet = JSON.stringify(after) === JSON.stringify(before);
        before = after;
        return isQuiet;
      },
      { interval: 500 },
    )
    .toBe(true);
  const listsBefore = await lists();
  await world.showRows(bot.id, 100);
  await consume();
  await consume();
  await feed('type=ALL&count=100');
  const changed = Object.entries(await fingerprint(world.db)).flatMap(([table, hash]) =>
    before[table] === hash ? [] : [table],
  );
  expect(changed.filter((table) => table !== 'cursors').sort()).toEqual(['bot_activities', 'simulated_bets']);
  expect(await lists()).toEqual(listsBefore);
  expect(await world.rowsOf(bot.id)).toHaveLength(100);
});
