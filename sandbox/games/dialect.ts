import type { Endpoint, SandboxAnswer } from '../endpoint.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import { type Dialect, findGame, type Game, gamesOf } from './catalogue.ts';
import type { Awards } from './free-rounds/awards.ts';
import type { Launched, Session, Sessions } from './sessions.ts';

/** One message to the platform's wallet. `path` follows its address. */
export type Message = { path: string; body: string; headers: Readonly<Record<string, string>> };
export type Reply = { status: number; body: string };

/** What the platform says to a message. `again`: nothing is certain yet. `code` is its own word. `balance`: cash, where it says so. */
export type Verdict = { kind: 'done' | 'refused' | 'again'; code: string; balance: bigint | null };

/**
 * What is asked of the wallet. MONEY carries its transactions in order, in one message; END says that the round is over, where the
 * protocol has a message for that.
 */
export type Operation = {
  kind: 'AUTHENTICATE' | 'BALANCE' | 'MONEY' | 'END';
  session: Session;
  roundId: string | null;
  transactions: readonly Transaction[];
  closes: boolean;
};

/** One protocol, seen from the provider. */
export type Speech = {
  dialect: Dialect;
  /** The provider's name at the platform. */
  slug: string;
  /** What the platform calls. */
  endpoints: readonly Endpoint[];
  currencies: Readonly<Record<string, number>>;
  newId(type: string): string;
  newRoundId(): string;
  /** Where a rollback has no id of its own. */
  rollbackId?: (betId: string) => string;
  /** Throws an Error where the protocol has no such message. `isForged`: signed with a wrong secret. */
  message(operation: Operation, isForged: boolean): Message;
  judge(reply: Reply, operation: Operation): Verdict;
  /** What one message can carry of a round: a bet and its first win, or a list of bets and wins. */
  together?: 'BET_WIN' | 'LIST';
  /** Wins can be taken back, and whatever belongs to a round that is over. */
  takesBackWins?: true;
  /** How often a bet is tried before it is taken back. */
  betTries: number;
  /** The codes that end a bet for good; after any other refusal it is taken back too. Undefined: every refusal does. */
  finalRefusals?: readonly string[];
  /** The end of a round is a message of its own, not a mark of the last win. */
  endsByMessage: boolean;
  /**
   * What the wallet hears of free rounds: a free bet and its wins (EACH), what all of them have won (SUM), or free bets, wins of nothing,
   * and the sum at last (BETS_AND_SUM). Undefined: there are none.
   */
  freeRounds?: 'EACH' | 'SUM' | 'BETS_AND_SUM';
};

/** What the dialects share. */
export type Desk = {
  url: string;
  books: Books;
  sessions: Sessions;
  behaviour: GamesBehaviour;
  awards: Awards;
};

export type LaunchProblem = 'GAME_NOT_FOUND' | 'DEMO_NOT_AVAILABLE' | 'CURRENCY_NOT_SUPPORTED';

/** Opens a session and answers the address at which it is played. */
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

/** The games that a list names now: all of them, or half where it is to be too short. */
export function listed(desk: Desk, dialect: Dialect): Game[] {
  const games = gamesOf(dialect, desk.behaviour.get().games);
  return desk.behaviour.hits('shortList') ? games.filter((_, place) => place % 2 === 0) : games;
}

export const imagesOf = (desk: Desk, { code }: Game): string[] => [`${desk.url}/games/images/${code}.svg`];

/** The times of a report; undefined: they are none. */
export function period(from: unknown, to: unknown): { from: Date; to: Date } | undefined {
  const [begin, end] = [new Date(String(from)), new Date(String(to))];
  return Number.isNaN(begin.getTime()) || Number.isNaN(end.getTime()) ? undefined : { from: begin, to: end };
}

export const refusedAs = (code: string): Verdict => ({ kind: 'refused', code, balance: null });
export const again = (code: string): Verdict => ({ kind: 'again', code, balance: null });

/** The first of several transactions in one message. */
export const only = ({ transactions }: Operation, dialect: string): Transaction => {
  if (transactions.length !== 1) throw new Error(`${dialect} takes one transaction at a time`);
  return transactions[0]!;
};

export const missing = (dialect: string, what: string): Error => new Error(`${dialect} has no ${what}`);

type Handle = Endpoint['handle'];

/** An endpoint that is as slow, or as broken, as the behaviour says. */
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
