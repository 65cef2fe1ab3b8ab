import { messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { LastPlayed } from '../bets/live.ts';

/** What is known of bets on games, from a later area. */
export type PlayStats = {
  /** Players of each game in the last 30 days; no figure: nobody. */
  popularity: () => Promise<ReadonlyMap<number, number>>;
  lastPlayed: LastPlayed;
  /** When this player has last played each game. */
  playedBy: (userId: number) => Promise<ReadonlyMap<number, Date>>;
};

/** How popular games are, and when they were last played by anybody; a minute or two old. */
export type Played = {
  players: ReadonlyMap<number, number>;
  lastPlayed: ReadonlyMap<number, Date>;
};

const NOTHING: Played = { players: new Map(), lastPlayed: new Map() };
const FRESH_MS = 60_000;

type Deps = {
  stats: Pick<PlayStats, 'popularity' | 'lastPlayed'>;
  /** All games there are. */
  gameIds: () => readonly number[];
  log: Log;
};

/** Only whoever asks first waits for it: later what is known is shown while it is read again. */
export function createPlayed({ stats, gameIds, log }: Deps) {
  let known: Played | undefined;
  let readAt = 0;
  let reading: Promise<Played> | undefined;

  const read = async (): Promise<Played> => {
    readAt = performance.now();
    const players = await stats.popularity();
    // What nobody has played for 30 days was not played since it was first asked about.
    const asked = known ? [...players.keys()] : gameIds();
    const lastPlayed = new Map([...(known?.lastPlayed ?? []), ...(await stats.lastPlayed(asked))]);
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
    /** What is known; a promise for the first who asks. */
    now(): Played | Promise<Played> {
      if (!known) return refresh();
      if (performance.now() - readAt >= FRESH_MS)
        refresh().catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, 'how games are played cannot be read: what is known stays'),
        );
      return known;
    },
    /** Resolves when it has been read anew. */
    refresh,
    latest: (): Played => known ?? NOTHING,
  };
}
