import { sql } from 'kysely';
import type { StaffCall } from '../../../../http/access.ts';
import { isUnavailable } from '../../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { runSoon } from '../../../../platform/schedules.ts';
import { freshActor } from '../../../base/access/service.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { Category } from '../../bets/schemas.ts';
import type { SupplierGame } from '../../provider-wallets/provider.ts';
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

/** Who games come from. `list` answers all that it offers. */
export type Supplier = { slug: string; list(): Promise<SupplierGame[]> };

/** What a list has changed; `short`: it was too short to be applied. */
export type Hydrated = { added: number; refreshed: number; hidden: number; short: boolean };

/** The job that hydrates; its name is its lock. */
export const HYDRATE_JOB = 'games.hydrate';

type Deps = { db: Db; suppliers: () => readonly Supplier[]; reload: () => Promise<void>; log: Log };

/** Takes the games that suppliers list into the catalogue (providers.md 1). */
export function createHydration({ db, suppliers, reload, log }: Deps) {
  /** Applies a complete list, all or nothing. Undefined: there is no such provider. */
  const hydrate = async (slug: string, list: readonly SupplierGame[]): Promise<Hydrated | undefined> => {
    const games = readable(list);
    const done = await transaction(db, (tx) => apply(tx, slug, games));
    await reload();
    if (done?.short) log.warn({ provider: slug, games: games.length }, 'a list is too short to be applied');
    else log.info({ provider: slug, ...done }, 'games were taken over');
    return done;
  };
  return {
    hydrate,

    /** Asks every supplier. One that does not answer is asked again the next time. Throws when the database is away. */
    async run(): Promise<void> {
      for (const supplier of suppliers()) {
        const failed = (error: unknown) => {
          log.error({ provider: supplier.slug, error: messageOf(error) }, 'games could not be taken over');
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

    /** Has a worker run it now; nothing while it is running already. */
    request: (by: StaffCall): Promise<void> =>
      transaction(db, async (tx) => {
        await freshActor(tx, by);
        await runSoon(tx, HYDRATE_JOB);
        await recordAudit(tx, by, { after: { job: HYDRATE_JOB } });
      }),
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
/** PostgreSQL stores neither NUL nor half a character. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed().trim();

/** What can be kept of a list: each code once, categories that there are. */
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

/** Staff believes a list that was too short: the next one of its length is applied. */
export const acceptList = (tx: Tx, providerId: number, codes: number): Promise<void> =>
  rememberList(tx, { id: providerId }, codes);
