import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Category, GameType } from '../bets/schemas.ts';
import { fold } from './rules.ts';

/** What a supplier says of a game. `rtp` in percent. */
export type Facts = {
  description?: string | null;
  rtp?: number | null;
  volatility?: 'LOW' | 'MEDIUM' | 'HIGH' | null;
  maxWinMultiplier?: number | null;
  hasDemo?: boolean;
  hasFreeSpins?: boolean;
};

export type Game = {
  id: number;
  slug: string;
  name: string;
  /** The name as it is searched and sorted. */
  folded: string;
  type: GameType;
  /** The first is the main one. */
  categories: readonly Category[];
  tags: readonly string[];
  providerId: number;
  /** The provider's name of it; null: a game of the house. */
  code: string | null;
  images: readonly string[];
  customImages: readonly string[];
  facts: Facts;
  /** In percent; null: what the supplier says holds. */
  staffRtp: number | null;
  /** Of a house game, as they are stored. */
  settings: Readonly<Record<string, unknown>>;
  enabled: boolean;
  /** Null: every currency of its provider. */
  currencies: readonly string[] | null;
  blockedCountries: readonly string[];
  addedAt: Date;
  createdAt: Date;
  removedAt: Date | null;
};

export type Provider = {
  id: number;
  slug: string;
  name: string;
  originName: string;
  prefix: string | null;
  enabled: boolean;
  images: readonly string[];
  customImages: readonly string[];
  blockedCountries: readonly string[];
  createdAt: Date;
};

/** Games that a transaction from this one on has changed. */
export async function readGames(db: DbOrTx, changesFrom: string): Promise<Game[]> {
  const rows = await selectGames(db)
    .where('changed_in', '>=', sql<string>`${changesFrom}::xid8`)
    .orderBy('id')
    .execute();
  return rows.map(toGame);
}

/** As they are stored at the moment, locked until the transaction ends; always in one order. */
export async function lockGames(tx: Tx, slugs: readonly string[]): Promise<Map<string, Game>> {
  const rows = await selectGames(tx)
    .where('slug', '=', sql<string>`any(${slugs}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.slug, toGame(row)]));
}

const selectGames = (db: DbOrTx) =>
  db
    .selectFrom('games')
    .select(['id', 'slug', 'name', 'type', 'categories', 'tags', 'provider_id as providerId'])
    .select(['external_code as code', 'images', 'custom_images as customImages', 'facts'])
    .select(['staff_rtp as staffRtp', 'settings', 'enabled', 'currencies'])
    .select(['blocked_countries as blockedCountries', 'added_at as addedAt', 'created_at as createdAt'])
    .select('removed_at as removedAt');

type Row = Awaited<ReturnType<ReturnType<typeof selectGames>['executeTakeFirstOrThrow']>>;

function toGame(row: Row): Game {
  return {
    ...row,
    type: row.type as GameType,
    categories: row.categories as Category[],
    folded: fold(row.name),
    facts: row.facts as Facts,
    staffRtp: row.staffRtp === null ? null : Number(row.staffRtp),
    settings: row.settings as Game['settings'],
  };
}

export async function readProviders(db: DbOrTx): Promise<ReadonlyMap<number, Provider>> {
  const rows = await selectProviders(db).orderBy('id').execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** As it is stored at the moment, locked until the transaction ends. */
export const lockProvider = (tx: Tx, slug: string): Promise<Provider | undefined> =>
  selectProviders(tx).where('slug', '=', slug).forUpdate().executeTakeFirst();

const selectProviders = (db: DbOrTx) =>
  db
    .selectFrom('game_providers')
    .select(['id', 'slug', 'name', 'origin_name as originName', 'prefix', 'enabled', 'images'])
    .select(['custom_images as customImages', 'blocked_countries as blockedCountries'])
    .select('created_at as createdAt');

/** Ids of the games that staff has chosen for the main page, by category and in their order. */
export async function readMainPage(db: DbOrTx): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await db
    .selectFrom('main_page_games')
    .select(['category', 'game_id'])
    .orderBy('category')
    .orderBy('place')
    .execute();
  const byCategory = Map.groupBy(rows, ({ category }) => category);
  return new Map([...byCategory].map(([category, games]) => [category, games.map((game) => game.game_id)]));
}
