import { sql } from 'kysely';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { readRules } from './commission/queries.ts';
import type { Rule } from './commission/rules.ts';
import { type Game, type Provider, readGames, readMainPage, readProviders } from './queries.ts';

/** All of it as of one moment; replaced whole by a change. */
export type Known = {
  /** In the order of their ids. */
  games: readonly Game[];
  byId: ReadonlyMap<number, Game>;
  bySlug: ReadonlyMap<string, Game>;
  /** By provider and the provider's name of the game (`codeKey`). */
  byCode: ReadonlyMap<string, Game>;
  providers: ReadonlyMap<number, Provider>;
  /** Staff's choice for the main page: ids of games by category. */
  mainPage: ReadonlyMap<string, readonly number[]>;
  /** Commission rules by provider. */
  rules: ReadonlyMap<number, readonly Rule[]>;
  /** Transactions from this one on may have changed games that are not in here. */
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
 * The catalogue in memory: every game, also those that players do not see. A notice at commit has each process read again what has
 * changed: of games only the rows that did, which never are deleted.
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
    /** Resolves when a change that was just made is known here. */
    reload: mirror.reload,
    now: (): Known => known,
  };
}

function readChanges(db: Db, known: Known): Promise<Known> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const changesFrom = await oldestOpen(tx);
    const changed = await readGames(tx, known.changesFrom);
    const [providers, mainPage] = [await readProviders(tx), await readMainPage(tx)];
    const rules = await readRules(tx);
    return { ...withGames(known, changed), providers, mainPage, rules, changesFrom };
  });
}

/** What this snapshot does not see was written by this transaction or a later one. */
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
