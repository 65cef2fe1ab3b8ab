import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { hasNoDuplicates, Id, object, SuccessResponse } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { ShortGameIdentity } from '../bets/schemas.ts';
import { casinoErrors, MAIN_PAGE, oneOf, SECTION_LENGTH, SECTIONS } from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import { toIdentity } from './view.ts';

const common = { path: '/admin/casino/games/main', tag: 'Admin Casino' } as const;

const MainPageCategory = object('MainPageCategory', {
  category: z.string(),
  enabled: z.boolean(),
  slugs: z.array(z.string()),
  games: z.array(ShortGameIdentity),
});

export const listSections = operation({
  ...common,
  method: 'GET',
  access: { permission: 'casino.read' },
  summary: 'List the games chosen for the main page',
  description:
    'Lists the games of each category and of NEW_RELEASES. `enabled` is true if the main page contains the category.',
  response: z.array(MainPageCategory),
  handler: ({ catalogue }: CasinoDeps) => {
    const { byId, providers, mainPage } = catalogue.state.now();
    return SECTIONS.map((category) => {
      const games = (mainPage.get(category) ?? []).map((id) => byId.get(id)!);
      return {
        category,
        enabled: MAIN_PAGE.includes(category),
        slugs: games.map(({ slug }) => slug),
        games: games.map((game) => toIdentity(game, providers.get(game.providerId)!)),
      };
    });
  },
});

const Section = z.strictObject({
  category: oneOf(SECTIONS),
  slugs: z.array(Id).max(SECTION_LENGTH).refine(hasNoDuplicates, 'has doubles'),
});

export const setSection = operation({
  ...common,
  method: 'POST',
  access: { permission: 'casino.write' },
  gate: 'none',
  summary: 'Choose the games of a main page category',
  description:
    'Replaces the games, in the given order. If the list is empty, the category contains the most popular games (NEW_RELEASES: ' +
    'the newest).',
  body: Section,
  response: SuccessResponse,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: async ({ db, catalogue }: CasinoDeps, { by, body }) => {
    await transaction(db, (tx) => writeSection(tx, by, body));
    await catalogue.state.reload();
    return { success: true };
  },
});

async function writeSection(
  tx: Tx,
  by: StaffCall,
  { category, slugs }: z.output<typeof Section>,
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
