import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { casinoErrors } from './errors.ts';
import { type Game, lockGames, lockProvider } from './queries.ts';
import type {
  BulkChange,
  BulkChanged,
  GameChange,
  MainPageChange,
  ProviderChange,
  TagsChange,
} from './schemas.ts';
import type { StaffLists } from './staff-lists.ts';

export type Administration = ReturnType<typeof createAdministration>;

type Deps = { db: Db; reload: () => Promise<void>; lists: StaffLists };
type Change = z.output<typeof GameChange>;

/** What staff changes of games, providers and the main page; every process knows within a second. */
export function createAdministration({ db, reload, lists }: Deps) {
  const change = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const done = await transaction(db, work);
    await reload();
    return done;
  };
  return {
    /** Throws 404 GAME_NOT_FOUND, 400 VALIDATION_FAILED for the return of a house game, which its settings say. */
    async game(by: StaffCall, slug: string, to: Change) {
      await change(async (tx) => {
        const game = await lockGame(tx, by, slug);
        if (to.rtp !== undefined && game.type === 'HOUSE_GAME')
          throw invalidField('rtp', 'is one of the settings of a house game');
        const [before, after] = await write(tx, game, to);
        await recordAudit(tx, by, { before, after });
      });
      return lists.game(slug);
    },

    /** Throws 404 GAME_NOT_FOUND. */
    async tags(by: StaffCall, slug: string, { tags }: z.output<typeof TagsChange>) {
      await change(async (tx) => {
        const game = await lockGame(tx, by, slug);
        await tx.updateTable('games').set({ tags }).where('id', '=', game.id).execute();
        await recordAudit(tx, by, { before: { tags: game.tags }, after: { tags } });
      });
      return lists.game(slug);
    },

    /** Each game for itself: those that there are not do not stand in the way of the others. */
    bulk: (by: StaffCall, body: z.output<typeof BulkChange>) => change((tx) => changeMany(tx, by, body)),

    /** Throws 404 PROVIDER_NOT_FOUND. */
    async provider(by: StaffCall, slug: string, to: z.output<typeof ProviderChange>) {
      await change((tx) => changeProvider(tx, by, { slug, to }));
      return lists.provider(slug);
    },

    /** Replaces a section of the main page. Throws 404 GAME_NOT_FOUND. */
    async main(by: StaffCall, body: z.output<typeof MainPageChange>): Promise<{ success: boolean }> {
      await change((tx) => setSection(tx, by, body));
      return { success: true };
    },
  };
}

async function lockGame(tx: Tx, by: StaffCall, slug: string): Promise<Game> {
  const game = (await lockGames(tx, [slug])).get(slug);
  await freshActor(tx, by);
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
  return game;
}

/** Writes what differs, and returns it as it was and as it is. */
async function write(tx: Tx, game: Game, { category, rtp, enabled }: Change): Promise<[object, object]> {
  const categories =
    category === undefined || category === game.categories[0]
      ? undefined
      : [category, ...game.categories.filter((one) => one !== category)];
  const isNew = enabled !== undefined && enabled !== game.enabled;
  const staffRtp = rtp === game.staffRtp ? undefined : rtp;
  const after = {
    ...(categories && { categories }),
    ...(isNew && { enabled }),
    ...(staffRtp !== undefined && { rtp }),
  };
  if (Object.keys(after).length === 0) return [{}, {}];
  await tx
    .updateTable('games')
    .set({
      ...(categories && { categories }),
      ...(isNew && { enabled }),
      ...(staffRtp !== undefined && { staff_rtp: String(staffRtp) }),
    })
    .where('id', '=', game.id)
    .execute();
  if (isNew && game.type === 'HOUSE_GAME')
    await emitEvent(tx, { event: 'config.changed', data: { code: 'GAMES', games: [game.slug] } });
  const former: Record<string, unknown> = { ...game, rtp: game.staffRtp };
  return [Object.fromEntries(Object.keys(after).map((name) => [name, former[name]])), after];
}

async function changeMany(
  tx: Tx,
  by: StaffCall,
  { slugs, ...to }: z.output<typeof BulkChange>,
): Promise<z.input<typeof BulkChanged>> {
  const games = await lockGames(tx, slugs);
  await freshActor(tx, by);
  const [before, after]: Record<string, object>[] = [{}, {}];
  for (const game of games.values()) {
    const [was, is] = await write(tx, game, to);
    if (Object.keys(is).length > 0) [before![game.slug], after![game.slug]] = [was, is];
  }
  await recordAudit(tx, by, { before: before!, after: after! });
  const results = slugs.map((slug) => {
    const success = games.has(slug);
    return { slug, success, code: success ? null : casinoErrors.GAME_NOT_FOUND.code };
  });
  return { updated: games.size, results };
}

async function changeProvider(
  tx: Tx,
  by: StaffCall,
  { slug, to }: { slug: string; to: z.output<typeof ProviderChange> },
): Promise<void> {
  const provider = await lockProvider(tx, slug);
  await freshActor(tx, by);
  if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
  const { id, name, enabled } = provider;
  const after = { name: to.name ?? name, enabled: to.enabled ?? enabled };
  await tx.updateTable('game_providers').set(after).where('id', '=', id).execute();
  // Lists of bets show a provider's name beside each game.
  if (id !== 0 && after.name !== name)
    await tx.updateTable('games').set({ provider_name: after.name }).where('provider_id', '=', id).execute();
  await recordAudit(tx, by, { before: { name, enabled }, after });
}

async function setSection(
  tx: Tx,
  by: StaffCall,
  { category, slugs }: z.output<typeof MainPageChange>,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`main page ${category}`}, 0))`.execute(tx);
  await freshActor(tx, by);
  const found = await tx
    .selectFrom('games')
    .select(['id', 'slug'])
    .where('slug', '=', sql<string>`any(${slugs}::text[])`)
    .execute();
  const ids = new Map(found.map(({ slug, id }) => [slug, id]));
  const missing = slugs.findIndex((slug) => !ids.has(slug));
  if (missing >= 0) throw casinoErrors.GAME_NOT_FOUND({ slug: slugs[missing] });
  const former = await tx
    .selectFrom('main_page_games')
    .innerJoin('games', 'games.id', 'game_id')
    .select('slug')
    .where('category', '=', category)
    .orderBy('place')
    .execute();
  await tx.deleteFrom('main_page_games').where('category', '=', category).execute();
  const rows = slugs.map((slug, place) => ({ category, place, game_id: ids.get(slug)! }));
  if (rows.length > 0) await tx.insertInto('main_page_games').values(rows).execute();
  const before = former.map(({ slug }) => slug);
  await recordAudit(tx, by, { before: { category, slugs: before }, after: { category, slugs } });
}
