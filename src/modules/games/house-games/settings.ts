import type { z } from 'zod';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { type GameSlug, Settings } from './schemas.ts';

export type GameSettings<S extends GameSlug> = z.output<(typeof Settings)[S]>;
/** A house game with its settings: limits in US dollars (units), RTP in percent, and others. */
export type HouseGame<S extends GameSlug> = {
  id: number;
  slug: S;
  enabled: boolean;
  settings: GameSettings<S>;
};
export type HouseGames = ReturnType<typeof createHouseGames>;
type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

/** Settings of the house games in memory. Every process is notified of a change, which applies to new rounds. */
export function createHouseGames({ db, databaseClock, log }: Deps) {
  let games: ReadonlyMap<GameSlug, HouseGame<GameSlug>> = new Map();
  let configs: ReadonlyMap<GameSlug, object> = new Map();
  const mirror = createMirror({
    what: 'game settings',
    channel: 'games_changed',
    read: () => readGames(db),
    apply: (read) => {
      games = new Map(read.map((game) => [game.slug, game]));
      configs = new Map(read.map(({ slug, settings }) => [slug, Object.freeze(inDollars(settings))]));
    },
    databaseClock,
    log,
  });
  const get = <S extends GameSlug>(slug: S): HouseGame<S> => games.get(slug) as HouseGame<S>;
  return {
    start: mirror.start,
    close: mirror.close,
    /** Resolves when this process has read all committed changes. */
    reload: mirror.reload,
    get,
    /** Returns a game's settings for clients, with amounts in US dollars. The response schema removes internal fields. */
    config: <S extends GameSlug>(slug: S) => configs.get(slug) as Readonly<ReturnType<typeof inDollars<S>>>,
  };
}

/** Games locked until the transaction ends, in the order of their ids to avoid deadlocks. */
export async function lockGames(tx: Tx, slugs: readonly GameSlug[]): Promise<HouseGame<GameSlug>[]> {
  if (slugs.length === 0) return [];
  const rows = await selectGames(tx, slugs).orderBy('id').forUpdate().execute();
  return rows.map(toGame);
}

/** Reads all house games. */
export async function readGames(db: DbOrTx): Promise<HouseGame<GameSlug>[]> {
  // A newer version may have added games that this process cannot play.
  const rows = await selectGames(db, Object.keys(Settings)).orderBy('id').execute();
  return rows.map(toGame);
}

const selectGames = (db: DbOrTx, slugs: readonly string[]) =>
  db
    .selectFrom('games')
    .select(['id', 'slug', 'enabled', 'settings'])
    .where('type', '=', 'HOUSE_GAME')
    .where('slug', 'in', [...slugs]);

type Row = { id: number; slug: string; enabled: boolean; settings: unknown };

function toGame({ id, slug, enabled, settings }: Row): HouseGame<GameSlug> {
  const known = slug as GameSlug;
  return { id, slug: known, enabled, settings: Settings[known].parse(settings) };
}

/** Converts the amounts of settings to US dollars as JSON numbers. */
export const inDollars = <S extends GameSlug>({ minBet, maxBet, maxProfit, ...others }: GameSettings<S>) => ({
  ...others,
  minBet: dollars(minBet),
  maxBet: dollars(maxBet),
  maxProfit: dollars(maxProfit),
});

const dollars = (amount: Units): number => Number(formatUnits(amount));
