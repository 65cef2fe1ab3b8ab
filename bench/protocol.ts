/** Messages between the processes of the benchmark. */

/** Servers that run no platform code (bare.ts). They show the cost of Node and Fastify. */
const BARE = ['http', 'fastify'] as const;
export const VARIANTS = [...BARE, 'noop', 'textbook', 'statement', 'ours'] as const;
export type Variant = (typeof VARIANTS)[number];

export const isBare = (variant: Variant): boolean => BARE.some((bare) => bare === variant);
/** Returns true if a variant stores its bets in the database. */
export const makesBets = (variant: Variant): boolean => !isBare(variant) && variant !== 'noop';

/** The bet that every player makes: a stake of one cent with a 49.99 % chance of winning. */
export const BET = { currencyId: 'USDT', betAmount: '0.01', threshold: 50, above: true } as const;

/** A player's data for the generator. */
export type Account = { userId: number; token: string };

/** Sent to the generator: first the players of each group, then the orders (see `Order`), one after another. */
export type ToGenerator =
  | { type: 'players'; group: string; players: readonly Account[] }
  | ({ type: 'run' } & Order)
  | { type: 'acknowledged' };

/** A request: a POST with a body, or a GET. `isPublic` omits the token. */
export type Step = { path: string; body?: object; isPublic?: boolean | undefined };

/** The requests from the start of a game to its end, in order. */
export type Play = {
  steps: readonly Step[];
  /** If a response contains this string, the remaining requests are skipped. */
  over?: string;
  /** True if a response contains several bets. */
  hasManyBets?: boolean;
  /** True if the responses contain no bets. Every 2xx response is then counted as one bet. */
  isRead?: boolean;
};

export type Order = {
  port: number;
  play: Play;
  /** The group whose players bet. */
  group: string;
  /** Number of players. Each player uses only one connection, unless there is a single player. */
  players: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** Requests per second (open loop). If absent, each connection sends the next request when it has received a response (closed loop). */
  perSecond?: number;
  /** True if the responses contain bets, whose ids are later compared with the database. */
  keepsBets: boolean;
};

/** Sent by the generator. The parent reads the CPU times on `measuring` and on `measured`. */
export type FromGenerator =
  | { type: 'measuring' }
  | { type: 'measured' }
  | { type: 'finished'; result: RunResult }
  | { type: 'acknowledged'; betIds: Float64Array; userIds: Int32Array };

export type RunResult = {
  /** Number of 2xx responses between `measuring` and `measured`. If responses contain several bets, the number of these bets. */
  bets: number;
  /** Total length of these responses' bodies. */
  bodyBytes: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The number of responses other than 2xx since the current order began, and the first of these responses. */
  refusals: number;
  firstRefusal: string | undefined;
  /** For an open loop: number of requests not yet sent when the measurement ended. */
  backlog: number;
};

/**
 * Sent to a server. `prime` reads the tokens and seeds of these players once, so that this cost is not part of a measurement. `answers`
 * contains the responses, by name, that bare Fastify sends to read requests.
 */
export type ToServer =
  | { type: 'answers'; texts: Readonly<Record<string, string>> }
  | { type: 'prime'; players: readonly Account[] }
  | { type: 'stop' };
export type FromServer = { type: 'listening'; port: number } | { type: 'primed' };
