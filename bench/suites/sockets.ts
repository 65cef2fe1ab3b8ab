/**
 * Two suites that measure many sockets on one realtime process while players bet: the delays of frames, and the cost of a socket.
 *
 * npm run bench sockets: also measures how soon all sockets are connected to another process after their process has ended.
 *
 * npm run bench chat: a room in which all players write occasionally, and a moderator deletes messages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Served as Chat } from '../load/chat.ts';
import type { RunResult } from '../load/generator.ts';
import { diceBets } from '../load/protocol.ts';
import type { Served as Sockets } from '../load/sockets.ts';
import { createPlayers } from '../players.ts';
import { startBench, startChild, startRealtime, startServer } from '../processes.ts';
import { check, type Report, type Table } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';

const CONNECTIONS = 128;
/** Each player's first bet is slower. During this pause the server processes the resulting backlog. */
const WARM_UP_MS = 10_000;
/** How long players bet while the sockets move to another process. */
const RETURN_MS = 30_000;

type Row = readonly (string | number)[];

const tablesOf = (times: readonly Row[], figures: readonly Row[]): Table[] => [
  { title: 'Delays', columns: ['', 'p50 ms', 'p99 ms', 'max ms', 'number'], rows: times },
  { title: 'Realtime process', columns: ['', ''], rows: figures },
];

/** Starts a realtime process and an API, on which players bet. */
async function openHouse(
  context: Context,
  { players: count, perSecond }: { players: number; perSecond: number },
) {
  const { world, later } = context;
  const players = await createPlayers(world, { group: 'crowd', count });
  // The players are not test users, because bets of test users are not broadcast to other players.
  await query(world.db)`update users set is_test = false, email_verified = true`;
  const realtime = await startRealtime(world, later);
  const api = await startServer('ours', { env: world.env, later, players });
  const { generator } = await startBench(context, { crowd: players });
  const play = async (warmUpMs: number, measureMs: number): Promise<RunResult> => {
    const streams = [diceBets('crowd', Math.min(CONNECTIONS, count), count)];
    await generator.call('start', { port: api.port, streams, perSecond, warmUpMs });
    await sleep(measureMs);
    return generator.call('finish');
  };
  return { players, realtime, api, play };
}

const betRow = (what: string, { streams: [bets], seconds }: RunResult): Row => [
  `${what}: ${Math.round(bets!.bets / seconds)} a second`,
  bets!.p50Ms,
  bets!.p99Ms,
  bets!.maxMs,
  bets!.bets,
];

export const sockets = defineSuite({
  about: 'many sockets on one realtime process',
  options: {
    sockets: [5000, 'sockets'],
    bets: [2000, 'bets a second'],
    seconds: [20, 'length of the measurement'],
  },
  async run(context, { sockets: count, bets: perSecond, seconds }) {
    const { world, later } = context;
    const { players, realtime, api, play } = await openHouse(context, { players: count, perSecond });
    const other = await startRealtime(world, later);
    const sampled = await createPlayers(world, { group: 'sample', count: 20 });
    await api.call('prime', sampled);
    // The sockets that only receive and the players who measure have separate processes, so that the players do not wait for the frames
    // of the other sockets.
    const start = () => startChild<Sockets>('load/sockets.ts', { later });
    const [load, own] = [await start(), await start()];
    const beforeMb = realtime.residentMb();
    const connecting = performance.now();
    const to = { url: realtime.url, port: api.port };
    await load.call('connect', { ...to, players, theyBet: false });
    await own.call('connect', { ...to, players: sampled, theyBet: true });
    const connectedS = (performance.now() - connecting) / 1000;
    await sleep(2000);
    const idleMb = realtime.residentMb();
    const playing = play(WARM_UP_MS, seconds * 1000);
    await sleep(WARM_UP_MS);
    const cpu = realtime.cpuSeconds();
    const measuring = [load.call('measure', seconds), own.call('measure', seconds), playing] as const;
    const [found, sample, bets] = await Promise.all(measuring);
    const figures: Row[] = [
      ['sockets', count + sampled.length],
      ['seconds until all were connected', connectedS],
      ['frames a second', (found.frames + sample.frames) / seconds],
      ['memory MB before', beforeMb],
      ['memory MB idle', idleMb],
      ['memory MB under load', realtime.residentMb()],
      ['memory KB of an idle socket', ((idleMb - beforeMb) * 1024) / (count + sampled.length)],
      ['CPU of the realtime process, cores', (realtime.cpuSeconds() - cpu) / seconds],
    ];
    const more = play(WARM_UP_MS, RETURN_MS);
    await sleep(WARM_UP_MS);
    await realtime.stop('SIGKILL');
    const [back, ownBack] = await Promise.all([load, own].map((child) => child.call('comeBack', other.url)));
    const times: Row[] = [
      ['live-bets.new, to each socket', ...found.broadcast],
      ['live-bets.new, until the last socket has it', ...found.last],
      ["player's bet.settled after the HTTP response", ...sample.own],
      betRow('bets', bets),
      ['connected to another process, each socket', ...back!.back],
      betRow('bets meanwhile', await more),
    ];
    return {
      tables: tablesOf(times, figures),
      checks: [
        check('sockets lost', found.lost + sample.lost, { atMost: 0 }),
        check('bets refused', bets.refusals, { atMost: 0 }),
        check('sockets that had to load the state again', back!.resyncs + ownBack!.resyncs),
      ],
    };
  },
});

const MOST_MS = 1000;

export const chat = defineSuite({
  about: 'a chat room while players bet',
  options: {
    writers: [1000, 'players in the room'],
    every: [20, 'seconds between two messages of one of them'],
    bets: [1000, 'bets a second'],
    seconds: [20, 'length of the measurement'],
  },
  quick: { writers: 200, every: 10, bets: 200, seconds: 5 },
  async run(context, { writers, every: everySeconds, bets: perSecond, seconds }): Promise<Report> {
    const { world, later } = context;
    const { players, realtime, api, play } = await openHouse(context, { players: writers, perSecond });
    const [moderator] = await createPlayers(world, { group: 'staff', count: 1 });
    await query(world.db)`
      update users set is_staff = true, email_verified = true, permissions = array['chat.moderate'] where id = ${moderator!.userId}`;
    await api.call('prime', [moderator!]);
    const load = await startChild<Chat>('load/chat.ts', { later });
    const beforeMb = realtime.residentMb();
    await load.call('connect', realtime.url, players);
    const warmUpMs = Math.min(WARM_UP_MS, seconds * 1000);
    const playing = play(warmUpMs, seconds * 1000);
    await load.call('write', everySeconds, api.port, moderator!);
    await sleep(warmUpMs);
    const cpu = realtime.cpuSeconds();
    const used = sleep(seconds * 1000).then(() => realtime.cpuSeconds() - cpu);
    const [found, bets] = await Promise.all([load.call('measure', seconds), playing]);
    const [, p99Ms, , frames] = found.delivery;
    const times: Row[] = [
      ['chat.message, to each socket', ...found.delivery],
      ['chat.message, until the last socket has it', ...found.last],
      ['chat.send, until it is acknowledged', ...found.acknowledged],
      ['a deletion, until the last socket has it', ...found.moderation],
      betRow('bets', bets),
    ];
    const figures: Row[] = [
      ['sockets', writers],
      ['messages a second', found.messages / seconds],
      ['frames of messages a second', frames / seconds],
      ['memory MB before', beforeMb],
      ['memory MB under load', realtime.residentMb()],
      ['CPU of the realtime process, cores', (await used) / seconds],
      ['CPU of the realtime process, µs a frame', ((await used) * 1e6) / frames],
    ];
    return {
      tables: tablesOf(times, figures),
      checks: [
        check('messages', found.messages, { atLeast: 1 }),
        check('deliveries lost', found.lost, { atMost: 0 }),
        check('deliveries doubled', found.doubled, { atMost: 0 }),
        check('messages refused', found.refusals, { atMost: 0 }, { note: found.firstRefusal ?? '' }),
        check('sockets closed', found.closed, { atMost: 0 }),
        check('bets refused', bets.refusals, { atMost: 0 }),
        check('chat.message to each socket, p99 in ms', p99Ms, { atMost: MOST_MS }),
        check('longest deletion, ms', found.moderation[2], { atMost: MOST_MS }),
      ],
    };
  },
});
