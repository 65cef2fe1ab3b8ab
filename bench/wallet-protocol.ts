/** What the processes of `npm run bench:wallet` say to each other. */
import type { DialectName } from '../conformance/dialect.ts';

export type GamesDialect = Exclude<DialectName, 'sportsbook'>;
export const GAMES_DIALECTS: readonly GamesDialect[] = ['generic', 'hub88', 'softswiss', 'pragmatic'];

/** What the connections of one kind send. */
export type Stream =
  /** Rounds of a provider's game: a bet, its win, and the end where that is a call of its own. */
  | { what: 'calls'; dialect: GamesDialect; connections: number; isNoop: boolean; isHot?: boolean }
  | { what: 'house'; connections: number; isNoop: boolean }
  | { what: 'reads'; connections: number; paths: readonly string[] };

export type WalletOrder = {
  port: number;
  streams: readonly Stream[];
  warmUpMs: number;
  measureMs: number;
  /** Requests a second whatever the answers (open loop), of all streams together; absent: each connection waits for its answer. */
  perSecond?: number;
};

/** A player as the generator knows them, with a session at each provider. */
export type WalletPlayer = {
  userId: number;
  token: string;
  sessions: Readonly<Record<GamesDialect, string>>;
};

export type ToWalletLoad =
  | { type: 'players'; players: readonly WalletPlayer[] }
  /** Signs so many rounds ahead: what takes the generator longer to sign than the server to prove. */
  | { type: 'sign'; dialect: GamesDialect; rounds: number }
  | { type: 'run'; order: WalletOrder }
  | { type: 'acknowledged' };

export type StreamResult = { requests: number; p50Ms: number; p99Ms: number };
export type WalletResult = {
  streams: StreamResult[];
  seconds: number;
  refusals: number;
  firstRefusal: string | undefined;
  /** Open loop: requests that had not been sent when the measurement ended. */
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
/** Where the same calls do nothing but prove their signature. */
export const NOOP = '/bench/noop';
