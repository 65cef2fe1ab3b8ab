import { messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { LastPlayed } from '../bets/live.ts';

/** Statistics of bets on games. A later area provides them. */
export type PlayStats = {
  /** Number of players of each game in the last 30 days. Games without players are absent. */
  popularity: () => Promise<ReadonlyMap<number, number>>;
  lastPlayed: LastPlayed;
  /** When this player last played each game. */
  playedBy: (userId: number) => Promise<ReadonlyMap<number, Date>>;
};

/** Number of players and last bet of each game. May be two minutes old. */
export type Played = {
  players: ReadonlyMap<number, number>;
  lastPlayed: ReadonlyMap<number, Date>;
};

const NOTHING: Played = { players: new Map(), lastPlayed: new Map() };
const FRESH_MS = 60_000;

type Deps = {
  stats: Pick<PlayStats, 'popularity' | 'lastPlayed'>;
  /** Ids of all games. */
  gameIds: () => readonly number[];
  log: Log;
};

/** Caches the statistics. Only the first request waits; later ones get the cached values while they are read again. */
export function createPlayed({ stats, gameIds, log }: Deps) {
  let known: Played | undefined;
  let readAt = 0;
  let reading: Promise<Played> | undefined;

  const read = async (): Promise<Played> => {
    readAt = performance.now();
    const players = await stats.popularity();
    // Games without players in the last 30 days have no new bets since the first read.
    const ids = known ? [...players.keys()] : gameIds();
    const lastPlayed = new Map([...(known?.lastPlayed ?? []), ...(await stats.lastPlayed(ids))]);
    known = { players, lastPlayed };
    return known;
  };
  const refresh = (): Promise<Played> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    /** Returns the cached statistics; the first call returns a promise. */
    now(): Played | Promise<Played> {
      if (!known) return refresh();
      if (performance.now() - readAt >= FRESH_MS)
        refresh().catch((error: unknown) =>
          log.warn(
            { error: messageOf(error) },
            'statistics of games could not be read, cached ones are used',
          ),
        );
      return known;
    },
    /** Reads the statistics again. */
    refresh,
    latest: (): Played => known ?? NOTHING,
  };
}
