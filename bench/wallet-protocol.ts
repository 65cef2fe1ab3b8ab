/** Messages between the processes of `npm run bench wallet`. */
import type { DialectName } from '../conformance/dialect.ts';

export type GamesDialect = Exclude<DialectName, 'sportsbook'>;
export const GAMES_DIALECTS: readonly GamesDialect[] = ['generic', 'hub88', 'softswiss', 'pragmatic'];

/** The traffic of one type of connection. */
export type Stream =
  /** Rounds of a provider's game: a bet, its win, and the end of the round if the dialect has a separate call for it. */
  | { what: 'calls'; dialect: GamesDialect; connections: number; isNoop: boolean; isHot?: boolean }
  | { what: 'house'; connections: number; isNoop: boolean }
  | { what: 'reads'; connections: number; paths: readonly string[] };

export type WalletOrder = {
  port: number;
  streams: readonly Stream[];
  warmUpMs: number;
  measureMs: number;
  /**
   * Total requests per second of all streams (open loop). If absent, each connection sends the next request when it has received a response
   * (closed loop).
   */
  perSecond?: number;
};

/** A player's data for the generator, with a session at each provider. */
export type WalletPlayer = {
  userId: number;
  token: string;
  sessions: Readonly<Record<GamesDialect, string>>;
};

export type ToWalletLoad =
  | { type: 'players'; players: readonly WalletPlayer[] }
  /** Signs this many rounds in advance, for dialects in which signing takes longer than verifying. */
  | { type: 'sign'; dialect: GamesDialect; rounds: number }
  | { type: 'run'; order: WalletOrder }
  | { type: 'acknowledged' };

export type StreamResult = { requests: number; p50Ms: number; p99Ms: number };
export type WalletResult = {
  streams: StreamResult[];
  seconds: number;
  refusals: number;
  firstRefusal: string | undefined;
  /** For an open loop: number of requests not yet sent when the measurement ended. */
  backlog: number;
};
export type Acknowledged = { transactions: Record<GamesDialect, string[]>; houseBets: number };

export type FromWalletLoad =
  | { type: 'signed' }
  | { type: 'measuring' }
  | { type: 'measured' }
  | { type: 'finished'; result: WalletResult }
  | { type: 'acknowledged'; acknowledged: Acknowledged };

export const slugOf = (dialect: GamesDialect): string => `bench-${dialect}`;
export const gameCodeOf = (dialect: GamesDialect): string => `${dialect}-slot`;
/** Path prefix of the no-op variant, which only verifies the signature of the same calls. */
export const NOOP = '/bench/noop';
