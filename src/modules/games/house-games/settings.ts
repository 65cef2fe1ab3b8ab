import type { z } from 'zod';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { type GameSlug, Settings } from './schemas.ts';

export type GameSettings<S extends GameSlug> = z.output<(typeof Settings)[S]>;
/** Limits in US dollars (units), RTP in percent, whatever else the game needs. */
export type HouseGame<S extends GameSlug> = {
  id: number;
  slug: S;
  enabled: boolean;
  settings: GameSettings<S>;
};
export type HouseGames = ReturnType<typeof createHouseGames>;
type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

/** Settings of the house games in memory; every process hears of a change, which counts for later rounds. */
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
    /** Resolves when a change that was just made is known here. */
    reload: mirror.reload,
    get,
    /** What the config route of a game shows: its settings, amounts in US dollars. The answer's schema leaves out what clients do not need. */
    config: <S extends GameSlug>(slug: S) => configs.get(slug) as Readonly<ReturnType<typeof inDollars<S>>>,
  };
}

/** These games as they are stored at the moment, locked until the transaction ends; always in one order. */
export async function lockGames(tx: Tx, slugs: readonly GameSlug[]): Promise<HouseGame<GameSlug>[]> {
  if (slugs.length === 0) return [];
  const rows = await selectGames(tx, slugs).orderBy('id').forUpdate().execute();
  return rows.map(toGame);
}

/** All house games as they are stored at the moment. */
export async function readGames(db: DbOrTx): Promise<HouseGame<GameSlug>[]> {
  // A newer version may have brought games that this process cannot play; they are not its business.
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

/** Settings as players and staff see them: amounts in US dollars as JSON numbers. */
export const inDollars = <S extends GameSlug>({ minBet, maxBet, maxProfit, ...others }: GameSettings<S>) => ({
  ...others,
  minBet: dollars(minBet),
  maxBet: dollars(maxBet),
  maxProfit: dollars(maxProfit),
});

const dollars = (amount: Units): number => Number(formatUnits(amount));
