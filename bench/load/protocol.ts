/** The orders of the load generator, and how processes of a benchmark serve functions. */
import type { DialectName } from '../../conformance/dialect.ts';

/** The bet that every player makes: a stake of one cent with a 49.99 % chance of winning. */
export const BET = { currencyId: 'USDT', betAmount: '0.01', threshold: 50, above: true } as const;

/** A player's data for the generator, with the tokens for requests and for the handshake of a socket. */
export type Account = { userId: number; token: string; socketToken: string };

/** A request: a POST with a body, or a GET. `isPublic` omits the token. */
export type Step = { path: string; body?: object; isPublic?: boolean | undefined };

/** The requests from the start of a game to its end, in order, or reads that are sent one after another. */
export type Play = {
  steps: readonly Step[];
  /** If a response contains this string, the remaining requests are skipped. */
  over?: string;
  /** True if the responses contain no bets. Every 2xx response is then counted as one bet. */
  isRead?: boolean;
};

export const DICE: Play = { steps: [{ path: '/casino/games/house/dice/bet', body: BET }] };

/** Splits the items into pieces of at most `most` items. */
export const piecesOf = <T>(items: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / most) }, (_, n) => items.slice(n * most, (n + 1) * most));

export type GamesDialect = Exclude<DialectName, 'sportsbook'>;
export const GAMES_DIALECTS: readonly GamesDialect[] = ['generic', 'hub88', 'softswiss', 'pragmatic'];

export const slugOf = (dialect: GamesDialect | ''): string => `bench-${dialect}`;
export const gameCodeOf = (dialect: GamesDialect): string => `${dialect}-slot`;
/** Path prefix of the no-op variants of operations. */
export const NOOP = '/bench/noop';

/**
 * The traffic of one type of connection. A connection has its own players, unless there is only one player. `group` is the name of its players.
 */
export type Stream = { connections: number; group: string } & (
  | {
      what: 'plays';
      play: Play;
      /** Number of players of the group who take part. */
      players: number;
      /** True if the responses contain bets, whose ids are later compared with the database. */
      keepsBets: boolean;
    }
  /** Rounds of a provider's game: a bet, its win, and the end of the round if the dialect has a separate call for it. */
  | {
      what: 'calls';
      dialect: GamesDialect;
      isNoop: boolean;
      isHot?: boolean;
      /** Number of rounds that are signed before the connections open, because signing takes longer than verifying. */
      signed?: number;
    }
);

/** A stream of dice bets by this number of players of a group. */
export const diceBets = (group: string, connections: number, players: number): Stream => ({
  what: 'plays',
  play: DICE,
  group,
  players,
  connections,
  keepsBets: true,
});

export type Order = {
  port: number;
  streams: readonly Stream[];
  warmUpMs: number;
  /**
   * Requests per second of all streams (open loop). If absent, each connection sends the next request when it has received a response
   * (closed loop).
   */
  perSecond?: number;
  /** True if rejected requests are sent again until they are accepted, as providers do. */
  repeatsRefused?: boolean;
};

/** Functions that a process serves to its parent. Arguments and results are copied (structured clone). */
export type Calls = Readonly<Record<string, (...values: never[]) => unknown>>;

type Call = { id: number; name: string; values: never[] };

/** Runs the calls of the parent process (processes.ts) and reports `ready` to it. The process ends on SIGTERM or with its parent. */
export function serve(calls: Calls, ready: string | number = ''): void {
  process.on('message', async ({ id, name, values }: Call) => {
    try {
      process.send!({ id, result: await calls[name]!(...values) });
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group, but the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
  process.send!({ ready: String(ready) });
}
