import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Audience, Delivery, Feed, Frame, Missed, Told } from '../../../realtime/feed.ts';
import { eventsForEach } from '../../base/events/service.ts';
import type { Chat } from '../../engagement/chat/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { SpeedRoulette } from '../../games/house-games/speed-roulette/service.ts';
import { balancesOfMany } from '../../money/ledger/balances.ts';
import { createSafeWatermark, reservedBelow } from '../../money/ledger/safe-watermark.ts';
import {
  balanceFrame,
  betFrame,
  createNews,
  eventFrame,
  fillEach,
  LIVE_ROWS,
  type NewsDeps,
  type ReadAt,
  SPEED_BETS,
  stateFrame,
} from './news.ts';

/**
 * How long a read waits for open transactions. Bet transactions end within this time. Waiting is faster than leaving their events to the
 * next read.
 */
const PATIENT = { patienceMs: 30 };
/** The maximum time that the first socket waits for the current position. */
const START_MS = 2000;
/** A range that is too large for one statement is read in parts. After each failure, the size of the parts is divided by this number. */
const SMALLER = 16n;
const SMALLEST = SMALLER ** 11n;

/** Creates the feed of all events, bets and wallet changes up to the safe watermark. Each process reads the feed for its own sockets. */
export function createFeed(deps: NewsDeps & MissedDeps): Feed {
  const reader = createReader(deps);
  let running: Promise<unknown> = Promise.resolve();
  /** Runs calls one after another, so that the result of `missed` ends where that of the following `next` begins. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = running.then(work, work);
    running = mine.catch(() => undefined);
    return mine;
  };
  return {
    next: (audience) =>
      inTurn(async () => {
        const deliveries = await reader.read(audience);
        return { deliveries, position: Number(reader.position()) };
      }),
    async missed(sockets) {
      const readTo = await inTurn(reader.readTo);
      if (readTo.to === 0n) throw new Error('the current position is not known yet');
      return readMissed(deps, sockets, readTo);
    },
    rest: reader.rest,
  };
}

/** Reads new events from one position to the next. */
function createReader(deps: NewsDeps) {
  const { db } = deps;
  const news = createNews(deps);
  let safeWatermark = createSafeWatermark(db, PATIENT);
  let position = 0n;
  let pieces = 1n;

  /** Starts reading at the current position as soon as the position is known. */
  const start = async (): Promise<boolean> => {
    const below = await safeWatermark();
    if (below === 0n) return false;
    position = below - 1n;
    news.startAt(position);
    return true;
  };
  return {
    position: () => position,
    async read(audience: Audience): Promise<Delivery[]> {
      if (position === 0n) {
        await start();
        return [];
      }
      const ahead = (await safeWatermark()) - position - 1n;
      const below = position + 1n + (ahead + pieces - 1n) / pieces;
      try {
        const deliveries = await news.read(audience, { after: position, below });
        position = below - 1n;
        pieces = pieces > 4n ? pieces / 4n : 1n;
        return deliveries;
      } catch (error) {
        pieces = pieces < SMALLEST ? pieces * SMALLER : SMALLEST;
        throw error;
      }
    },
    /** Returns the positions up to which this process has read, or 0 if the current position is not known in time. */
    async readTo() {
      const until = performance.now() + START_MS;
      while (position === 0n && performance.now() < until && !(await start())) await sleep(5);
      return { to: position, speedTo: news.speedPosition() };
    },
    rest(): void {
      position = 0n;
      // Creates a new watermark, because the previous one may contain an outdated position.
      safeWatermark = createSafeWatermark(db, PATIENT);
    },
  };
}

type MissedDeps = {
  db: Db;
  bets: Pick<Bets, 'news' | 'live'>;
  chat: Pick<Chat, 'readMessages' | 'readHistories'>;
  speedRoulette: Pick<SpeedRoulette, 'find'>;
  databaseClock: Clock;
  config: { RESUME_SECONDS: number; EVENTS_KEEP_DAYS: number };
};

/** The positions up to which this process has read everything (`to`) and the bets of speed-roulette (`speedTo`). */
type ReadTo = { to: bigint; speedTo: bigint };

/** The maximum number of frames that are sent again. */
const MOST = 1000;
const DAY_MS = 86_400_000;
const CHAT = 'chat:';

/**
 * Returns for each socket the frames after its `lastSeq` up to `to`, and the current state. All sockets are read together, because all
 * sockets of a stopped process reconnect at the same time.
 */
async function readMissed(parts: MissedDeps, sockets: readonly Missed[], readTo: ReadTo): Promise<Told[]> {
  const { to } = readTo;
  const known = sockets.flatMap((socket) => {
    const { lastSeq = -1 } = socket;
    return Number.isSafeInteger(lastSeq) && lastSeq >= 0 ? [{ ...socket, socket, lastSeq }] : [];
  });
  // Another process may have read further than this one, but not beyond the reserved ids.
  const isAhead = known.some(({ lastSeq }) => BigInt(lastSeq) > to);
  const end = isAhead ? await reservedBelow(parts.db) : to + 1n;
  const returning = known
    .filter(({ lastSeq }) => BigInt(lastSeq) < end)
    .map((socket) => ({ ...socket, after: BigInt(socket.lastSeq) }));
  const behind = returning.filter(({ after }) => after < to);
  const [pasts, states] = await Promise.all([
    readPasts(parts, behind, to + 1n),
    readStates(parts, sockets, readTo),
  ]);
  const past = new Map<Missed, Frame[] | undefined>(returning.map(({ socket }) => [socket, []]));
  for (const [i, { socket }] of behind.entries()) past.set(socket, pasts[i]);
  return sockets.map((socket, i) => ({ past: past.get(socket), states: states[i]! }));
}

async function readPasts(
  parts: MissedDeps,
  sockets: readonly { userId: number; rooms: readonly string[]; after: bigint }[],
  below: bigint,
): Promise<(Frame[] | undefined)[]> {
  if (sockets.length === 0) return [];
  const { db, bets, config, databaseClock } = parts;
  const range = { below, most: MOST + 1 };
  const [events, ended, next] = await Promise.all([
    eventsForEach(db, sockets, range),
    bets.news.ofEach(sockets, range),
    bets.news.timesAfter(sockets.map(({ after }) => after)),
  ]);
  const now = databaseClock.now();
  const tooOld = new Date(now - config.RESUME_SECONDS * 1000);
  const isWhole = sockets.map((_, i) => {
    const [own, ends, first] = [events[i]!, ended[i]!, next[i]];
    // The position is older than the retention of events, so later events may already be deleted.
    const isForgotten = first && first.getTime() < now - config.EVENTS_KEEP_DAYS * DAY_MS;
    const isTooLong = own.length + ends.length > MOST;
    return !isForgotten && !isTooLong && ![...own, ...ends].some(({ at }) => at < tooOld);
  });
  const filled = await fillEach(
    parts,
    events.map((own, i) => (isWhole[i] ? own : [])),
  );
  return sockets.map((_, i) =>
    isWhole[i]
      ? [...filled[i]!.map(eventFrame), ...ended[i]!.map(betFrame)].sort((a, b) => a.seq - b.seq)
      : undefined,
  );
}

async function readStates(parts: MissedDeps, sockets: readonly Missed[], readTo: ReadTo): Promise<Frame[][]> {
  const at = { seq: readTo.to, now: parts.databaseClock.now() };
  const isAny = (room: string) => sockets.some(({ rooms }) => rooms.includes(room));
  const players = [...new Set(sockets.flatMap(({ userId }) => (userId > 0 ? [userId] : [])))];
  const chatRooms = [...new Set(sockets.flatMap(({ rooms }) => rooms))].flatMap(chatIdOf);
  const [wallets, chats, rows, speed] = await Promise.all([
    balancesOfMany(parts.db, players),
    parts.chat.readHistories(chatRooms, readTo.to),
    isAny('public') ? parts.bets.live.list(0, 'ALL', LIVE_ROWS) : [],
    isAny('game:speed-roulette') ? readRound(parts, readTo, at) : [],
  ]);
  const live = rows.length > 0 ? [stateFrame('live-bets.new', at, { bets: [...rows] })] : [];
  const chatFrames = new Map([...chats].map(([id, room]) => [id, stateFrame('chat.history', at, room)]));
  return sockets.map(({ userId, rooms }) => [
    ...(wallets.get(userId) ?? []).map((wallet) => balanceFrame(at, wallet)),
    ...(rooms.includes('public') ? live : []),
    ...(rooms.includes('game:speed-roulette') ? speed : []),
    ...rooms.flatMap(chatIdOf).flatMap((id) => chatFrames.get(id) ?? []),
  ]);
}

/** Returns the id of a chat room as a list. The list is empty for other rooms. */
const chatIdOf = (room: string): string[] => (room.startsWith(CHAT) ? [room.slice(CHAT.length)] : []);

/**
 * Returns the current round and its latest bets, up to the position from which live bets continue. Returns an empty list before the first
 * round.
 */
async function readRound({ speedRoulette }: MissedDeps, { speedTo }: ReadTo, at: ReadAt): Promise<Frame[]> {
  const info = await speedRoulette.find(0, speedTo);
  if (!info) return [];
  const { roundId, phase, seedHash, seed, position, color, endsAt } = info.game;
  const bets = info.usersBets.slice(-SPEED_BETS);
  const data = { roundId, mode: 'ALL' as const, bets, more: info.usersBets.length - bets.length };
  const round = { roundId, phase, seedHash, seed, position, color, endsAt };
  return [
    { event: 'speed-roulette.round', seq: Number(at.seq), at: iso(new Date(at.now)), data: round },
    stateFrame('speed-roulette.bet', at, data),
  ];
}
