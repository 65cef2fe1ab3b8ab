/** The sockets of `npm run bench sockets`, in a separate process that its parent controls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { betIdIn, createTimes, openConnection, openSocket, requestOf } from './client.ts';
import { type Account, DICE, piecesOf, serve } from './protocol.ts';

const AT_ONCE = 50;
const PAUSE_MS = 100;
const RETURN_WITHIN_MS = 1000;

const times = { broadcast: createTimes(), own: createTimes() };
const tally = { frames: 0, lost: 0, resyncs: 0, isMeasuring: false };
/**
 * The arrivals of each broadcast frame: the time of the latest arrival and the number of arrivals. The key is the time at which the server
 * created the frame.
 */
const broadcasts = new Map<string, { latest: number; reached: number }>();

type Open = {
  player: Account;
  settled: ((betId: number) => void) | undefined;
  last: string;
  isOpen: boolean;
};
const sockets: Open[] = [];

/** Searches frames for text instead of parsing them, because the server shares this machine and needs the CPU time. */
function hear(frame: string, open: Open): void {
  if (frame.startsWith('42["')) open.last = frame;
  if (frame.startsWith('42["resync"')) tally.resyncs++;
  else if (tally.isMeasuring) tally.frames++;
  if (frame.startsWith('42["live-bets.new"')) {
    const label = '"at":"';
    const at = frame.substr(frame.indexOf(label) + label.length, 24);
    const known = broadcasts.get(at) ?? { latest: 0, reached: 0 };
    if (!tally.isMeasuring && known.reached === 0) return;
    const now = Date.now();
    broadcasts.set(at, { latest: now, reached: known.reached + 1 });
    times.broadcast.add(now - Date.parse(at));
  } else if (frame.startsWith('42["bet.settled"')) open.settled?.(betIdIn(frame, 0)!);
}

async function connect(url: string, open: Open, lastSeq?: number): Promise<void> {
  const auth = { socket_token: open.player.socketToken, lastSeq };
  await openSocket(url, auth, {
    event: (frame) => hear(frame, open),
    closed() {
      open.isOpen = false;
      tally.lost++;
    },
  });
  open.isOpen = true;
}

function openFirst(url: string, player: Account, settled?: Open['settled']): Promise<void> {
  const open: Open = { player, settled, last: '', isOpen: true };
  sockets.push(open);
  return connect(url, open);
}

const seqOf = (frame: string) => Number(/"seq":(\d+)/.exec(frame)![1]);

/**
 * Reconnects sockets to another process after their process has ended, each at a random time within a second, as real clients do. Returns the
 * times until they had received all missed events, and the number of sockets whose missed events could not be replayed.
 */
async function comeBack(url: string) {
  while (sockets.some(({ isOpen }) => isOpen)) await sleep(10);
  tally.resyncs = 0;
  const back = createTimes();
  await Promise.all(
    sockets.map(async (open) => {
      await sleep(Math.random() * RETURN_WITHIN_MS);
      const began = performance.now();
      await connect(url, open, seqOf(open.last));
      back.add(performance.now() - began);
    }),
  );
  return { back: back.all(), resyncs: tally.resyncs };
}

/** A player who bets occasionally and measures the time until their own socket receives the bet. */
async function betAndListen(url: string, port: number, player: Account): Promise<void> {
  const bets = new Map<number, { frame?: number; answer?: number }>();
  const arrived = (betId: number, what: 'frame' | 'answer') => {
    const bet = { ...bets.get(betId), [what]: performance.now() };
    bets.set(betId, bet);
    if (bet.frame === undefined || bet.answer === undefined) return;
    if (tally.isMeasuring) times.own.add(bet.frame - bet.answer);
    bets.delete(betId);
  };
  await openFirst(url, player, (betId) => arrived(betId, 'frame'));
  const request = requestOf(DICE.steps[0]!, player.token);
  const connection = await openConnection(port, {
    async answered(text, bodyAt) {
      const betId = betIdIn(text, bodyAt);
      if (betId !== undefined) arrived(betId, 'answer');
      await sleep(PAUSE_MS * (0.5 + Math.random()));
      connection.send(request);
    },
    broken: (reason) => console.error(reason),
  });
  connection.send(request);
}

/** Returns the times until a frame reached each socket (`broadcast`) and the last one, and until a player's own bet arrived (`own`). */
async function measure(seconds: number) {
  tally.isMeasuring = true;
  await sleep(seconds * 1000);
  tally.isMeasuring = false;
  await sleep(1500);
  const last = createTimes();
  for (const [at, { latest, reached }] of broadcasts)
    if (reached >= sockets.length) last.add(latest - Date.parse(at));
  const { frames, lost } = tally;
  return { broadcast: times.broadcast.all(), last: last.all(), own: times.own.all(), frames, lost };
}

type Connect = { url: string; port: number; players: readonly Account[]; theyBet: boolean };

const calls = {
  /** Opens a socket for each player. If `theyBet`, the players bet occasionally and measure the time until their socket receives the bet. */
  async connect({ url, port, players, theyBet }: Connect): Promise<void> {
    const open = (player: Account) => (theyBet ? betAndListen(url, port, player) : openFirst(url, player));
    for (const piece of piecesOf(players, AT_ONCE)) await Promise.all(piece.map(open));
  },
  measure,
  comeBack,
};
export type Served = typeof calls;
serve(calls);
