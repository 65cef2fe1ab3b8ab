import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Category, GameType } from '../bets/schemas.ts';
import { fold, type Rule, readPercent } from './rules.ts';

/** A provider's information about a game. `rtp` is in percent. */
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
  /** The name, normalised for search and sorting. */
  folded: string;
  type: GameType;
  /** The first category is the main one. */
  categories: readonly Category[];
  tags: readonly string[];
  providerId: number;
  /** The provider's code for the game; null for a house game. */
  code: string | null;
  images: readonly string[];
  customImages: readonly string[];
  facts: Facts;
  /** In percent; null if the RTP reported by the provider applies. */
  staffRtp: number | null;
  /** Stored settings of a house game. */
  settings: Readonly<Record<string, unknown>>;
  enabled: boolean;
  /** Null if every currency of its provider is supported. */
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

/** Returns the games that were changed by the transaction with this id or by a later transaction. */
export async function readGames(db: DbOrTx, changesFrom: string): Promise<Game[]> {
  const rows = await selectGames(db)
    .where('changed_in', '>=', sql<string>`${changesFrom}::xid8`)
    .orderBy('id')
    .execute();
  return rows.map(toGame);
}

/** Reads games and locks them until the transaction ends, in id order to avoid deadlocks. */
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

/** Reads a provider and locks it until the transaction ends. */
export const lockProvider = (tx: Tx, slug: string): Promise<Provider | undefined> =>
  selectProviders(tx).where('slug', '=', slug).forUpdate().executeTakeFirst();

const selectProviders = (db: DbOrTx) =>
  db
    .selectFrom('game_providers')
    .select(['id', 'slug', 'name', 'origin_name as originName', 'prefix', 'enabled', 'images'])
    .select(['custom_images as customImages', 'blocked_countries as blockedCountries'])
    .select('created_at as createdAt');

/** Returns the ids of the games that staff have chosen for the main page, in display order, by category. */
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

const selectRules = (db: DbOrTx) =>
  db
    .selectFrom('commission_rules')
    .select(['id', 'provider_id as providerId', 'category', 'game_id as gameId', 'ggr_percent as percent'])
    .select(['payload', 'created_at as createdAt', 'updated_at as updatedAt']);

type RuleRow = Awaited<ReturnType<ReturnType<typeof selectRules>['executeTakeFirstOrThrow']>>;

const toRule = ({ percent, ...row }: RuleRow): Rule => ({ ...row, ppm: readPercent(percent)! });

/** Returns all commission rules by provider. */
export async function readRules(db: DbOrTx): Promise<ReadonlyMap<number, readonly Rule[]>> {
  const rows = await selectRules(db).orderBy('id').execute();
  return Map.groupBy(rows.map(toRule), ({ providerId }) => providerId);
}

/** The unique key of a commission rule. */
export type RuleKey = { providerId: number; category: string | null; gameId: number | null };

/** Finds a commission rule and locks it until the transaction ends. */
export async function lockRule(
  db: DbOrTx,
  { providerId, category, gameId }: RuleKey,
): Promise<Rule | undefined> {
  const row = await selectRules(db)
    .where('provider_id', '=', providerId)
    .where('category', category === null ? 'is' : '=', category)
    .where('game_id', gameId === null ? 'is' : '=', gameId)
    .forUpdate()
    .executeTakeFirst();
  return row && toRule(row);
}
