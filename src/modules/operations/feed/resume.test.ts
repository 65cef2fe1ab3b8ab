import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import {
  begin,
  deposit,
  framesOf,
  isState,
  listening,
  newFeed,
  readUntil,
  tell,
  toldAgain,
} from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { transaction } from '../../../platform/database/db.ts';
import type { Feed, Frame } from '../../../realtime/feed.ts';
import { emitEvent } from '../../base/events/service.ts';
import { siteEvents } from '../../base/site-config/schemas.ts';

let feed: Feed;
const app = fixture(startApp);
beforeEach(() => {
  feed = newFeed(app);
});

const missed = async (userId: number, lastSeq: number, ...rooms: string[]) =>
  (await toldAgain(feed, [{ userId, lastSeq, rooms }]))[0];

describe('a socket that reconnects', () => {
  test('sends a reconnecting socket its missed events in order and the current state, but no events of other players', async () => {
    const [player, other] = [
      await newRealPlayer(app, { usdt: 100 }),
      await newRealPlayer(app, { usdt: 100 }),
    ];
    const start = await begin(feed, listening([player]));
    await betOnDice(player);
    await tell(app, player.id, 1);
    await tell(app, other.id, 2);
    await betOnDice(other);
    await transaction(app.db, (tx) =>
      emitEvent(tx, { event: siteEvents['config.changed'], data: { code: 'USER' } }),
    );
    await betOnDice(player);
    await readUntil(feed, listening([player]), (d) => framesOf(d, 'bet.settled').length === 2);
    const frames = (await missed(player.id, start, `user:${player.id}`, 'public'))!;
    const events = frames.filter((f) => !isState(f));
    expect(events.map(({ event }) => event)).toEqual([
      'bet.settled',
      'deposit.status',
      'config.changed',
      'bet.settled',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(frames.slice(events.length).map(({ event }) => event)).toEqual([
      'balance.updated',
      'live-bets.new',
    ]);
    expect(JSON.stringify(events)).not.toContain(other.username);
    const [{ version }] = (await player.call('GET', '/accounting/balances')).body;
    expect(frames.find(({ event }) => event === 'balance.updated')!.data).toMatchObject({ version });
    // Resumes from a position between two of the events.
    const later = (await missed(player.id, events[1]!.seq, 'public'))!.filter((f) => !isState(f));
    expect(later).toEqual(events.slice(2));
    // The player is not in the public room, so the room's events are not sent again.
    expect((await missed(player.id, start))!.map(({ event }) => event)).not.toContain('config.changed');
  });

  test('requires a full reload after five minutes, after more than 1,000 missed events, or for an unknown seq', async () => {
    const player = await newRealPlayer(app);
    const start = await begin(feed, listening([player]));
    const move = (seconds: number) =>
      sql`update events set created_at = now() - ${seconds} * interval '1 second' where user_id = ${player.id}`.execute(
        app.db,
      );
    await tell(app, player.id, 1);
    await readUntil(feed, listening([player]), (d) => d.length > 0);
    await move(290);
    expect(await missed(player.id, start)).toHaveLength(1);
    await move(301);
    expect(await missed(player.id, start)).toBeUndefined();
    // Frames that the client has already received do not count towards the limit.
    const { position } = await feed.next(listening([player]));
    expect(await missed(player.id, position)).toEqual([]);
    for (const lastSeq of [-1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER, position + 1_000_000])
      expect(await missed(player.id, lastSeq), String(lastSeq)).toBeUndefined();
    const many = Array.from({ length: 1000 }, (_, i) => ({ ...deposit(i), userId: player.id }));
    await transaction(app.db, (tx) => emitEvent(tx, ...many));
    await readUntil(feed, listening([player]), (d) => d.length === 1000);
    expect(await missed(player.id, position)).toHaveLength(1000);
    await tell(app, player.id, 1);
    await readUntil(feed, listening([player]), (d) => d.length === 1);
    expect(await missed(player.id, position)).toBeUndefined();
  });

  test('sends the same events to a single reconnecting socket as to many sockets that reconnect together', async () => {
    const players = await Promise.all([0, 1, 2].map(() => newRealPlayer(app, { usdt: 100 })));
    const [one, two, three] = [players[0]!, players[1]!, players[2]!];
    const start = await begin(feed, listening(players));
    const bets: string[] = [];
    for (const player of [one, two, one, two, one]) {
      bets.push((await betOnDice(player)).body.betId);
      await tell(app, player.id, bets.length);
    }
    await transaction(app.db, (tx) =>
      emitEvent(tx, { event: siteEvents['config.changed'], data: { code: 'USER' } }),
    );
    // The rollback settles the bet a second time and gives it the latest position.
    const clerk = await app.as({ permissions: ['bet.rollback'] });
    const request = { body: { reason: 'a test' }, headers: { 'idempotency-key': randomUUID() } };
    expect((await clerk.call('POST', `/admin/bets/${bets[0]}/rollback`, request)).status).toBe(201);
    await readUntil(feed, listening(players), (d) => JSON.stringify(framesOf(d)).includes('ROLLBACK'));
    const events = (frames: Frame[] | undefined) => frames?.filter((f) => !isState(f));
    const all = events(await missed(one.id, start))!;
    expect(all).toHaveLength(6);
    const middle = all[2]!.seq;
    const asked = [
      { userId: one.id, rooms: ['public', 'game:speed-roulette'], lastSeq: start },
      { userId: one.id, rooms: [], lastSeq: middle },
      { userId: two.id, rooms: ['public'], lastSeq: start },
      { userId: three.id, rooms: [], lastSeq: start },
      { userId: two.id, rooms: [], lastSeq: -1 },
      { userId: one.id, rooms: [], lastSeq: Number.MAX_SAFE_INTEGER },
      { userId: two.id, rooms: [], lastSeq: 1 },
    ];
    const together = await toldAgain(feed, asked);
    const lengths = [7, 3, 5, 0, undefined, undefined, 4];
    expect(together.map((frames) => events(frames)?.length)).toEqual(lengths);
    // Only these fields are compared, because the time when a game was last played depends on which sockets are read together.
    const lines = (frames: Frame[] | undefined) =>
      frames?.map(({ event, seq, data }) => `${seq} ${event} ${(data as { id?: string }).id}`);
    expect(lines(events(together[1]))).toEqual(lines(all.slice(3)));
    for (const [i, { userId, lastSeq, rooms }] of asked.entries())
      expect(lines(together[i])).toEqual(lines(await missed(userId, lastSeq, ...rooms)));
  });

  test('accepts a seq received from another process that has read further', async () => {
    const player = await newRealPlayer(app);
    const behind = newFeed(app);
    await begin(behind, listening([player]));
    await begin(feed, listening([player]));
    await tell(app, player.id, 1);
    const [delivery] = await readUntil(feed, listening([player]), (d) => d.length > 0);
    const { position } = await feed.next(listening([player]));
    expect(await toldAgain(behind, [{ userId: player.id, rooms: [], lastSeq: position }])).toEqual([[]]);
    expect(await readUntil(behind, listening([player]), (all) => all.length > 0)).toEqual([delivery]);
  });

  test('sends each event to its player once and in stored order, despite interruptions', async () => {
    const players = await Promise.all([0, 1, 2].map(() => newRealPlayer(app, { usdt: 1000 })));
    const nodes = [createNode(newFeed(app)), createNode(newFeed(app))];
    const start = await begin(newFeed(app), listening([]));
    const clients = players.map(({ id }) => ({
      id,
      lastSeq: start,
      seen: start,
      got: [] as Frame[],
      visit: 0,
    }));
    let isOver = false;
    const work = players.map(async (player, who) => {
      for (let n = 0; n < 12; n++) {
        const all = [betOnDice(player), tell(app, player.id, who * 100 + n, Math.random() * 30)];
        await Promise.all(Math.random() < 0.5 ? all : [...all, betOnDice(player)]);
      }
    });
    const comings = clients.map(async (client) => {
      while (!isOver) {
        const node = nodes[Math.floor(Math.random() * 2)]!;
        await node.enter(client);
        await sleep(Math.random() * 60);
        node.leave(client);
        await sleep(Math.random() * 60);
      }
      await nodes[client.id % 2]!.enter(client);
    });
    const reading = nodes.map((node) => node.run());
    await Promise.all(work);
    isOver = true;
    await Promise.all(comings);
    const expected = await Promise.all(players.map(({ id }) => storedOf(id, start)));
    await vi
      .waitFor(
        () => {
          for (const [i, client] of clients.entries())
            expect(client.got.length).toBeGreaterThanOrEqual(expected[i]!.length);
        },
        { timeout: 20_000 },
      )
      .catch(() => undefined);
    for (const node of nodes) node.stop();
    await Promise.all(reading);
    for (const [i, client] of clients.entries()) {
      expect(expected[i]!.length).toBeGreaterThanOrEqual(24);
      expect(client.got.map(({ event, seq }) => `${seq} ${event}`)).toEqual(expected[i]);
    }
  });
});

/** Returns the events and bets of a player that are stored after a sequence position. */
async function storedOf(userId: number, start: number): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select id || ' ' || name as line, id from events where user_id = ${userId} and id > ${start}
    union all select id || ' bet.settled', id from bets where user_id = ${userId} and id > ${start} order by 2`.execute(
    app.db,
  );
  return rows.map(({ line }) => line);
}

type Client = {
  id: number;
  lastSeq: number;
  seen: number;
  got: Frame[];
  visit: number;
  held?: Frame[] | undefined;
};

/**
 * A process with sockets, like the processes in src/realtime. A client that reconnects receives the events that it missed, while the
 * process continues to read.
 */
function createNode(own: Feed) {
  const here = new Map<number, Client>();
  const entering: (() => void)[] = [];
  let isOver = false;
  const hear = (client: Client, frame: Frame) => {
    client.lastSeq = Math.max(client.lastSeq, frame.seq);
    if (isState(frame) || frame.seq <= client.seen) return;
    client.seen = frame.seq;
    client.got.push(frame);
  };
  return {
    async run(): Promise<void> {
      while (!isOver) {
        const { deliveries, position } = await own.next(listening([...here.values()], 'public'));
        for (const { room, frame } of deliveries)
          for (const client of here.values())
            if (room === `user:${client.id}`) client.held ? client.held.push(frame) : hear(client, frame);
        if (position > 0) for (const enter of entering.splice(0)) enter();
        await sleep(Math.random() * 15);
      }
    },
    enter: (client: Client): Promise<void> =>
      new Promise((resolve, reject) => {
        entering.push(() => {
          const visit = ++client.visit;
          here.set(client.id, client);
          client.held = [];
          toldAgain(own, [{ userId: client.id, rooms: ['public'], lastSeq: client.lastSeq }]).then(
            ([frames]) => {
              if (!frames) return reject(new Error('resync'));
              if (client.visit === visit)
                for (const frame of [...frames, ...(client.held ?? [])]) hear(client, frame);
              client.held = undefined;
              resolve();
            },
            reject,
          );
        });
      }),
    leave(client: Client): void {
      here.delete(client.id);
      client.visit++;
    },
    stop(): void {
      isOver = true;
    },
  };
}
