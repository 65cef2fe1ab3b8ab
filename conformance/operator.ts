import { readFileSync } from 'node:fs';
import type { Seat } from './dialect.ts';

/** A player with money and a session. The operator identifies the player by `handle`. */
export type Guest = { seat: Seat; handle: string };
export type BetSeen = { status: string; amount: string; payout: string };

/**
 * Actions on the platform that a case needs in addition to callbacks. Throws Skip for an action that the operator or the platform does not
 * offer.
 */
export type Operator = {
  /** Creates a player with exactly this cash balance and a live session. */
  newGuest(wish: { cash: string; currency: string; game?: 'second'; country?: string }): Promise<Guest>;
  /** Ends the session by launching the game again. */
  endSession(guest: Guest): Promise<void>;
  deposit(guest: Guest, amount: string): Promise<void>;
  /** Removes cash from the balance with any operation that is available to players. */
  withdraw(guest: Guest, amount: string): Promise<void>;
  ban(guest: Guest): Promise<void>;
  exclude(guest: Guest): Promise<void>;
  /** Sets a daily wagering limit in US dollars. */
  limitWager(guest: Guest, amount: string): Promise<void>;
  /** Returns the amount of the wagering limit that is already used. */
  wagered(guest: Guest): Promise<string>;
  setGame(guest: Guest, isOn: boolean): Promise<void>;
  setPlay(isOpen: boolean): Promise<void>;
  setCountry(code: string, isOpen: boolean): Promise<void>;
  /** Returns the player's bets on supplier games in the form that the player sees. */
  bets(guest: Guest): Promise<BetSeen[]>;
  /** Places a bet on a house game. Returns the change in cash, or undefined if it was rejected. */
  houseBet(guest: Guest, amount: string): Promise<string | undefined>;
  /** Returns a player's sportsbook token, and the key that verifies it. */
  sportsbookToken(guest: Guest): Promise<{ token: string; publicKey: string; kid: string }>;
};

/** Thrown if a case cannot be run in this environment. */
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
 * Uses players and sessions from a file, for a platform on which tests cannot create them: `{ "gameCode": "…", "players": [{ "id": "42",
 * "token": "…", "currency": "USDT" }] }`. A player is reused for further cases while their cash matches the amount that a case needs.
 */
export function createGivenOperator(
  file: string,
  cashOf: (seat: Seat) => Promise<string | undefined>,
): Operator {
  const { gameCode, players } = JSON.parse(readFileSync(file, 'utf8')) as Given;
  const taken = new Set<string>();
  const cannot = (what: string) => () => Promise.reject(new Skip(`a players file does not support ${what}`));
  const others = Object.fromEntries(CANNOT.map((name) => [name, cannot(name)])) as unknown as Omit<
    Operator,
    'newGuest'
  >;
  return {
    ...others,
    async newGuest({ cash, currency, game, country }) {
      if (game ?? country) throw new Skip('a players file supports only one game and no choice of country');
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
