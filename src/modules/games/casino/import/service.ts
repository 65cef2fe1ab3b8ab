import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { isUnavailable } from '../../../../platform/database/errors.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { Category } from '../../bets/schemas.ts';
import type { SupplierGame } from '../../seamless-wallet/providers/provider.ts';
import {
  CHUNK,
  countMissing,
  insert,
  knownCodes,
  lastListed,
  refresh,
  rememberList,
  type Supplied,
  takenSlugs,
  writeShortList,
} from './queries.ts';
import { createSlugs, isShort } from './rules.ts';

export type Hydration = ReturnType<typeof createHydration>;

/** A provider. `list` returns all games that it offers. */
export type Supplier = { slug: string; list(): Promise<SupplierGame[]> };

/** The result of an import. `short`: the list was too short and was not applied. */
export type Hydrated = { added: number; refreshed: number; hidden: number; short: boolean };

/** Name of the import job, and of its lock. */
export const HYDRATE_JOB = 'games.hydrate';

type Deps = { db: Db; suppliers: () => readonly Supplier[]; reload: () => Promise<void>; log: Log };

/** Imports the game lists of providers into the catalogue. */
export function createHydration({ db, suppliers, reload, log }: Deps) {
  /** Applies a complete list in one transaction. Returns undefined if the provider does not exist. */
  const hydrate = async (slug: string, list: readonly SupplierGame[]): Promise<Hydrated | undefined> => {
    const games = readable(list);
    const done = await transaction(db, (tx) => apply(tx, slug, games));
    await reload();
    if (done?.short) log.warn({ provider: slug, games: games.length }, 'game list rejected: too short');
    else log.info({ provider: slug, ...done }, 'games imported');
    return done;
  };
  return {
    hydrate,

    /** Imports the lists of all providers. A provider that fails is retried by the next run. Throws if the database is unavailable. */
    async run(): Promise<void> {
      for (const supplier of suppliers()) {
        const failed = (error: unknown) => {
          log.error({ provider: supplier.slug, error: messageOf(error) }, 'game import failed');
          return undefined;
        };
        const games = await supplier.list().catch(failed);
        if (games)
          await hydrate(supplier.slug, games).catch((error) => {
            if (isUnavailable(error)) throw error;
            failed(error);
          });
      }
    },
  };
}

async function apply(tx: Tx, slug: string, games: readonly SupplierGame[]): Promise<Hydrated | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${HYDRATE_JOB}, 1))`.execute(tx);
  const provider: Supplied | undefined = await tx
    .selectFrom('game_providers')
    .select(['id', 'name', 'prefix'])
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (!provider) return undefined;
  const before = await lastListed(tx, provider);
  if (isShort(games.length, before)) {
    await writeShortList(tx, provider, { codes: games.length, before: before! });
    return { added: 0, refreshed: 0, hidden: 0, short: true };
  }
  const known = await knownCodes(tx, provider);
  const isKnown = Object.groupBy(games, ({ code }) => (known.has(code) ? 'known' : 'fresh'));
  const [old, fresh] = [isKnown.known ?? [], isKnown.fresh ?? []];
  let refreshed = 0;
  for (const some of chunks(old)) refreshed += await refresh(tx, provider, some);
  const hidden = await countMissing(
    tx,
    provider,
    games.map(({ code }) => code),
  );
  if (fresh.length > 0) {
    const slugOf = createSlugs(provider.prefix, await takenSlugs(tx));
    for (const some of chunks(fresh))
      await insert(
        tx,
        provider,
        some.map((game) => ({ ...game, slug: slugOf(game) })),
      );
  }
  await rememberList(tx, provider, games.length);
  return { added: fresh.length, refreshed, hidden, short: false };
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += CHUNK) yield rows.slice(from, from + CHUNK);
}

const LONGEST = 200;
/** PostgreSQL cannot store NUL or a lone surrogate. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed().trim();

/** Returns the valid games of a list: each code once, only existing categories. */
function readable(list: readonly SupplierGame[]): SupplierGame[] {
  const games = new Map<string, SupplierGame>();
  for (const game of list) {
    const [code, name] = [clean(game.code), clean(game.name).slice(0, LONGEST).toWellFormed()];
    if (code === '' || code.length > LONGEST || name === '' || games.has(code)) continue;
    const categories = game.categories.filter((one) => Category.safeParse(one).success);
    const main = game.type === 'SLOTS' ? 'SLOTS' : 'LIVE_CASINO';
    games.set(code, {
      ...game,
      code,
      name,
      categories: categories.length > 0 ? [...new Set(categories)] : [main],
      images: game.images.map(clean),
      description: game.description === null ? null : clean(game.description),
    });
  }
  return [...games.values()];
}

/** Accepts a list that was too short: the next list of its length is applied. */
export const acceptList = (tx: Tx, providerId: number, codes: number): Promise<void> =>
  rememberList(tx, { id: providerId }, codes);
