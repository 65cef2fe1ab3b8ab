/** The sockets of bench/sockets.ts, in a separate process that its parent controls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { betIdIn, openConnection } from './client.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import { type Account, BET } from './protocol.ts';

type Player = Account & { socketToken: string };
export type ToSockets =
  /** If `theyBet`, the players bet occasionally and measure the time until their own socket receives the bet. */
  | { type: 'connect'; url: string; port: number; players: readonly Player[]; theyBet: boolean }
  | { type: 'measure'; seconds: number }
  | { type: 'return'; url: string };
type Row = [p50: number, p99: number, most: number, count: number];
/**
 * `back`: time until the sockets of an ended process were connected again and had received all missed events. `resyncs`: number of sockets
 * whose missed events could not be replayed.
 */
export type Returned = { back: Row; resyncs: number };
export type Findings = { broadcast: Row; last: Row; own: Row; frames: number; lost: number };

const AT_ONCE = 50;
const PAUSE_MS = 100;
const AGAIN_MS = 200;

const tally = { broadcast: count(), own: count(), frames: 0, lost: 0, resyncs: 0, isMeasuring: false };
/**
 * The arrivals of each broadcast frame: the time of the latest arrival and the number of arrivals. The key is the time at which the server
 * created the frame.
 */
const broadcasts = new Map<string, { latest: number; reached: number }>();

function count(): { histogram: Histogram; n: number } {
  return { histogram: createHistogram(), n: 0 };
}
function add(counted: { histogram: Histogram; n: number }, ms: number): void {
  counted.histogram.add(Math.max(0, ms) * 1000);
  counted.n++;
}
const row = ({ histogram, n }: { histogram: Histogram; n: number }): Row => [
  ...([histogram.quantileMs(0.5), histogram.quantileMs(0.99), histogram.quantileMs(1)] as const),
  n,
];

const textAfter = (text: string, label: string, length: number) => {
  const at = text.indexOf(label);
  return at < 0 ? undefined : text.substr(at + label.length, length);
};

/** Searches frames for text instead of parsing them, because the server shares this machine and needs the CPU time. */
function hear(text: string, settled: Settled | undefined): void {
  if (tally.isMeasuring) tally.frames++;
  if (text.startsWith('42["live-bets.new"')) {
    const at = textAfter(text, '"at":"', 24)!;
    const known = broadcasts.get(at) ?? { latest: 0, reached: 0 };
    if (!tally.isMeasuring && known.reached === 0) return;
    const now = Date.now();
    broadcasts.set(at, { latest: now, reached: known.reached + 1 });
    add(tally.broadcast, now - Date.parse(at));
  } else if (settled && text.startsWith('42["bet.settled"')) {
    const betId = Number(/"betId":"(\d+)"/.exec(text)?.[1] ?? betIdIn(text, 0));
    settled(betId);
  }
}

type Settled = (betId: number) => void;
type Open = { player: Player; settled: Settled | undefined; last: string; isOpen: boolean };
const sockets: Open[] = [];

/** Resolves when the socket is ready. */
function openSocket(url: string, player: Player, settled?: Settled): Promise<void> {
  const open = { player, settled, last: '', isOpen: true };
  sockets.push(open);
  return connect(url, open, undefined);
}

function connect(url: string, open: Open, lastSeq: number | undefined): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const auth = JSON.stringify({ socket_token: open.player.socketToken, lastSeq });
  return new Promise((resolve) => {
    let isReady = false;
    socket.addEventListener('open', () => socket.send(`40${auth}`));
    // A rejected socket connects again, as real clients do.
    socket.addEventListener('close', () => {
      if (!isReady) return void sleep(AGAIN_MS).then(() => resolve(connect(url, open, lastSeq)));
      open.isOpen = false;
      tally.lost++;
    });
    socket.addEventListener('message', ({ data }) => {
      const text = data as string;
      if (text.startsWith('42["')) open.last = text;
      if (text === '2') socket.send('3');
      else if (text.startsWith('44')) socket.close();
      else if (text.startsWith('42["ready"')) {
        isReady = true;
        resolve();
      } else if (text.startsWith('42["resync"')) tally.resyncs++;
      else hear(text, open.settled);
    });
  });
}

const RETURN_WITHIN_MS = 1000;
const seqOf = (text: string) => Number(/"seq":(\d+)/.exec(text)![1]);

/** Reconnects sockets to another process after their process has ended, each at a random time within a second, as real clients do. */
async function comeBack(url: string): Promise<Returned> {
  while (sockets.some(({ isOpen }) => isOpen)) await sleep(10);
  tally.resyncs = 0;
  const back = count();
  await Promise.all(
    sockets.map(async (open) => {
      await sleep(Math.random() * RETURN_WITHIN_MS);
      const began = performance.now();
      await connect(url, open, seqOf(open.last));
      add(back, performance.now() - began);
    }),
  );
  return { back: row(back), resyncs: tally.resyncs };
}

/** A player who bets occasionally and measures the time until their own socket receives the bet. */
async function sample(url: string, port: number, player: Player): Promise<void> {
  const heard = new Map<number, number>();
  const answered = new Map<number, number>();
  const match = (betId: number) => {
    const [frame, answer] = [heard.get(betId), answered.get(betId)];
    if (frame === undefined || answer === undefined) return;
    if (tally.isMeasuring) add(tally.own, frame - answer);
    heard.delete(betId);
    answered.delete(betId);
  };
  await openSocket(url, player, (betId) => {
    heard.set(betId, performance.now());
    match(betId);
  });
  const body = JSON.stringify(BET);
  const request = Buffer.from(
    `POST /casino/games/house/dice/bet HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${player.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const connection = await openConnection(port, {
    async answered(text, bodyAt) {
      const betId = betIdIn(text, bodyAt);
      if (betId !== undefined) {
        answered.set(betId, performance.now());
        match(betId);
      }
      await sleep(PAUSE_MS * (0.5 + Math.random()));
      connection.send(request);
    },
    broken: (reason) => console.error(reason),
  });
  connection.send(request);
}

let everybody = 0;
process.on('message', async (message: ToSockets) => {
  if (message.type === 'connect') {
    const { url, port, players, theyBet } = message;
    everybody = players.length;
    for (let i = 0; i < everybody; i += AT_ONCE)
      await Promise.all(
        players
          .slice(i, i + AT_ONCE)
          .map((player) => (theyBet ? sample(url, port, player) : openSocket(url, player))),
      );
    process.send?.('connected');
    return;
  }
  if (message.type === 'return') return void process.send?.(await comeBack(message.url));
  tally.isMeasuring = true;
  await sleep(message.seconds * 1000);
  tally.isMeasuring = false;
  await sleep(1500);
  const last = count();
  for (const [at, { latest, reached }] of broadcasts)
    if (reached >= everybody) add(last, latest - Date.parse(at));
  process.send?.({
    broadcast: row(tally.broadcast),
    last: row(last),
    own: row(tally.own),
    frames: tally.frames,
    lost: tally.lost,
  } satisfies Findings);
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
