/**
 * npm run bench sockets: measures many sockets on one realtime process while players bet. Measures the delay until a broadcast reaches all
 * sockets, and the delay from a bet's response until the bet reaches its player's socket. Also measures the cost of a socket, and how soon
 * all sockets are connected to another process after their process has ended.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cell } from './compare.ts';
import { numbersOf } from './options.ts';
import { createPlayers } from './players.ts';
import { startGenerator, startServer } from './processes.ts';
import { type Account, BET } from './protocol.ts';
import { socketToken, startRealtime } from './realtime.ts';
import type { Findings, Returned, ToSockets } from './sockets-load.ts';
import { createWorld } from './world.ts';

const {
  sockets,
  bets: perSecond,
  seconds,
} = numbersOf('sockets', {
  sockets: [5000, 'sockets'],
  bets: [2000, 'bets a second'],
  seconds: [20, 'length of the measurement'],
});
const SAMPLED = 20;
/** Each player's first bet is slower. During this pause the server processes the resulting backlog. */
const WARM_UP_MS = 10_000;
const RETURN_MS = 30_000;
const CONNECTIONS = 128;

const LOAD = fileURLToPath(new URL('sockets-load.ts', import.meta.url));

function startSockets() {
  const child = fork(LOAD, { serialization: 'advanced', execArgv: [] });
  return {
    async ask<T = void>(message: ToSockets): Promise<T> {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    },
    stop: () => child.kill(),
  };
}

const world = await createWorld({ timed: false });
const key = new TextEncoder().encode(world.env.JWT_SECRET);
const crowd = await createPlayers(world.db, world.env, { group: 'crowd', count: sockets });
// The players are not test users, because bets of test users are not broadcast to other players.
await world.db.updateTable('users').set({ is_test: false }).execute();
const sampled = await createPlayers(world.db, world.env, { group: 'sample', count: SAMPLED });
const [realtime, other, api] = [
  await startRealtime(world),
  await startRealtime(world),
  await startServer('ours', { env: world.env, execArgv: [] }),
];
const generator = startGenerator();
/**
 * The sockets that only receive and the players who measure have separate processes, so that the players do not wait for the frames of the
 * other sockets.
 */
const [load, own] = [startSockets(), startSockets()];
try {
  await api.prime([...crowd, ...sampled]);
  generator.players('crowd', crowd);
  await sleep(1000);
  const before = realtime.residentMb();
  const withTokens = (accounts: readonly Account[]) =>
    Promise.all(accounts.map(async (a) => ({ ...a, socketToken: await socketToken(a, key) })));
  const connecting = performance.now();
  const to = { type: 'connect', url: realtime.url, port: api.port } as const;
  await load.ask({ ...to, players: await withTokens(crowd), theyBet: false });
  await own.ask({ ...to, players: await withTokens(sampled), theyBet: true });
  const connectedMs = performance.now() - connecting;
  await sleep(2000);
  const idle = realtime.residentMb();
  const play = { steps: [{ path: '/casino/games/house/dice/bet', body: BET }] };
  const playing = {
    port: api.port,
    play,
    group: 'crowd',
    players: sockets,
    connections: Math.min(CONNECTIONS, sockets),
    warmUpMs: WARM_UP_MS,
    measureMs: seconds * 1000,
    perSecond,
    keepsBets: false,
  };
  const running = generator.run(playing, () => undefined);
  await sleep(WARM_UP_MS);
  const cpu = realtime.cpu();
  const measure = { type: 'measure', seconds } as const;
  const [found, sample, bets] = await Promise.all([
    load.ask<Findings>(measure),
    own.ask<Findings>(measure),
    running,
  ]);
  const line = (what: string, ...figures: (string | number)[]) =>
    console.log(what.padEnd(46) + figures.map((figure) => cell(figure, 12)).join(''));
  line('', 'p50 ms', 'p99 ms', 'most ms', 'of');
  line('live-bets.new, to each socket', ...found.broadcast);
  line('live-bets.new, until the last socket has it', ...found.last);
  line('own bet.settled after the HTTP response', ...sample.own);
  line('bets a second, p50 ms, p99 ms', bets.bets / bets.seconds, bets.p50Ms, bets.p99Ms);
  line('sockets, connected within ms', sockets + SAMPLED, connectedMs);
  line('frames a second', (found.frames + sample.frames) / seconds);
  line('memory MB before, idle, under load', before, idle, realtime.residentMb());
  line('memory KB a socket, idle', ((idle - before) * 1024) / (sockets + SAMPLED));
  line('CPU of realtime, share of one core', (realtime.cpu() - cpu) / seconds);
  const lost = found.lost + sample.lost;
  line('sockets lost', lost);
  const more = generator.run({ ...playing, measureMs: RETURN_MS }, () => undefined);
  await sleep(WARM_UP_MS);
  await realtime.stop('SIGKILL');
  const elsewhere = { type: 'return', url: other.url } as const;
  const [crowdBack, sampleBack, betsMeanwhile] = await Promise.all([
    load.ask<Returned>(elsewhere),
    own.ask<Returned>(elsewhere),
    more,
  ]);
  line('back on another process, each', ...crowdBack.back);
  line(
    'bets a second meanwhile, p50 ms, p99 ms',
    betsMeanwhile.bets / betsMeanwhile.seconds,
    betsMeanwhile.p50Ms,
    betsMeanwhile.p99Ms,
  );
  line('had to load the state again', crowdBack.resyncs + sampleBack.resyncs);
  if (lost > 0 || bets.refusals > 0) process.exitCode = 1;
} finally {
  load.stop();
  own.stop();
  await generator.stop();
  await api.stop();
  await realtime.stop();
  await other.stop();
  await world.close();
}
