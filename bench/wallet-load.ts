/** The load generator of `npm run bench wallet`. It is a separate process that its parent controls with messages (wallet-protocol.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { betIdIn, type Connection, isSuccess, openConnection } from './client.ts';
import { createHistogram } from './histogram.ts';
import { createArrivals, type Refusals, refuse, type Seat } from './open-loop.ts';
import { BET } from './protocol.ts';
import {
  type Acknowledged,
  type FromWalletLoad,
  GAMES_DIALECTS,
  type GamesDialect,
  NOOP,
  type Stream,
  type ToWalletLoad,
  type WalletOrder,
  type WalletPlayer,
  type WalletResult,
} from './wallet-protocol.ts';
import { MARKS, type Ready, roundOf } from './wallet-requests.ts';

const NOOP_ROUNDS = 256;
const LONGEST_DRAIN_MS = 20_000;
/** Rejected calls are repeated, as they would be by providers. More rejections than this mean that the server is broken. */
const MOST_REFUSALS = 5000;
const PAUSE_MS = 20;

let players: readonly WalletPlayer[] = [];
const acknowledged: Acknowledged = {
  transactions: Object.fromEntries(
    GAMES_DIALECTS.map((name) => [name, []]),
  ) as unknown as Acknowledged['transactions'],
  houseBets: 0,
};
/** Rounds signed in advance, by dialect. The rounds for the no-op variant may be sent repeatedly. */
const signed = new Map<string, Ready[][]>();

const tell = (message: FromWalletLoad): void => void process.send?.(message);

process.on('message', (message: ToWalletLoad) => {
  if (message.type === 'players') players = message.players;
  else if (message.type === 'sign') {
    sign(message.dialect, message.rounds);
    tell({ type: 'signed' });
  } else if (message.type === 'acknowledged') tell({ type: 'acknowledged', acknowledged });
  else
    run(message.order).then(
      (result) => tell({ type: 'finished', result }),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);

const poolName = (dialect: GamesDialect, isNoop: boolean) => `${dialect} ${isNoop}`;

/** Signs rounds in advance. The no-op variant needs far fewer, because it stores nothing and handles a repeated call like a new one. */
function sign(dialect: GamesDialect, rounds: number): void {
  const make = (count: number, isNoop: boolean) =>
    Array.from({ length: count }, (_, n) => roundOf(dialect, players[n % players.length]!, isNoop));
  signed.set(poolName(dialect, true), make(NOOP_ROUNDS, true));
  signed.set(poolName(dialect, false), make(rounds, false));
}

/** The source of one connection's requests. `next` returns the next request, and `took` handles its response. */
type Source = { next(): Ready; took(ready: Ready, text: string, bodyAt: number): boolean };

function sourceOf(stream: Stream, index: number): Source {
  if (stream.what === 'reads') return readsOf(stream.paths, index);
  return stream.what === 'house' ? houseOf(stream, index) : callsOf(stream, index);
}

function readsOf(paths: readonly string[], index: number): Source {
  const { token } = players[index % players.length]!;
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`),
  );
  let n = 0;
  return {
    next: () => ({ bytes: requests[n++ % requests.length]!, id: undefined }),
    took: (_ready, text) => isSuccess(text),
  };
}

function houseOf({ connections, isNoop }: Stream & { what: 'house' }, index: number): Source {
  const body = JSON.stringify(BET);
  const path = isNoop ? `${NOOP}/dice` : '/casino/games/house/dice/bet';
  const request = ({ token }: WalletPlayer) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  const requests = players.filter((_, n) => n % connections === index % connections).map(request);
  let n = 0;
  return {
    next: () => ({ bytes: requests[n++ % requests.length]!, id: undefined }),
    took(_ready, text, bodyAt) {
      if (!isSuccess(text) || betIdIn(text, bodyAt) === undefined) return false;
      if (!isNoop) acknowledged.houseBets++;
      return true;
    },
  };
}

function callsOf({ dialect, connections, isNoop, isHot }: Stream & { what: 'calls' }, index: number): Source {
  const own = isHot ? [players[0]!] : players.filter((_, n) => n % connections === index);
  const pool = signed.get(poolName(dialect, isNoop));
  const mark = MARKS[dialect];
  let n = 0;
  let round: Ready[] = [];
  const nextRound = (): Ready[] => {
    if (!pool) return roundOf(dialect, own[n++ % own.length]!, isNoop);
    const ready = isNoop ? pool[(index + connections * n++) % pool.length] : pool.pop();
    if (!ready) throw new Error(`too few rounds of ${dialect} were signed in advance`);
    return [...ready];
  };
  return {
    next() {
      if (round.length === 0) round = nextRound();
      return round.shift()!;
    },
    took({ id }, text, bodyAt) {
      if (!isSuccess(text) || !text.includes(mark, bodyAt)) return false;
      if (!isNoop && id !== undefined) acknowledged.transactions[dialect].push(id);
      return true;
    },
  };
}

type Tally = { requests: number; latency: ReturnType<typeof createHistogram> };
type Course = Refusals & {
  tallies: Tally[];
  inFlight: number;
  release: (seat: Seat) => void;
};

async function run(order: WalletOrder): Promise<WalletResult> {
  const course: Course = {
    tallies: order.streams.map(() => ({ requests: 0, latency: createHistogram() })),
    refusals: 0,
    firstRefusal: undefined,
    inFlight: 0,
    isStopped: false,
    broken: undefined,
    release: (seat) => seat.send(performance.now()),
  };
  const arrivals = order.perSecond === undefined ? undefined : createArrivals(order.perSecond, course);
  if (arrivals) course.release = arrivals.release;
  const opened = order.streams.map((stream, place) =>
    Array.from({ length: stream.connections }, (_, index) => {
      const source = sourceOf(stream, index);
      return openSeat(order.port, source, { course, tally: course.tallies[place]! });
    }),
  );
  const seats = await Promise.all(opened.flat());
  for (const seat of seats) seat.send(performance.now());
  arrivals?.start();
  await sleep(order.warmUpMs);
  for (const tally of course.tallies) {
    tally.requests = 0;
    tally.latency.clear();
  }
  tell({ type: 'measuring' });
  const startedMs = performance.now();
  await sleep(order.measureMs);
  const seconds = (performance.now() - startedMs) / 1000;
  tell({ type: 'measured' });
  const streams = course.tallies.map(({ requests, latency }) => ({
    requests,
    p50Ms: latency.quantileMs(0.5),
    p99Ms: latency.quantileMs(0.99),
  }));
  const backlog = arrivals?.backlog() ?? 0;
  course.isStopped = true;
  await drain(course);
  for (const seat of seats) seat.close();
  const { refusals, firstRefusal } = course;
  return { streams, seconds, refusals, firstRefusal, backlog };
}

async function drain(course: Course): Promise<void> {
  const giveUpMs = performance.now() + LONGEST_DRAIN_MS;
  while (course.inFlight > 0 && course.broken === undefined) {
    if (performance.now() > giveUpMs) throw new Error(`${course.inFlight} requests got no response`);
    await sleep(5);
  }
  if (course.broken !== undefined) throw new Error(course.broken);
}

async function openSeat(
  port: number,
  source: Source,
  { course, tally }: { course: Course; tally: Tally },
): Promise<Seat> {
  let startedMs = 0;
  let sent: Ready;
  const answered = (text: string, bodyAt: number): void => {
    if (source.took(sent, text, bodyAt)) {
      tally.requests++;
      tally.latency.add((performance.now() - startedMs) * 1000);
      course.inFlight--;
    } else if (refuse(course, { text, bodyAt, most: MOST_REFUSALS })) {
      // Repeats a call even after the time is up, because every transaction that the platform has booked must also be acknowledged.
      setTimeout(again, PAUSE_MS);
      return;
    }
    if (!course.isStopped) course.release(seat);
  };
  const again = (): void => {
    connection.send(sent.bytes);
  };
  const broken = (reason: string): void => {
    course.broken ??= reason;
  };
  const connection: Connection = await openConnection(port, { answered, broken });
  const seat: Seat = {
    send(begunMs) {
      startedMs = begunMs;
      sent = source.next();
      course.inFlight++;
      connection.send(sent.bytes);
    },
    close: connection.close,
  };
  return seat;
}
