import { readFileSync } from 'node:fs';
import type { Seat } from './dialect.ts';

/** A player with money and a session. `handle`: what the operator knows them by. */
export type Guest = { seat: Seat; handle: string };
export type BetSeen = { status: string; amount: string; payout: string };

/**
 * What a case needs of the platform beside its callbacks. What an operator cannot do throws Skip, and so does what only the platform
 * itself can arrange.
 */
export type Operator = {
  /** A player whose cash is exactly this, with a live session. */
  newGuest(wish: { cash: string; currency: string; game?: 'second'; country?: string }): Promise<Guest>;
  /** Ends the session by opening the game again. */
  endSession(guest: Guest): Promise<void>;
  deposit(guest: Guest, amount: string): Promise<void>;
  /** Takes cash away, by any way that is open to the player. */
  withdraw(guest: Guest, amount: string): Promise<void>;
  ban(guest: Guest): Promise<void>;
  exclude(guest: Guest): Promise<void>;
  /** A limit of what may be staked a day, in US dollars. */
  limitWager(guest: Guest, amount: string): Promise<void>;
  /** How much of it is used. */
  wagered(guest: Guest): Promise<string>;
  setGame(guest: Guest, isOn: boolean): Promise<void>;
  setPlay(isOpen: boolean): Promise<void>;
  setCountry(code: string, isOpen: boolean): Promise<void>;
  /** Their bets on games of suppliers, as the player sees them. */
  bets(guest: Guest): Promise<BetSeen[]>;
  /** A bet on a game of the house; what it has changed cash by, or undefined where it was refused. */
  houseBet(guest: Guest, amount: string): Promise<string | undefined>;
  /** A player's token for the sportsbook, and the key that proves it. */
  sportsbookToken(guest: Guest): Promise<{ token: string; publicKey: string; kid: string }>;
};

/** A case that cannot be tried here. */
export class Skip extends Error {}

type GivenPlayer = { id: string; token: string; currency: string };
type Given = { gameCode: string; players: GivenPlayer[] };

const CANNOT = [
  'endSession',
  'deposit',
  'withdraw',
  'ban',
  'exclude',
  'limitWager',
  'wagered',
  'setGame',
  'setPlay',
  'setCountry',
  'bets',
  'houseBet',
  'sportsbookToken',
] as const;

/**
 * Players and sessions out of a file, for a system on which nothing else can be arranged: `{ "gameCode": "…", "players": [{ "id": "42",
 * "token": "…", "currency": "USDT" }] }`. A player takes part in one case after the other as long as their cash is what a case begins with.
 */
export function createGivenOperator(
  file: string,
  cashOf: (seat: Seat) => Promise<string | undefined>,
): Operator {
  const { gameCode, players } = JSON.parse(readFileSync(file, 'utf8')) as Given;
  const taken = new Set<string>();
  const cannot = (what: string) => () => Promise.reject(new Skip(`players of a file: no ${what}`));
  const others = Object.fromEntries(CANNOT.map((name) => [name, cannot(name)])) as unknown as Omit<
    Operator,
    'newGuest'
  >;
  return {
    ...others,
    async newGuest({ cash, currency, game, country }) {
      if (game ?? country) throw new Skip('players of a file: one game, and any country');
      for (const { id, token, currency: own } of players) {
        const seat = { playerId: id, token, currency: own, gameCode };
        if (own !== currency || taken.has(id)) continue;
        taken.add(id);
        if ((await cashOf(seat)) === cash) return { seat, handle: id };
      }
      throw new Skip(`no player is left with exactly ${cash} ${currency}`);
    },
  };
}
