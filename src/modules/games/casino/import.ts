import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { Category } from '../bets/schemas.ts';
import type { SupplierGame } from '../seamless-wallet/providers/provider.ts';
import { createSlugs, isShort, MISSED_LISTS } from './rules.ts';

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

/** Returns the valid games of a list, with each code once and only existing categories. */
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

/** Accepts the length of a list that was rejected as too short, so that the next list of this length is applied. */
export const acceptList = (tx: Tx, providerId: number, codes: number): Promise<void> =>
  rememberList(tx, { id: providerId }, codes);

/** A game in its provider's list. */
type Listed = {
  code: string;
  name: string;
  type: string;
  categories: readonly string[];
  images: readonly string[];
  currencies: readonly string[] | null;
  blockedCountries: readonly string[];
  description: string | null;
  rtp: number | null;
  volatility: string | null;
  maxWinMultiplier: number | null;
  hasDemo: boolean;
  hasFreeSpins: boolean;
};
type Supplied = { id: number; name: string; prefix: string | null };

/** Number of games per statement. */
const CHUNK = 4000;

/** The provider's fields that every import updates, by column name. The description and the maximum win are set only on insert. */
const listed = (games: readonly Listed[]) => {
  const rows = games.map((game) => ({
    code: game.code,
    images: game.images,
    currencies: game.currencies,
    blocked_countries: game.blockedCountries,
    facts: {
      rtp: game.rtp,
      volatility: game.volatility,
      hasDemo: game.hasDemo,
      hasFreeSpins: game.hasFreeSpins,
    },
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as l(code text, images text[], currencies text[], blocked_countries text[], facts jsonb)`;
};

/** Updates existing games and returns the number of changed games. Writes only rows that differ. */
async function refresh(tx: Tx, provider: Supplied, games: readonly Listed[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update games g set images = l.images, currencies = l.currencies, blocked_countries = l.blocked_countries,
      facts = g.facts || l.facts, missed_lists = 0, removed_at = null
    from ${listed(games)}
    where g.provider_id = ${provider.id} and g.external_code = l.code
      and (g.images, g.currencies, g.blocked_countries, g.facts, g.missed_lists, g.removed_at)
        is distinct from (l.images, l.currencies, l.blocked_countries, g.facts || l.facts, 0, null::timestamptz)`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0n);
}

async function insert(
  tx: Tx,
  provider: Supplied,
  games: readonly (Listed & { slug: string })[],
): Promise<void> {
  const rows = games.map((game) => ({
    slug: game.slug,
    code: game.code,
    name: game.name,
    type: game.type,
    categories: game.categories,
    description: game.description,
    max_win: game.maxWinMultiplier,
  }));
  await sql`
    insert into games (provider_id, provider_name, slug, external_code, name, type, categories, images, currencies,
      blocked_countries, facts)
    select ${provider.id}, ${provider.name}, n.slug, n.code, n.name, n.type, n.categories, l.images, l.currencies,
      l.blocked_countries, l.facts || jsonb_build_object('description', n.description, 'maxWinMultiplier', n.max_win)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as n(slug text, code text, name text, type text, categories text[], description text, max_win float8)
    join ${listed(games)} on l.code = n.code
    order by n.slug`.execute(tx);
}

/**
 * Counts the consecutive lists in which a game is missing, and hides games that are missing in MISSED_LISTS consecutive lists. Returns the
 * number of hidden games.
 */
async function countMissing(tx: Tx, provider: Supplied, codes: readonly string[]): Promise<number> {
  const { rows } = await sql<{ hidden: boolean }>`
    update games set missed_lists = missed_lists + 1,
      removed_at = case when missed_lists + 1 >= ${MISSED_LISTS}::int then now() end
    where provider_id = ${provider.id} and external_code is not null and removed_at is null
      and external_code <> all(${codes}::text[])
    returning removed_at is not null as hidden`.execute(tx);
  return rows.filter(({ hidden }) => hidden).length;
}

/** Returns the codes of all games that a provider has ever had. */
async function knownCodes(tx: Tx, provider: Supplied): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('games')
    .select('external_code')
    .where('provider_id', '=', provider.id)
    .where('external_code', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.external_code!));
}

async function takenSlugs(tx: Tx): Promise<Set<string>> {
  const rows = await tx.selectFrom('games').select('slug').execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Returns the number of games in the last applied list. */
async function lastListed(tx: Tx, provider: Supplied): Promise<number | undefined> {
  const row = await tx
    .selectFrom('supplier_lists')
    .select('codes')
    .where('provider_id', '=', provider.id)
    .executeTakeFirst();
  return row?.codes;
}

async function rememberList(tx: Tx, provider: Pick<Supplied, 'id'>, codes: number): Promise<void> {
  await sql`
    insert into supplier_lists (provider_id, codes) values (${provider.id}, ${codes})
    on conflict (provider_id) do update set codes = excluded.codes, listed_at = now()`.execute(tx);
}

/** Stores a finding for staff, at most once a day, that a list is too short. */
async function writeShortList(
  tx: Tx,
  provider: Supplied,
  facts: { codes: number; before: number },
): Promise<void> {
  await sql`
    insert into provider_findings (provider_id, kind, subject, facts)
    values (${provider.id}, 'SHORT_LIST', to_char(now() at time zone 'UTC', 'YYYY-MM-DD'), ${JSON.stringify(facts)}::jsonb)
    on conflict (provider_id, kind, subject) do nothing`.execute(tx);
}
