import { z } from 'zod';
import { Amount } from '../../http/schemas.ts';
import type { Db } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { type Units, units } from '../../platform/money.ts';
import { houseGameErrors } from './errors.ts';

const Common = z.object({
  minBet: Amount.transform(units),
  maxBet: Amount.transform(units),
  maxProfit: Amount.transform(units),
  /** Percent, at most two decimals. */
  rtp: z.number().min(80).max(99.9),
});

const Settings = { dice: Common.extend({ maxMultiplier: z.number().min(2).max(9900) }) };

export type GameSlug = keyof typeof Settings;
export type GameSettings<S extends GameSlug> = z.output<(typeof Settings)[S]>;
/** Limits in US dollars (units), RTP in percent, whatever else the game needs. */
export type HouseGame<S extends GameSlug> = {
  id: number;
  slug: S;
  enabled: boolean;
  settings: GameSettings<S>;
};
export type HouseGames = Awaited<ReturnType<typeof createHouseGames>>;

const RELOAD_MS = 2000;

/** Settings of the house games, kept in memory and read again every two seconds: a change counts for later rounds. */
export async function createHouseGames(db: Db, log: Log) {
  let games = await load(db);
  const timer = setInterval(() => {
    load(db).then(
      (loaded) => {
        games = loaded;
      },
      (error) => log.warn({ error: String(error) }, 'game settings not read'),
    );
  }, RELOAD_MS).unref();
  const get = <S extends GameSlug>(slug: S): HouseGame<S> => games.get(slug) as HouseGame<S>;
  return {
    get,
    /** Throws 409 GAME_DISABLED while the game is switched off. */
    getEnabled<S extends GameSlug>(slug: S): HouseGame<S> {
      const game = get(slug);
      if (!game.enabled) throw houseGameErrors.GAME_DISABLED({ game: slug });
      return game;
    },
    close: () => clearInterval(timer),
  };
}

async function load(db: Db): Promise<Map<GameSlug, HouseGame<GameSlug>>> {
  const rows = await db
    .selectFrom('games')
    .select(['id', 'slug', 'enabled', 'settings'])
    .where('type', '=', 'HOUSE_GAME')
    // A newer version may have brought games that this process cannot play; they are not its business.
    .where('slug', 'in', Object.keys(Settings))
    .execute();
  return new Map(
    rows.map((row) => {
      const slug = row.slug as GameSlug;
      return [slug, { id: row.id, slug, enabled: row.enabled, settings: Settings[slug].parse(row.settings) }];
    }),
  );
}

/** RTP in basis points: an integer, because rtp has at most two decimals. */
export const basisPoints = (rtp: number): number => Math.round(rtp * 100);

/** A limit as the config routes show it. */
export const dollars = (amount: Units): number => Number(amount) / 1e8;
