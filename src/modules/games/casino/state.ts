import { sql } from 'kysely';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import { consistentRead, type Db, type Tx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { LastPlayed } from '../bets/live.ts';
import { type Game, type Provider, readGames, readMainPage, readProviders, readRules } from './queries.ts';
import type { Rule } from './rules.ts';

/** A consistent snapshot of the catalogue. A change replaces it. */
export type Known = {
  /** In id order. */
  games: readonly Game[];
  byId: ReadonlyMap<number, Game>;
  bySlug: ReadonlyMap<string, Game>;
  /** Games by provider and by the provider's code for the game (`codeKey`). */
  byCode: ReadonlyMap<string, Game>;
  providers: ReadonlyMap<number, Provider>;
  /** Games that staff have chosen for the main page: ids by category. */
  mainPage: ReadonlyMap<string, readonly number[]>;
  /** Commission rules by provider. */
  rules: ReadonlyMap<number, readonly Rule[]>;
  /** The snapshot may lack the changes of the transaction with this id and of later ones. */
  changesFrom: string;
};

const NOTHING: Known = {
  games: [],
  byId: new Map(),
  bySlug: new Map(),
  byCode: new Map(),
  providers: new Map(),
  mainPage: new Map(),
  rules: new Map(),
  changesFrom: '0',
};

export const codeKey = (providerId: number, code: string): string => `${providerId}:${code}`;

type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

/**
 * The catalogue in memory, including hidden games. After each committed change a notification makes every process read the changes. Only
 * the changed rows of games are read, because games are never deleted. All other tables are read completely.
 */
export function createState({ db, databaseClock, log }: Deps) {
  let known = NOTHING;
  const mirror = createMirror({
    what: 'games',
    channel: 'games_changed',
    read: () => readChanges(db, known),
    apply: (read) => {
      known = read;
    },
    databaseClock,
    log,
  });
  return {
    start: mirror.start,
    close: mirror.close,
    /** Resolves once this process has read all committed changes. */
    reload: mirror.reload,
    now: (): Known => known,
  };
}

function readChanges(db: Db, known: Known): Promise<Known> {
  return consistentRead(db, async (tx) => {
    const changesFrom = await oldestOpen(tx);
    const changed = await readGames(tx, known.changesFrom);
    const [providers, mainPage] = [await readProviders(tx), await readMainPage(tx)];
    const rules = await readRules(tx);
    return { ...withGames(known, changed), providers, mainPage, rules, changesFrom };
  });
}

/** Returns the oldest transaction id whose changes may be missing from the snapshot. */
async function oldestOpen(tx: Tx): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as id`.execute(tx);
  return rows[0]!.id;
}

function withGames(
  known: Known,
  changed: readonly Game[],
): Pick<Known, 'games' | 'byId' | 'bySlug' | 'byCode'> {
  if (changed.length === 0) return known;
  const all = new Map(known.byId);
  for (const game of changed) all.set(game.id, game);
  const games = [...all.values()].sort((a, b) => a.id - b.id);
  return {
    games,
    byId: new Map(games.map((game) => [game.id, game])),
    bySlug: new Map(games.map((game) => [game.slug, game])),
    byCode: new Map(
      games.flatMap((game) => (game.code === null ? [] : [[codeKey(game.providerId, game.code), game]])),
    ),
  };
}

/** Statistics of bets on games, provided by an area that is loaded later. */
export type PlayStats = {
  /** Number of players of each game in the last 30 days. Games without players are omitted. */
  popularity: () => Promise<ReadonlyMap<number, number>>;
  lastPlayed: LastPlayed;
  /** Returns the time at which this player last played each game. */
  playedBy: (userId: number) => Promise<ReadonlyMap<number, Date>>;
};

/** Number of players and last bet of each game. The data may be two minutes old. */
export type Played = {
  players: ReadonlyMap<number, number>;
  lastPlayed: ReadonlyMap<number, Date>;
};

const NOT_PLAYED: Played = { players: new Map(), lastPlayed: new Map() };
const FRESH_MS = 60_000;

type PlayedDeps = {
  stats: Pick<PlayStats, 'popularity' | 'lastPlayed'>;
  /** Ids of all games. */
  gameIds: () => readonly number[];
  log: Log;
};

/**
 * Caches the statistics. Only the first request waits for them. Later requests get the cached values while the statistics are being
 * refreshed.
 */
export function createPlayed({ stats, gameIds, log }: PlayedDeps) {
  let known: Played | undefined;
  let readAt = 0;
  let reading: Promise<Played> | undefined;

  const read = async (): Promise<Played> => {
    readAt = performance.now();
    const players = await stats.popularity();
    // Later reads need only the games with players in the last 30 days. No other game has had a bet since the first read.
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
    /** Returns the cached statistics. The first call returns a promise. */
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
    latest: (): Played => known ?? NOT_PLAYED,
  };
}
