/**
 * npm run bench chat: measures a chat room on one realtime process while players bet. All sockets receive every message and write
 * occasionally. Measures three delays: until a message reaches each socket, until it reaches the last socket, and until a moderator's
 * action reaches all sockets. Also measures the CPU time and memory used. Exits 1 if a message was lost, duplicated or rejected, or took
 * longer than a second.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChatFindings, ToChat } from './chat-load.ts';
import { cell } from './compare.ts';
import { numbersOf } from './options.ts';
import { createPlayers } from './players.ts';
import { startGenerator, startServer } from './processes.ts';
import { BET } from './protocol.ts';
import { socketToken, startRealtime } from './realtime.ts';
import { createWorld } from './world.ts';

const {
  writers,
  every,
  bets: perSecond,
  seconds,
} = numbersOf(
  'chat',
  {
    writers: [1000, 'players in the room'],
    every: [20, 'seconds between two messages of one of them'],
    bets: [1000, 'bets a second'],
    seconds: [20, 'length of the measurement'],
  },
  { writers: 200, every: 10, bets: 200, seconds: 5 },
);
const WARM_UP_MS = Math.min(10_000, seconds * 1000);
const CONNECTIONS = 128;
const MOST_MS = 1000;

const LOAD = fileURLToPath(new URL('chat-load.ts', import.meta.url));

function startLoad() {
  const child = fork(LOAD, { serialization: 'advanced', execArgv: [] });
  return {
    async ask<T = void>(message: ToChat): Promise<T> {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    },
    stop: () => child.kill(),
  };
}

const world = await createWorld({ timed: false });
const { db, env } = world;
const key = new TextEncoder().encode(env.JWT_SECRET);
const crowd = await createPlayers(db, env, { group: 'crowd', count: writers });
await db.updateTable('users').set({ is_test: false, email_verified: true }).execute();
const [moderator] = await createPlayers(db, env, { group: 'staff', count: 1 });
await db
  .updateTable('users')
  .set({ is_staff: true, email_verified: true, permissions: ['chat.moderate'] })
  .where('id', '=', moderator!.userId)
  .execute();
const [realtime, api] = [await startRealtime(world), await startServer('ours', { env, execArgv: [] })];
const generator = startGenerator();
const load = startLoad();
try {
  await api.prime([...crowd, moderator!]);
  generator.players('crowd', crowd);
  const before = realtime.residentMb();
  const withTokens = await Promise.all(
    crowd.map(async (one) => ({ ...one, socketToken: await socketToken(one, key) })),
  );
  await load.ask({ type: 'connect', url: realtime.url, writers: withTokens });
  const running = generator.run(
    {
      port: api.port,
      play: { steps: [{ path: '/casino/games/house/dice/bet', body: BET }] },
      group: 'crowd',
      players: writers,
      connections: Math.min(CONNECTIONS, writers),
      warmUpMs: WARM_UP_MS,
      measureMs: seconds * 1000,
      perSecond,
      keepsBets: false,
    },
    () => undefined,
  );
  await load.ask({ type: 'write', everySeconds: every, apiPort: api.port, moderator: moderator! });
  await sleep(WARM_UP_MS);
  const cpu = realtime.cpu();
  let used = 0;
  void sleep(seconds * 1000).then(() => {
    used = realtime.cpu() - cpu;
  });
  const [found, bets] = await Promise.all([load.ask<ChatFindings>({ type: 'measure', seconds }), running]);
  const line = (what: string, ...figures: (string | number)[]) =>
    console.log(what.padEnd(46) + figures.map((figure) => cell(figure, 12)).join(''));
  line('', 'p50 ms', 'p99 ms', 'most ms', 'of');
  line('chat.message, to each socket', ...found.delivery);
  line('chat.message, until the last socket has it', ...found.last);
  line('chat.send, until it is acknowledged', ...found.acknowledged);
  line('a deletion, until the last socket has it', ...found.moderation);
  line('messages a second', found.messages / seconds);
  line('frames of messages a second', found.frames / seconds);
  line('bets a second, p50 ms, p99 ms', bets.bets / bets.seconds, bets.p50Ms, bets.p99Ms);
  line('sockets', writers);
  line('memory MB before, under load', before, realtime.residentMb());
  line('CPU of realtime, share of one core', used / seconds);
  line('CPU of realtime, µs a frame', (used * 1e6) / found.frames);
  line('deliveries lost, doubled', found.lost, found.doubled);
  line('refusals, sockets closed', found.refusals, found.closed);
  if (found.firstRefusal !== undefined) console.log(found.firstRefusal);
  const broken = found.lost + found.doubled + found.refusals + found.closed + bets.refusals;
  const slowest = Math.max(found.delivery[1], found.moderation[2]);
  if (broken > 0 || slowest > MOST_MS || found.messages === 0) process.exitCode = 1;
} finally {
  load.stop();
  await generator.stop();
  await api.stop();
  await realtime.stop();
  await world.close();
}
