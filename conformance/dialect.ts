/** Messages between supplier and platform, in terms that all dialects share. Each dialect translates them to its own format (dialects/). */

export const DIALECTS = ['generic', 'hub88', 'softswiss', 'pragmatic', 'sportsbook'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** The result of a call, in a form that all dialects share. Each dialect has its own codes for it. */
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

/** One transaction. `amount` is a decimal string, or an amount with more decimals than the dialect's unit allows. */
export type Move = {
  type: MoveType;
  id: string;
  amount: string | 'too fine';
  reference?: string;
  isFree?: boolean;
  /** An amount that a promotion pays in addition to a win, with its own transaction id. */
  promo?: { id: string; amount: string };
};

/** The player and launch session of a call: the platform's player id and the session token. An empty token is omitted. */
export type Seat = { playerId: string; token: string; currency: string; gameCode: string };

/** One step of a case. A message that has no `moves` and does not close the round requests the balance. */
export type Message = { seat: Seat; round: string; moves: readonly Move[]; closes: boolean };

/**
 * The deliberate fault in a message's signature. `secret`: signed with a wrong secret. `space`: a byte is added after signing. `old`:
 * signed 301 s ago.
 */
export type Fault = 'secret' | 'space' | 'old';

/** A call without a body is a GET. `path` is relative to the dialect's address. */
export type Call = { path: string; body: string; headers: Record<string, string> };
export type Reply = { status: number; body: string };

/** `code`: the dialect's own code. `balance`: a decimal string. `ids`: the platform's ids, one per transaction. */
export type Answer = { code: string; balance?: string; ids: readonly string[]; isRepeated?: boolean };

export type Signing = { secret: string; fault?: Fault | undefined };

export type Dialect = {
  name: DialectName;
  /** The letter that stands for the dialect in cases. */
  letter: string;
  /** The sandbox's provider slug. */
  slug: string;
  secret: string;
  newId(type: MoveType): string;
  newRound(): string;
  /** Returns the HTTP calls by which this dialect sends a message, in order. */
  calls(message: Message, signing: Signing): Call[];
  read(reply: Reply): Answer;
  codes: Readonly<Partial<Record<Status, string>>>;
  /** Returns the URL at which the platform receives the dialect's calls. */
  base(slug: string): string;
  /** Signs in, for dialects whose calls need a token. Returns the token. */
  signIn?(secret: string, send: (call: Call) => Promise<Reply>): Promise<string>;
};
