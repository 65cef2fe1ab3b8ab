import { type Clock, iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { Audience, Delivery, Frame } from '../../../realtime/feed.ts';
import { eventsIn, type StoredEvent } from '../../base/events/service.ts';
import type { Chat } from '../../engagement/chat/service.ts';
import { madeIn, type SettledBet } from '../../games/bets/news.ts';
import type { Bets } from '../../games/bets/service.ts';
import { newBetsIn } from '../../games/house-games/speed-roulette/service.ts';
import { type Range, type TouchedWallet, touchedWallets } from '../../money/ledger/balances.ts';
import type { DerivedData, DerivedName } from './schemas.ts';

/** The maximum number of rows in one frame of live bets. */
export const LIVE_ROWS = 10;
/** The minimum interval between frames of new speed-roulette bets, and the maximum number of bets in one frame. */
const SPEED_BETS_EVERY_MS = 250;
export const SPEED_BETS = 100;

export type NewsDeps = {
  db: Db;
  bets: Pick<Bets, 'news'>;
  chat: Pick<Chat, 'readMessages'>;
  databaseClock: Clock;
  config: { LIVE_BETS_EVERY_MS: number };
};

const userRoom = (userId: number) => `user:${userId}`;
const toRoom = (room: string, frame: Frame): Delivery[] => [{ room, frame }];

/** Reads new events, one id range after another. */
export function createNews(parts: NewsDeps) {
  const live = createThrottled(parts.config.LIVE_BETS_EVERY_MS);
  const speed = createThrottled(SPEED_BETS_EVERY_MS);
  return {
    startAt(position: bigint): void {
      live.skipTo(position);
      speed.skipTo(position);
    },

    /** The position up to which speed-roulette bets have been sent. */
    speedPosition: speed.position,

    /** Returns the events of the range in order, followed by the state at the end of the range. */
    async read(audience: Audience, range: Range): Promise<Delivery[]> {
      const isNew = range.below > range.after + 1n;
      const [own, bets, rows] = await Promise.all([
        isNew ? readOwn(parts, audience, range) : [],
        speed.due(audience.rooms.has('game:speed-roulette'), range.below, (r) =>
          newBetsIn(parts.db, r, SPEED_BETS),
        ),
        live.due(audience.rooms.has('public'), range.below, (r) => parts.bets.news.latest(r, LIVE_ROWS)),
      ]);
      live.keep();
      speed.keep();
      const at = readAt(parts, range);
      return [
        ...own,
        ...(bets
          ? toRoom('game:speed-roulette', stateFrame('speed-roulette.bet', at, { ...bets, mode: 'ADDED' }))
          : []),
        ...(rows?.length ? toRoom('public', stateFrame('live-bets.new', at, { bets: rows })) : []),
      ];
    },
  };
}

const readAt = ({ databaseClock }: NewsDeps, { below }: Range): ReadAt => ({
  seq: below - 1n,
  now: databaseClock.now(),
});

/** Returns events and settled bets in the order of their sequence positions, followed by the wallets that changed. */
async function readOwn(parts: NewsDeps, audience: Audience, range: Range): Promise<Delivery[]> {
  const { db, bets } = parts;
  const { users, rooms } = audience;
  const [events, ended, wallets] = await Promise.all([
    eventsIn(db, { userIds: users, rooms: [...rooms] }, range).then((some) => fillEach(parts, [some])),
    users.length > 0 ? bets.news.of(users, range) : [],
    users.length > 0 ? touchedWallets(db, users, { ...range, made: madeIn(range) }) : [],
  ]);
  const past: Delivery[] = [
    ...events.flat().map((e) => ({ room: e.userId > 0 ? userRoom(e.userId) : e.room, frame: eventFrame(e) })),
    ...ended.map((bet) => ({ room: userRoom(bet.userId), frame: betFrame(bet) })),
  ];
  const at = readAt(parts, range);
  return [
    ...past.sort((a, b) => a.frame.seq - b.frame.seq),
    ...wallets.map((w) => ({ room: userRoom(w.userId), frame: balanceFrame(at, w) })),
  ];
}

const MESSAGE = 'chat.message';

/** Adds the current text of each chat message to the lists. Omits events of messages that no longer exist. */
export async function fillEach(
  { chat }: Pick<NewsDeps, 'chat'>,
  lists: readonly (readonly StoredEvent[])[],
): Promise<StoredEvent[][]> {
  const ids = new Set(lists.flat().flatMap(({ name, id }) => (name === MESSAGE ? [id] : [])));
  const messages = await chat.readMessages([...ids]);
  const fill = (event: StoredEvent): StoredEvent[] => {
    if (event.name !== MESSAGE) return [event];
    const data = messages.get(event.id);
    return data ? [{ ...event, data }] : [];
  };
  return lists.map((events) => events.flatMap(fill));
}

/** Limits reads to one per `everyMs`. Each read starts where the last confirmed read ended. */
function createThrottled(everyMs: number) {
  let from = 0n;
  let to = 0n;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return {
    skipTo(position: bigint): void {
      from = position;
      to = position;
    },
    /** Returns the position up to which reads were confirmed. */
    position: () => from,
    /** Reads if there are listeners, the interval has passed and there may be new rows since the last read. */
    async due<T>(
      isWanted: boolean,
      below: bigint,
      read: (range: Range) => Promise<T>,
    ): Promise<T | undefined> {
      to = from;
      const isEarly = isWanted && performance.now() - readAtMs < everyMs;
      if (below <= from + 1n || isEarly) return undefined;
      to = below - 1n;
      if (!isWanted) return undefined;
      readAtMs = performance.now();
      return read({ after: from, below });
    },
    /** Confirms the last read. Without a confirmation, the same range is read again. */
    keep(): void {
      from = to;
    },
  };
}

/** The position and the time of a read. `now` is the time of the database clock, which events also use. */
export type ReadAt = { seq: bigint; now: number };

/** Returns a frame of the current state. */
export const stateFrame = <N extends DerivedName>(event: N, { seq, now }: ReadAt, data: DerivedData<N>) => ({
  event,
  seq: Number(seq),
  data,
  at: iso(new Date(now)),
});

export const eventFrame = ({ name, id, at, data }: StoredEvent) => ({
  event: name,
  seq: Number(id),
  data,
  at: iso(at),
});

export const betFrame = ({ position, at, bet: { id, ...bet } }: SettledBet) => ({
  event: 'bet.settled',
  seq: Number(position),
  data: { betId: id, ...bet },
  at: iso(at),
});

export const balanceFrame = (read: ReadAt, wallet: Omit<TouchedWallet, 'userId'>) =>
  stateFrame('balance.updated', read, {
    currencyId: wallet.currencyId,
    amount: formatUnits(wallet.cash),
    vault: formatUnits(wallet.vault),
    version: Number(wallet.version),
  });
