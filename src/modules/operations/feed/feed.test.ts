import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import {
  begin,
  FEED,
  framesOf,
  isState,
  listening,
  newFeed,
  readUntil,
  toldAgain,
} from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { placeBet, settleBet } from '../../../../test/kit/games/bets.ts';
import { act, lay } from '../../../../test/kit/games/blackjack.ts';
import { events } from '../../../app/asyncapi.ts';
import type { Delivery, Feed, Frame } from '../../../realtime/feed.ts';
import { createFeed } from './service.ts';

let feed: Feed;
let dice: number;
// Reconciliation is off, because these tests write bets without postings.
const app = fixture(() => startApp({ reconcileOnStop: false }));
beforeAll(async () => {
  dice = (await app.db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirstOrThrow())
    .id;
});

beforeEach(() => {
  feed = newFeed(app);
});

describe('frames about a player', () => {
  test('sends the player the bet and the wallet balance, and sends everyone else only the bet', async () => {
    const [player, other] = [
      await newRealPlayer(app, { usdt: 100 }),
      await newRealPlayer(app, { usdt: 100 }),
    ];
    const audience = listening([player], 'public');
    await begin(feed, audience);
    await betOnDice(other);
    await betOnDice(player);
    const all = await readUntil(
      feed,
      audience,
      (d) => framesOf(d, 'live-bets.new').length > 0 && framesOf(d, 'bet.settled').length > 0,
    );
    const [settled] = framesOf(all, 'bet.settled');
    const [{ id, ...row }] = (await player.call('GET', '/live-bets/my?count=1')).body;
    expect(settled).toMatchObject({ seq: Number(id), data: { betId: id, ...row } });
    expect(settled!.data).not.toHaveProperty('id');
    const balances = await player.call('GET', '/accounting/balances');
    const { amount, version } = balances.body[0];
    expect(framesOf(all, 'balance.updated').at(-1)!.data).toEqual({
      currencyId: 'USDT',
      amount,
      vault: '0',
      version,
    });
    expect(new Set(all.map(({ room }) => room))).toEqual(new Set([`user:${player.id}`, 'public']));
    for (const { event, data } of framesOf(all)) events[event]!.data.parse(data);
  });

  test('sends the wallet balance after every movement of money, such as a vault transfer or a raised stake', async () => {
    const player = await newRealPlayer(app, { usdt: 100 });
    const audience = listening([player]);
    await begin(feed, audience);
    let known = 0;
    // The stake of the open bet is raised. The id of the posting for the raise is in a later block than the bet's id.
    const moves = [
      () => player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '5' } }),
      () => lay(player, '8h 8d Tc Ts 3d 2c 9c'),
      () => act(player, 'SPLIT'),
      () => act(player, 'STAND'),
      () => act(player, 'STAND'),
    ];
    for (const move of moves) {
      const { status, body } = await move();
      expect([status, body.code]).toEqual([201, undefined]);
      const [{ amount, version }] = (await player.call('GET', '/accounting/balances')).body;
      const isThere = ({ data }: Frame) => (data as { version: number }).version === version;
      if (known === version) continue;
      known = version;
      const all = await readUntil(feed, audience, (d) => framesOf(d, 'balance.updated').some(isThere));
      expect(framesOf(all, 'balance.updated').at(-1)!.data).toMatchObject({ amount, version });
    }
    expect(known).toBeGreaterThan(3);
  });

  test('sends a bet again when it is settled later, or when it is rolled back', async () => {
    const player = await newRealPlayer(app);
    const audience = listening([player]);
    const ids = [];
    for (let i = 0; i < 2; i++)
      ids.push(await placeBet(app, { userId: player.id, gameId: dice, status: 'CREATED' }));
    const start = await begin(feed, audience);
    const places = [
      await settleBet(app, { id: ids[0]!, userId: player.id }),
      await settleBet(app, { id: ids[1]!, userId: player.id }, 'ROLLBACK'),
    ];
    const all = await readUntil(feed, audience, (d) => framesOf(d, 'bet.settled').length === 2);
    const found = framesOf(all, 'bet.settled').map(({ seq, data }) => [
      seq,
      (data as { status: string }).status,
    ]);
    expect(found).toEqual([
      [Number(places[0]), 'SETTLED'],
      [Number(places[1]), 'ROLLBACK'],
    ]);
    const [again] = await toldAgain(feed, [{ userId: player.id, rooms: [], lastSeq: start }]);
    expect(again!.filter((f) => !isState(f)).map(({ seq }) => seq)).toEqual(places.map(Number));
  });
});

test('reads a range that is too large for one statement in parts, with each event once and in order', async () => {
  const player = await newRealPlayer(app, { usdt: 100 });
  const { news } = app.services.bets;
  let failures = 0;
  const of: typeof news.of = async (users, range) => {
    if (range.below - range.after < 4000n) return news.of(users, range);
    failures++;
    throw new Error('too long');
  };
  const stalled = createFeed({
    ...app.services,
    bets: { ...app.services.bets, news: { ...news, of } },
    config: FEED,
  });
  await begin(stalled, listening([player]));
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) ids.push((await betOnDice(player)).body.betId);
  const all: Delivery[] = [];
  await expect
    .poll(async () => {
      const read = await stalled.next(listening([player])).catch(() => undefined);
      all.push(...(read?.deliveries ?? []));
      return framesOf(all, 'bet.settled').map(({ data }) => (data as { betId: string }).betId);
    })
    .toEqual(ids);
  expect(failures).toBeGreaterThan(0);
  expect(framesOf(all).map(({ seq }) => seq)).toEqual(
    framesOf(all)
      .map(({ seq }) => seq)
      .toSorted((a, b) => a - b),
  );
});

describe('the feed of all visitors', () => {
  test('omits hidden players, and the bets of test users and staff', async () => {
    const [hidden, staff, player] = [
      await newRealPlayer(app),
      await newRealPlayer(app),
      await newRealPlayer(app),
    ];
    const tester = await app.newPlayer();
    await sql`update users set is_private = true where id = ${hidden.id}`.execute(app.db);
    await sql`update users set is_staff = true where id = ${staff.id}`.execute(app.db);
    const audience = listening([hidden], 'public');
    await begin(feed, audience);
    for (const { id } of [hidden, staff, tester, player]) await placeBet(app, { userId: id, gameId: dice });
    const all = await readUntil(
      feed,
      audience,
      (d) => framesOf(d, 'live-bets.new').flatMap(rowsOf).length >= 2,
    );
    const rows = framesOf(all, 'live-bets.new').flatMap(rowsOf);
    expect(rows.map(({ user }) => user.id).sort()).toEqual([null, player.id].sort());
    expect(rows.find(({ user }) => user.id === null)!.user).toMatchObject({
      isPrivate: true,
      vipLevel: null,
    });
    expect(JSON.stringify(rows)).not.toContain(hidden.username);
    // The frame that the player receives contains the player's real identity.
    expect(framesOf(all, 'bet.settled').map(({ data }) => (data as { user: object }).user)).toMatchObject([
      { id: hidden.id },
    ]);
  });

  test('sends at most ten rows per frame, and at most one frame per interval', async () => {
    const player = await newRealPlayer(app);
    const audience = listening([], 'public');
    await begin(feed, audience);
    const frames: Frame[] = [];
    const until = performance.now() + 600;
    for (let i = 0; performance.now() < until; i++) {
      if (i < 30) await placeBet(app, { userId: player.id, gameId: dice });
      frames.push(...framesOf((await feed.next(audience)).deliveries));
    }
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.length).toBeLessThanOrEqual(
      1 + (performance.now() - until + 600) / FEED.LIVE_BETS_EVERY_MS,
    );
    expect(Math.max(...frames.map((frame) => rowsOf(frame).length))).toBeLessThanOrEqual(10);
  });
});

const rowsOf = ({ data }: Frame) => (data as { bets: { user: { id: number | null } }[] }).bets;
