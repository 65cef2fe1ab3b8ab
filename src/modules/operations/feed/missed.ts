import { type Clock, iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Frame, Missed, Told } from '../../../realtime/feed.ts';
import { eventsForEach } from '../../base/events/service.ts';
import type { Chat } from '../../engagement/chat/service.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { SpeedRoulette } from '../../games/house-games/speed-roulette/service.ts';
import { balancesOfMany } from '../../money/ledger/balances.ts';
import { reservedBelow } from '../../money/ledger/safe-watermark.ts';
import { balanceFrame, betFrame, eventFrame, type ReadAt, stateFrame } from './frames.ts';
import { fillEach, LIVE_ROWS, SPEED_BETS } from './news.ts';

export type MissedDeps = {
  db: Db;
  bets: Pick<Bets, 'news' | 'live'>;
  chat: Pick<Chat, 'readMessages' | 'readHistories'>;
  speedRoulette: Pick<SpeedRoulette, 'find'>;
  databaseClock: Clock;
  config: { RESUME_SECONDS: number; EVENTS_KEEP_DAYS: number };
};

/** The positions up to which this process has read everything, and the bets of speed-roulette. */
type ReadTo = { to: bigint; speedTo: bigint };

/** The maximum number of frames to resend. */
const MOST = 1000;
const DAY_MS = 86_400_000;
const CHAT = 'chat:';

/**
 * Returns for each socket the frames after its `lastSeq` up to `to`, and the current state. All sockets are read together, because the
 * sockets of a stopped process return at the same moment.
 */
export async function readMissed(
  parts: MissedDeps,
  sockets: readonly Missed[],
  readTo: ReadTo,
): Promise<Told[]> {
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
    // Older than the event retention, so later events may already be deleted.
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

/** Returns the id of a chat room, or nothing for another room. */
const chatIdOf = (room: string): string[] => (room.startsWith(CHAT) ? [room.slice(CHAT.length)] : []);

/** Returns the current round and its latest bets, up to the position where live bets continue. Returns nothing before the first round. */
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
