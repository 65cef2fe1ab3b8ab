import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { MISSED_LISTS } from './rules.ts';

/** A game in its provider's list. */
export type Listed = {
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
export type Supplied = { id: number; name: string; prefix: string | null };

/** Number of games per statement. */
export const CHUNK = 4000;

/** The provider's fields under the names of the columns. `facts` contains those that every list updates. */
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

/** Updates existing games and returns how many were changed. Writes only rows that differ. */
export async function refresh(tx: Tx, provider: Supplied, games: readonly Listed[]): Promise<number> {
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

export async function insert(
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

/** Counts this list for games that are missing in it, and hides games missing in MISSED_LISTS lists. Returns the number of hidden games. */
export async function countMissing(tx: Tx, provider: Supplied, codes: readonly string[]): Promise<number> {
  const { rows } = await sql<{ hidden: boolean }>`
    update games set missed_lists = missed_lists + 1,
      removed_at = case when missed_lists + 1 >= ${MISSED_LISTS}::int then now() end
    where provider_id = ${provider.id} and external_code is not null and removed_at is null
      and external_code <> all(${codes}::text[])
    returning removed_at is not null as hidden`.execute(tx);
  return rows.filter(({ hidden }) => hidden).length;
}

/** Returns the codes of all games that a provider has ever had. */
export async function knownCodes(tx: Tx, provider: Supplied): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('games')
    .select('external_code')
    .where('provider_id', '=', provider.id)
    .where('external_code', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.external_code!));
}

export async function takenSlugs(tx: Tx): Promise<Set<string>> {
  const rows = await tx.selectFrom('games').select('slug').execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Returns the number of games in the last applied list. */
export async function lastListed(tx: Tx, provider: Supplied): Promise<number | undefined> {
  const row = await tx
    .selectFrom('supplier_lists')
    .select('codes')
    .where('provider_id', '=', provider.id)
    .executeTakeFirst();
  return row?.codes;
}

export async function rememberList(tx: Tx, provider: Pick<Supplied, 'id'>, codes: number): Promise<void> {
  await sql`
    insert into supplier_lists (provider_id, codes) values (${provider.id}, ${codes})
    on conflict (provider_id) do update set codes = excluded.codes, listed_at = now()`.execute(tx);
}

/** Reports a list that is too short to staff, once a day. */
export async function writeShortList(
  tx: Tx,
  provider: Supplied,
  facts: { codes: number; before: number },
): Promise<void> {
  await sql`
    insert into provider_findings (provider_id, kind, subject, facts)
    values (${provider.id}, 'SHORT_LIST', to_char(now() at time zone 'UTC', 'YYYY-MM-DD'), ${JSON.stringify(facts)}::jsonb)
    on conflict (provider_id, kind, subject) do nothing`.execute(tx);
}
