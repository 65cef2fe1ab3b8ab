import { z } from 'zod';
import { Amount } from '../../../http/schemas.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';

const Common = z.object({
  minBet: Amount.transform(units),
  maxBet: Amount.transform(units),
  maxProfit: Amount.transform(units),
  /** Percent, at most two decimals. */
  rtp: z.number().min(80).max(99.9),
});
const wait = (min: number, max: number) => z.number().int().min(min).max(max);

/** As they are stored: amounts as text. Bounds are those of what an administrator may set. */
export const Settings = {
  dice: Common.extend({ maxMultiplier: z.number().min(2).max(9900) }),
  limbo: Common.extend({ minMultiplier: z.number().min(1.01), maxMultiplier: z.number().max(1_000_000) }),
  keno: Common,
  /** How long a client waits between two balls, in single and in automatic play. */
  plinko: Common.extend({ manualMs: wait(0, 60_000), autoMs: wait(0, 60_000) }),
  mines: Common,
  'monkey-run': Common,
  roulette: Common,
  blackjack: Common,
  'speed-roulette': Common.extend({
    timeConfig: z.object({
      bettingMs: wait(3000, 120_000),
      waitingMs: wait(0, 60_000),
      resultMs: wait(1000, 60_000),
    }),
  }),
};

export type GameSlug = keyof typeof Settings;
export type GameSettings<S extends GameSlug> = z.output<(typeof Settings)[S]>;
/** Limits in US dollars (units), RTP in percent, whatever else the game needs. */
export type HouseGame<S extends GameSlug> = {
  id: number;
  slug: S;
  enabled: boolean;
  settings: GameSettings<S>;
};
export type HouseGames = ReturnType<typeof createHouseGames>;

/** Settings of the house games in memory; every process hears of a change, which counts for later rounds. */
export function createHouseGames({
  db,
  databaseClock,
  log,
}: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
}) {
  let games: ReadonlyMap<GameSlug, HouseGame<GameSlug>> = new Map();
  const mirror = createMirror({
    what: 'game settings',
    channel: 'games_changed',
    read: () => readGames(db),
    apply: (read) => {
      games = new Map(read.map((game) => [game.slug, game]));
    },
    databaseClock,
    log,
  });
  return {
    start: mirror.start,
    close: mirror.close,
    /** Resolves when a change that was just made is known here. */
    reload: mirror.reload,
    get: <S extends GameSlug>(slug: S): HouseGame<S> => games.get(slug) as HouseGame<S>,
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

/** What every config route shows, in US dollars. */
export const limitsOf = ({ minBet, maxBet, maxProfit }: GameSettings<GameSlug>) => ({
  minBet: dollars(minBet),
  maxBet: dollars(maxBet),
  maxProfit: dollars(maxProfit),
});

/** A limit as the config routes show it. */
const dollars = (amount: Units): number => Number(formatUnits(amount));
