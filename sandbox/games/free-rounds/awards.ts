import { fromUnits, toUnits } from '../amounts.ts';
import { type Dialect, findGame } from '../catalogue.ts';
import type { Session } from '../sessions.ts';
import { LINE_BETS } from '../seven-orchards.ts';

/** Free rounds that a casino has ordered for a player. `id` is used in wallet calls. `reference` is the casino's own id. */
export type Award = {
  book: Dialect;
  id: string;
  reference: string | null;
  playerId: string;
  currency: string;
  gameCode: string;
  bet: bigint;
  rounds: number;
  played: number;
  won: bigint;
  until: Date;
  state: 'OPEN' | 'PLAYED' | 'CANCELLED' | 'EXPIRED';
  /** The session in which the most recent free round was played. */
  session: Session | undefined;
  /** Number of the award's rounds that are currently being played. */
  underWay: number;
};

export type Order = Omit<Award, 'played' | 'won' | 'state' | 'session' | 'underWay'>;
export type Awards = ReturnType<typeof createAwards>;

/** Ordered free rounds and their progress. */
export function createAwards() {
  const awards = new Map<string, Award>();
  let onEnd: (award: Award) => void = () => undefined;
  const keyOf = ({ book, id }: Pick<Award, 'book' | 'id'>) => `${book} ${id}`;
  function end(award: Award, state: Award['state']): void {
    award.state = state;
    onEnd(award);
  }
  function isOpen(award: Award): boolean {
    if (award.state === 'OPEN' && award.until.getTime() <= Date.now()) end(award, 'EXPIRED');
    return award.state === 'OPEN';
  }
  return {
    /** Sets a callback for awards whose rounds can no longer be played. */
    watch(then: (award: Award) => void): void {
      onEnd = then;
    },
    /** Adds an order. If the id already exists, returns the existing award. */
    give(order: Order): Award {
      const known = awards.get(keyOf(order));
      if (known) return known;
      const award: Award = { ...order, played: 0, won: 0n, state: 'OPEN', session: undefined, underWay: 0 };
      awards.set(keyOf(order), award);
      return award;
    },
    /** Returns the free rounds to play next in a session, the oldest order first. */
    next: ({ dialect, player, gameCode }: Session): Award | undefined =>
      [...awards.values()].find(
        (award) =>
          award.book === dialect &&
          award.playerId === player?.id &&
          award.currency === player.currency &&
          award.gameCode === gameCode &&
          award.played + award.underWay < award.rounds &&
          isOpen(award),
      ),
    /** Records a played free round. */
    count(award: Award, session: Session, won: bigint): void {
      award.played++;
      award.won += won;
      award.session = session;
      if (award.played >= award.rounds && award.state === 'OPEN') end(award, 'PLAYED');
    },
    of: (book: Dialect, playerId: string): Award[] =>
      [...awards.values()].filter((award) => award.book === book && award.playerId === playerId),
    /** Cancels an award. Returns false if the award does not exist or has ended. */
    cancel(book: Dialect, id: string): boolean {
      const award = awards.get(keyOf({ book, id }));
      if (!award || !isOpen(award)) return false;
      end(award, 'CANCELLED');
      return true;
    },
    list: (): Award[] => [...awards.values()],
  };
}

/** Returns the error in an order, or undefined if the order is valid. */
export function problemOf(
  order: Order,
  { games, decimals }: { games: number; decimals: number | undefined },
) {
  const { book, gameCode, currency, bet, rounds, until } = order;
  const game = findGame(book, gameCode, games);
  if (!game?.hasFreeSpins) return 'this game has no free rounds';
  if (decimals === undefined || !(game.currencies?.includes(currency) ?? true)) return 'no such currency';
  const units = toUnits(bet, decimals);
  if (bet <= 0n || fromUnits(units, decimals) !== bet || units % BigInt(LINE_BETS) !== 0n)
    return 'the stake must be a multiple of ten of the smallest units';
  if (!Number.isInteger(rounds) || rounds < 1) return 'how many rounds?';
  return Number.isNaN(until.getTime()) || until.getTime() <= Date.now() ? 'until when?' : undefined;
}
