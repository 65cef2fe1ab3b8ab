import { expect, test } from 'vitest';
import {
  begin,
  FEED,
  framesOf,
  listening,
  newFeed,
  readUntil,
  toldAgain,
} from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { betOn, infoOf, startSpeedRoulette, turnUntil } from '../../../../test/kit/games/speed-roulette.ts';
import { assertConforms } from '../../../../test/kit/http/conforms.ts';
import type { Frame } from '../../../realtime/feed.ts';
import { createFeed } from './service.ts';

const app = fixture(startSpeedRoulette);

const ROOM = 'game:speed-roulette';
const dataOf = <T>(frames: readonly Frame[]) => frames.map(({ data }) => data as T);
type Round = { roundId: string; phase: string; seed: string | null; color: string | null };
type Bets = {
  roundId: string;
  mode: string;
  more: number;
  bets: { user: { id: number | null }; color: string }[];
};

test('sends a watcher each phase once and the bets of the round, with hidden players masked', async () => {
  const feed = newFeed(app);
  const watching = listening([], ROOM);
  await begin(feed, watching);
  await turnUntil(app, 'BETTING', { skip: false });
  const [shown, hidden] = [await newRealPlayer(app, { usdt: 10 }), await newRealPlayer(app, { usdt: 10 })];
  await app.db.updateTable('users').set({ is_private: true }).where('id', '=', hidden.id).execute();
  for (const player of [shown, hidden, shown]) expect((await betOn(player, 'RED')).status).toBe(201);
  const { body } = await infoOf(shown);
  const bets = (all: readonly Frame[]) => dataOf<Bets>(all).flatMap((data) => data.bets);
  const betting = await readUntil(
    feed,
    watching,
    (d) => bets(framesOf(d, 'speed-roulette.bet')).length === 3,
  );
  const made = framesOf(betting, 'speed-roulette.bet');
  expect(bets(made).map(({ user }) => user.id)).toEqual([shown.id, null, shown.id]);
  expect(JSON.stringify(made)).not.toContain(hidden.username);
  for (const { roundId, mode, more } of dataOf<Bets>(made))
    expect([roundId, mode, more]).toEqual([body.game.roundId, 'ADDED', 0]);

  // Another client joins during the round.
  const { position } = await feed.next(watching);
  const [frames] = await toldAgain(feed, [{ userId: shown.id, rooms: [ROOM], lastSeq: position }]);
  const [round, all] = frames!.filter(({ event }) => event.startsWith('speed-roulette.'));
  expect(round!.data).toMatchObject({
    roundId: body.game.roundId,
    phase: 'BETTING',
    seed: null,
    color: null,
  });
  expect(all!.data).toMatchObject({ roundId: body.game.roundId, mode: 'ALL', more: 0 });
  expect(bets([all!])).toEqual(bets(made));

  await turnUntil(app, 'RESULT');
  await turnUntil(app, 'BETTING');
  const rest = await readUntil(feed, watching, (d) => framesOf(d, 'speed-roulette.round').length >= 3);
  const rounds = [...framesOf(betting, 'speed-roulette.round'), ...framesOf(rest, 'speed-roulette.round')];
  const phases = dataOf<Round>(rounds).map(({ phase }) => phase);
  expect(phases).toEqual(['BETTING', 'WAITING', 'RESULT', 'BETTING']);
  const known = dataOf<Round>(rounds).map(({ seed, color }) => seed !== null && color !== null);
  expect(known).toEqual([false, false, true, false]);
  for (const frame of [...rounds, ...made, round!, all!]) assertConforms(frame);
});

test('sends each bet once to a client that reconnects between two frames of bets or while a read fails', async () => {
  let failures = 0;
  const { news } = app.services.bets;
  const of: typeof news.of = async (...args) => {
    if (failures-- > 0) throw new Error('too long');
    return news.of(...args);
  };
  const bets = { ...app.services.bets, news: { ...news, of } };
  const feed = createFeed({ ...app.services, bets, config: FEED });
  const player = await newRealPlayer(app, { usdt: 10 });
  const watching = listening([player], ROOM);
  await turnUntil(app, 'BETTING');
  const start = await begin(feed, watching);
  const colors = ['RED', 'BLACK', 'GREEN'];
  const told = (all: readonly Frame[]) => dataOf<Bets>(all).flatMap((d) => d.bets.map(({ color }) => color));
  const isTold = (n: number) => (d: Parameters<typeof framesOf>[0]) =>
    told(framesOf(d, 'speed-roulette.bet')).length === n;

  await betOn(player, 'RED');
  const first = await readUntil(feed, watching, isTold(1));
  await betOn(player, 'BLACK');
  // The feed has read past the bet but has not sent it yet, because it sends bets only four times a second.
  let position = framesOf(first).at(-1)!.seq;
  const seen: Frame[] = [];
  for (const before = position; position === before; ) {
    const read = await feed.next(watching);
    seen.push(...framesOf(read.deliveries, 'speed-roulette.bet'));
    position = read.position;
  }
  const [missed] = await toldAgain(feed, [{ userId: player.id, rooms: [ROOM], lastSeq: start }]);
  const all = missed!.filter(({ event }) => event === 'speed-roulette.bet');
  expect(told(all)).toEqual(told([...framesOf(first, 'speed-roulette.bet'), ...seen]));

  await betOn(player, 'GREEN');
  failures = 1;
  await expect(
    readUntil(
      {
        ...feed,
        next: async (audience) => {
          const read = await feed.next(audience).catch(() => undefined);
          return read ?? { deliveries: [], position: 0 };
        },
      },
      watching,
      isTold(3 - told(all).length),
    ).then((rest) => [...told(all), ...told(framesOf(rest, 'speed-roulette.bet'))]),
  ).resolves.toEqual(colors);
});
