/** What the processes of the benchmark say to each other. */

/** Servers without the platform (bare.ts): what Node and Fastify cost by themselves. */
const BARE = ['http', 'fastify'] as const;
export const VARIANTS = [...BARE, 'noop', 'textbook', 'statement', 'ours'] as const;
export type Variant = (typeof VARIANTS)[number];

export const isBare = (variant: Variant): boolean => BARE.some((bare) => bare === variant);
/** Whether a variant's answers are bets in the database. */
export const makesBets = (variant: Variant): boolean => !isBare(variant) && variant !== 'noop';

/** The bet that everybody makes: one cent on a coin that falls on our side 49.99 times in a hundred. */
export const BET = { currencyId: 'USDT', betAmount: '0.01', threshold: 50, above: true } as const;

/** A player as the generator knows them. */
export type Account = { userId: number; token: string };

/** Sent to the generator: players of a group once, then one order after the other. */
export type ToGenerator =
  | { type: 'players'; group: string; players: readonly Account[] }
  | ({ type: 'run' } & Order)
  | { type: 'acknowledged' };

/** A request: a POST of a body, or a GET. `isPublic`: without a token. */
export type Step = { path: string; body?: object; isPublic?: boolean | undefined };

/** What a player plays, request by request. */
export type Play = {
  steps: readonly Step[];
  /** An answer that contains this ends it before its last step. */
  over?: string;
  /** Answers hold more bets than one. */
  hasManyBets?: boolean;
  /** Answers are no bets: every 2xx counts. */
  isRead?: boolean;
};

export type Order = {
  port: number;
  play: Play;
  /** Whose players bet. */
  group: string;
  /** How many of them, each on one connection only, unless there is only one. */
  players: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** Requests a second whatever the answers (open loop); absent: each connection waits for its answer. */
  perSecond?: number;
  /** Whether answers are bets whose ids must be found in the database later. */
  keepsBets: boolean;
};

/** Sent by the generator: `measuring` and `measured` are the two moments at which the CPU is read. */
export type FromGenerator =
  | { type: 'measuring' }
  | { type: 'measured' }
  | { type: 'finished'; result: RunResult }
  | { type: 'acknowledged'; betIds: Float64Array; userIds: Int32Array };

export type RunResult = {
  /** 2xx answers between `measuring` and `measured`; where they hold more bets than one, these. */
  bets: number;
  /** Length of the bodies of these answers, all together. */
  bodyBytes: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers other than 2xx since the start of the order, and the first of them. */
  refusals: number;
  firstRefusal: string | undefined;
  /** Open loop: requests that had not been sent when the measurement ended. */
  backlog: number;
};

/**
 * Sent to a server. `prime`: it reads these players' tokens and seeds once, so that no variant pays for it in a round. `answers`: what bare
 * Fastify answers reads with, by their names.
 */
export type ToServer =
  | { type: 'answers'; texts: Readonly<Record<string, string>> }
  | { type: 'prime'; players: readonly Account[] }
  | { type: 'stop' };
export type FromServer = { type: 'listening'; port: number } | { type: 'primed' };
