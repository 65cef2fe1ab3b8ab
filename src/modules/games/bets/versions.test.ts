/** Bets on provider games that are corrected later: lists, feeds and limits show their current values. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { begin, framesOf, listening, newFeed, readUntil } from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { correctBet, placeBet, settleBet } from '../../../../test/kit/games/bets.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { createLiveBets, NO_SCENERY } from './live.ts';
import { playSince } from './versions.ts';

let providerId: number;
let slotId: number;
let sportId: number;
let player: Player;
const app = fixture(() => startApp({ reconcileOnStop: false }));
const clerk = fixture(() => app.as({ permissions: ['bet.read', 'bet.rollback'] }));
beforeAll(async () => {
  const provider = { slug: 'acme', name: 'Acme', origin_name: 'Acme' };
  const id = await app.db
    .insertInto('game_providers')
    .values(provider)
    .returning('id')
    .executeTakeFirstOrThrow();
  providerId = id.id;
  const gameOf = async (slug: string, type: string) => {
    const game = { slug, name: slug, type, provider_id: providerId };
    return (await app.db.insertInto('games').values(game).returning('id').executeTakeFirstOrThrow()).id;
  };
  slotId = await gameOf('orchards', 'SLOTS');
  sportId = await gameOf('football', 'SPORTSBOOK');
});
beforeEach(async () => {
  player = await newRealPlayer(app);
});

const settledAt = new Date('2026-03-01T10:00:00.000Z');
/** Places a slot bet with a stake of ten dollars and a payout of five. */
const bet = async (gameId = slotId) => {
  const [amount, payout] = [10n * ONE, 5n * ONE];
  const id = await placeBet(app, { userId: player.id, gameId, amount, payout, usd: 1n, settledAt });
  return { id, userId: player.id };
};
let transactions = 1n;
/** Inserts the round as the wallet would store it. */
async function nameRound(betId: bigint, name: string, gameId = slotId): Promise<void> {
  const counts = { status: 'CLOSED', stakes: 1, wins: 0, version: 1 };
  const of = { provider_id: providerId, user_id: player.id, game_id: gameId, currency_id: 'USDT' };
  const round = { id: transactions++, bet_id: betId, round_ref: name, ...of, ...counts };
  await app.db.insertInto('provider_rounds').values(round).execute();
}

const get = async (path: string, who = player) => {
  const { status, body } = await who.call('GET', path);
  expect(status).toBe(200);
  return body;
};
const search = async (where: object) =>
  (await clerk.call('POST', '/admin/bets', { body: { where } })).body.data;
/** Returns the bet's row from each list. */
const shownIn = async (status: string) => {
  const [own, live, [admin]] = [
    await get(`/bets?status=${status}`),
    await get(`/live-bets/my?status=${status}&count=9`),
    await search({ userId: player.id }),
  ];
  expect([own.total, own.data.length, live.length]).toEqual([1, 1, 1]);
  return [own.data[0], live[0], admin];
};

describe('lists', () => {
  test('shows the current amounts, multiplier and settlement time', async () => {
    const id = await bet();
    const first = { amount: '10', payout: '5', usdPayout: '5', multiplier: 0.5 };
    for (const row of await shownIn('SETTLED')) expect(row).toMatchObject(first);
    await correctBet(app, id, { payout: 15n * ONE });
    const late = { status: 'SETTLED', amount: '10', payout: '15', usdPayout: '15', multiplier: 1.5 };
    for (const row of await shownIn('SETTLED')) expect(row).toMatchObject(late);
    expect(await get(`/bets/slots/info/${id.id}`)).toMatchObject({
      payout: '15',
      settledAt: settledAt.toISOString(),
      game: { multiplier: 1.5 },
    });
    // All stakes are rolled back, but the win remains.
    await correctBet(app, id, { amount: 0n });
    const unstaked = { status: 'SETTLED', amount: '0', usdAmount: '0', payout: '15', multiplier: 0 };
    for (const row of await shownIn('SETTLED')) expect(row).toMatchObject(unstaked);
  });

  test('shows the last amounts of a rolled-back bet', async () => {
    const id = await bet();
    await correctBet(app, id, { payout: 7n * ONE });
    await correctBet(app, id, null);
    for (const row of await shownIn('ROLLBACK'))
      expect(row).toMatchObject({ status: 'ROLLBACK', amount: '10', payout: '7', multiplier: 0.7 });
  });

  test('shows only the stake of a reopened bet, and its new settlement afterwards', async () => {
    const id = await bet(sportId);
    await correctBet(app, id, null, 'CREATED');
    const open = { status: 'CREATED', amount: '10', payout: '0', usdPayout: '0', multiplier: 0 };
    for (const row of await shownIn('CREATED')) expect(row).toMatchObject(open);
    expect((await get('/bets?status=CREATED')).data[0].settledAt).toBeNull();
    const at = new Date('2026-03-02T10:00:00.000Z');
    await correctBet(app, id, { payout: 25n * ONE, at });
    for (const row of await shownIn('SETTLED')) expect(row).toMatchObject({ payout: '25', multiplier: 2.5 });
    expect((await get('/bets')).data[0].settledAt).toBe(at.toISOString());
  });

  test('selects the bets of the public feed by their current amounts', async () => {
    const [lucky, gone] = [await bet(), await bet()];
    const lastPlayed = async () => new Map<number, Date>();
    const thresholds = { highRollerUsd: 100, luckyMultiplier: 4 };
    const feed = async (type: 'HIGH_ROLLERS' | 'LUCKY_WINS') => {
      const live = createLiveBets({
        db: app.services.db,
        beside: () => undefined,
        lastPlayed,
        scenery: NO_SCENERY,
        ...thresholds,
      });
      return (await live.list(0, type, 100)).map(({ id, payout }) => [BigInt(id), payout]);
    };
    await correctBet(app, lucky, { payout: 40n * ONE });
    await correctBet(app, gone, { amount: 100n * ONE, payout: 400n * ONE });
    expect(await feed('LUCKY_WINS')).toEqual([
      [gone.id, '400'],
      [lucky.id, '40'],
    ]);
    expect(await feed('HIGH_ROLLERS')).toEqual([[gone.id, '400']]);
    await correctBet(app, gone, { amount: 10n * ONE, payout: 0n });
    expect(await feed('LUCKY_WINS')).toEqual([[lucky.id, '40']]);
    expect(await feed('HIGH_ROLLERS')).toEqual([]);
  });

  test("shows staff the provider's game and the round id or bet id, and finds bets by them", async () => {
    const [slot, sport] = [await bet(), await bet(sportId)];
    await nameRound(slot.id, '4711');
    await nameRound(sport.id, '4712', sportId);
    const [of, ref] = [{ providerId }, { userId: player.id }];
    const inSlot = { id: String(slot.id), ...of, roundId: '4711', externalId: null };
    const atSport = { id: String(sport.id), ...of, roundId: null, externalId: '4712' };
    expect(await search(ref)).toMatchObject([atSport, inSlot]);
    expect(await search({ ...ref, roundId: '4711' })).toMatchObject([inSlot]);
    expect(await search({ ...ref, externalId: '4712' })).toMatchObject([atSport]);
    expect(await search({ id: String(slot.id), roundId: '4711' })).toMatchObject([inSlot]);
    const none = [{ roundId: '4712' }, { externalId: '4711' }, { roundId: 'x' }, { externalId: 'x' }];
    const others = [
      { roundId: '4711', externalId: '4712' },
      { id: String(sport.id), roundId: '4711' },
    ];
    for (const where of [...none, ...others]) expect(await search(where), JSON.stringify(where)).toEqual([]);
  });

  test('shows no multiplier for a bet whose stakes were rolled back before settlement', async () => {
    const id = await placeBet(app, { userId: player.id, gameId: slotId, amount: 0n, payout: 5n });
    const found = async (minMultiplier: number) =>
      (await search({ userId: player.id, minMultiplier })).map((row: { id: string }) => row.id);
    expect([await found(0), await found(0.0001)]).toEqual([[String(id)], []]);
    expect(await get('/user/me/stats')).toMatchObject({ betCount: 1, bestMultiplier: 0 });
  });

  test('allows a house game and a provider game to have the same round id', async () => {
    const slot = await bet();
    await nameRound(slot.id, '815');
    const dice = await app.db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirst();
    const shared = await placeBet(app, { userId: player.id, gameId: dice!.id, roundId: 815n });
    expect(await search({ roundId: '815' })).toMatchObject([
      { id: String(shared), roundId: '815', providerId: null },
      { id: String(slot.id), roundId: '815', providerId },
    ]);
  });
});

describe("the player's feed", () => {
  const ended = (frames: ReturnType<typeof framesOf>) =>
    frames
      .filter(({ event }) => event === 'bet.settled')
      .map(({ seq, data }) => {
        const { betId, status, payout } = data as Record<string, string>;
        return [seq, BigInt(betId!), status, payout];
      });

  test('sends a settlement and each correction at its sequence position, even to clients that reconnect', async () => {
    const feed = newFeed(app);
    const audience = listening([player], 'public');
    const start = await begin(feed, audience);
    const id = await bet();
    const told = async (position: bigint) =>
      ended(
        framesOf(
          await readUntil(feed, audience, (all) =>
            framesOf(all, 'bet.settled').some(({ seq }) => BigInt(seq) === position),
          ),
        ),
      );
    expect(await told(id.id)).toEqual([[Number(id.id), id.id, 'SETTLED', '5']]);
    const seen: unknown[] = [];
    for (const [after, status, payout] of [
      [{ payout: 15n * ONE }, 'SETTLED', '15'],
      [null, 'CREATED', '0'],
      [{ payout: 2n * ONE }, 'SETTLED', '2'],
      [null, 'ROLLBACK', '2'],
    ] as const) {
      const position = await correctBet(app, id, after, status);
      const frame = [Number(position), id.id, status, payout];
      expect(await told(position)).toEqual([frame]);
      seen.push(frame);
    }
    // The bet appears once, at the position of its last correction, and at no later position.
    const back = await feed.missed(
      [start, Number(id.id), (seen.at(-1) as number[])[0]!].map((lastSeq) => ({
        userId: player.id,
        rooms: [],
        lastSeq,
      })),
    );
    expect(back.map(({ past }) => ended(past!))).toEqual([[seen.at(-1)], [seen.at(-1)], []]);
  });

  test('does not announce a correction as a new bet', async () => {
    const id = await bet();
    const { news } = app.services.bets;
    const position = await correctBet(app, id, { payout: 1n });
    const range = { after: id.id, below: position + 1n };
    expect(await news.of([player.id], range)).toMatchObject([{ id: id.id, position }]);
    expect(await news.latest(range, 10)).toEqual([]);
    expect(await news.latest({ ...range, after: id.id - 1n }, 10)).toMatchObject([{ id: String(id.id) }]);
  });
});

test('counts current amounts towards limits that are set later', async () => {
  const at = new Date();
  const play = () =>
    transaction(app.db, async (tx) => {
      await lockPlayers(tx, [player.id]);
      const { DAY } = await playSince(tx, player.id, at);
      return [DAY.staked, DAY.paid];
    });
  const id = await bet();
  // The bet was settled in an earlier month, so nothing was paid today.
  expect(await play()).toEqual([10n * ONE, 0n]);
  await correctBet(app, id, { amount: 0n, at });
  expect(await play()).toEqual([0n, 5n * ONE]);
  await correctBet(app, id, null);
  expect(await play()).toEqual([0n, 0n]);
});

test('rejects a staff rollback of a provider bet', async () => {
  const rollBack = (betId: bigint) =>
    clerk.call('POST', `/admin/bets/${betId}/rollback`, {
      body: { reason: 'a test' },
      headers: { 'idempotency-key': randomUUID() },
    });
  const [slot, sport] = [await bet(), await bet(sportId)];
  const open = await placeBet(app, { userId: player.id, gameId: slotId, status: 'CREATED' });
  for (const id of [slot.id, sport.id, open]) expect(codeOf(await rollBack(id))).toBe('409 BET_OF_PROVIDER');
  await settleBet(app, { id: open, userId: player.id });
  expect(codeOf(await rollBack(open))).toBe('409 BET_OF_PROVIDER');
  expect((await get('/bets')).total).toBe(3);
});
