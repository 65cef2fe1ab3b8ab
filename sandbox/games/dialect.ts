import type { Endpoint, SandboxAnswer } from '../endpoint.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import { type Dialect, findGame, type Game, gamesOf } from './catalogue.ts';
import type { Awards } from './free-rounds/awards.ts';
import type { Launched, Session, Sessions } from './sessions.ts';

/** A message to the platform's wallet. `path` is appended to the wallet's base URL. */
export type Message = { path: string; body: string; headers: Readonly<Record<string, string>> };
export type Reply = { status: number; body: string };

/**
 * The platform's response to a message. `again`: the outcome is uncertain, so the message must be repeated. `code`: the code in the
 * response. `balance`: the player's cash, if the response contains it.
 */
export type Verdict = { kind: 'done' | 'refused' | 'again'; code: string; balance: bigint | null };

/**
 * A request to the wallet. MONEY sends its transactions in order in one message. END reports the end of a round, in protocols that have
 * such a message.
 */
export type Operation = {
  kind: 'AUTHENTICATE' | 'BALANCE' | 'MONEY' | 'END';
  session: Session;
  roundId: string | null;
  transactions: readonly Transaction[];
  closes: boolean;
};

/** One protocol, as implemented by the provider. */
export type Speech = {
  dialect: Dialect;
  /** The provider's slug on the platform. */
  slug: string;
  /** Endpoints that the platform calls. */
  endpoints: readonly Endpoint[];
  currencies: Readonly<Record<string, number>>;
  newId(type: string): string;
  newRoundId(): string;
  /** Creates the id of a rollback. For protocols in which a rollback has no id, the id is derived from the transaction. */
  rollbackId?: (betId: string) => string;
  /** Builds the message for an operation. Throws an Error if the protocol has no such message. `isForged` signs it with a wrong secret. */
  message(operation: Operation, isForged: boolean): Message;
  judge(reply: Reply, operation: Operation): Verdict;
  /** The part of a round that one message can contain: a bet and its first win, or a list of bets and wins. */
  together?: 'BET_WIN' | 'LIST';
  /** True if wins, and all transactions of a finished round, can be rolled back. */
  takesBackWins?: true;
  /** Number of attempts at a bet before it is rolled back. */
  betTries: number;
  /**
   * Codes that mean that a bet is finally rejected. After any other code, the rejected bet is rolled back as well. If undefined, every
   * rejection is final.
   */
  finalRefusals?: readonly string[];
  /** True if the end of a round is reported in a separate message instead of a flag on the last win. */
  endsByMessage: boolean;
  /**
   * Wallet calls for free rounds. EACH: every free bet and its wins. SUM: only the total win. BETS_AND_SUM: free bets and zero wins, then
   * the total. Undefined if the protocol has no free rounds.
   */
  freeRounds?: 'EACH' | 'SUM' | 'BETS_AND_SUM';
};

/** State shared by the dialects. */
export type Desk = {
  url: string;
  books: Books;
  sessions: Sessions;
  behaviour: GamesBehaviour;
  awards: Awards;
};

export type LaunchProblem = 'GAME_NOT_FOUND' | 'DEMO_NOT_AVAILABLE' | 'CURRENCY_NOT_SUPPORTED';

/** Opens a session and returns the game's URL. */
export function launch(
  desk: Desk,
  speech: Pick<Speech, 'dialect' | 'currencies'>,
  about: Launched,
): { url: string; session: Session } | LaunchProblem {
  const { dialect, currencies } = speech;
  const game = findGame(dialect, about.gameCode, desk.behaviour.get().games);
  if (!game) return 'GAME_NOT_FOUND';
  const { player } = about;
  if (!player && !game.hasDemo) return 'DEMO_NOT_AVAILABLE';
  if (player && currencies[player.currency] === undefined) return 'CURRENCY_NOT_SUPPORTED';
  if (player && game.currencies && !game.currencies.includes(player.currency))
    return 'CURRENCY_NOT_SUPPORTED';
  const session = desk.sessions.open(dialect, game.name, about);
  return { url: `${desk.url}/games/play?session=${session.id}`, session };
}

/** Returns the games in the current list: all of them, or half of them if the fault `shortList` occurs. */
export function listed(desk: Desk, dialect: Dialect): Game[] {
  const games = gamesOf(dialect, desk.behaviour.get().games);
  return desk.behaviour.hits('shortList') ? games.filter((_, place) => place % 2 === 0) : games;
}

/** Returns the address of a game's picture. Only one dialect lists it, because many providers send games without one. */
export const imageOf = (desk: Desk, { code }: Game): string => `${desk.url}/games/images/${code}.svg`;

/** Parses the dates of a report. Returns undefined if one of them is invalid. */
export function period(from: unknown, to: unknown): { from: Date; to: Date } | undefined {
  const [begin, end] = [new Date(String(from)), new Date(String(to))];
  return Number.isNaN(begin.getTime()) || Number.isNaN(end.getTime()) ? undefined : { from: begin, to: end };
}

export const refusedAs = (code: string): Verdict => ({ kind: 'refused', code, balance: null });
export const again = (code: string): Verdict => ({ kind: 'again', code, balance: null });

/** Returns the only transaction of a message. Throws if there are several. */
export const only = ({ transactions }: Operation, dialect: string): Transaction => {
  if (transactions.length !== 1) throw new Error(`${dialect} accepts one transaction at a time`);
  return transactions[0]!;
};

export const missing = (dialect: string, what: string): Error => new Error(`${dialect} has no ${what}`);

type Handle = Endpoint['handle'];

/** Wraps a handler so that the configured delays and errors apply to it. */
export function behaving(desk: Desk, of: 'launch' | 'award' | 'other', handle: Handle): Handle {
  return async (request): Promise<SandboxAnswer> => {
    const { behaviour } = desk;
    if (behaviour.hits('slow'))
      await new Promise((resolve) => setTimeout(resolve, behaviour.get().slowMs).unref());
    if (of === 'launch' && behaviour.hits('launchError'))
      return { status: 503, type: 'text/plain', body: 'Service Unavailable' };
    const answer = await handle(request);
    return of === 'award' && behaviour.hits('awardLost') ? 'drop' : answer;
  };
}
