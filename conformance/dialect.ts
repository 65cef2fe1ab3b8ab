/** What a supplier says and hears, in the terms that all dialects share; each has its own words for it (dialects/). */

export const DIALECTS = ['generic', 'hub88', 'softswiss', 'pragmatic', 'sportsbook'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** How a call may be decided. The codes on the wire are the dialect's. */
export type Status =
  | 'OK'
  | 'INVALID'
  | 'WRONG_CURRENCY'
  | 'TOKEN'
  | 'TOKEN_ENDED'
  | 'NO_PLAYER'
  | 'BLOCKED'
  | 'EXCLUDED'
  | 'LIMIT'
  | 'GAME'
  | 'FUNDS'
  | 'CLOSED'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'ROLLED_BACK'
  | 'PARENT_FAILED'
  | 'SIGNATURE'
  | 'NO_PROVIDER'
  | 'RETRY';

export type MoveType =
  | 'bet'
  | 'win'
  | 'rollback'
  | 'freeSpins'
  | 'jackpot'
  | 'promo'
  | 'adjustment'
  | 'resettle'
  | 'cancelSettle'
  | 'freeBet';

/** One transaction. `amount`: decimal text, or what is finer than the dialect's unit. */
export type Move = {
  type: MoveType;
  id: string;
  amount: string | 'too fine';
  reference?: string;
  isFree?: boolean;
  /** Paid by a promotion, beside a win, under an id of its own. */
  promo?: { id: string; amount: string };
};

/** Who plays: the player as the platform calls them, and the session of the launch; empty: none is said. */
export type Seat = { playerId: string; token: string; currency: string; gameCode: string };

/** What one step of a case says. No moves and no end: what is the balance? */
export type Message = { seat: Seat; round: string; moves: readonly Move[]; closes: boolean };

/** How a message is spoilt. `space`: one more byte after it was signed. `old`: signed 301 s ago. */
export type Fault = 'secret' | 'space' | 'old';

/** Without a body: a GET. `path`: below the address of the dialect. */
export type Call = { path: string; body: string; headers: Record<string, string> };
export type Reply = { status: number; body: string };

/** `code`: as the dialect says it. `balance`: decimal text. `ids`: the platform's own, one a transaction. */
export type Answer = { code: string; balance?: string; ids: readonly string[]; isRepeated?: boolean };

export type Signing = { secret: string; fault?: Fault | undefined };

export type Dialect = {
  name: DialectName;
  /** As cases name it. */
  letter: string;
  /** Of the sandbox. */
  slug: string;
  secret: string;
  newId(type: MoveType): string;
  newRound(): string;
  /** The calls that say it, one after the other. */
  calls(message: Message, signing: Signing): Call[];
  read(reply: Reply): Answer;
  codes: Readonly<Partial<Record<Status, string>>>;
  /** Where the platform takes its calls. */
  base(slug: string): string;
  /** Answers what calls are signed with, where it has to be asked for. */
  signIn?(secret: string, send: (call: Call) => Promise<Reply>): Promise<string>;
};
