import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { hasNoDuplicates, Id } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { siteEvents } from '../../base/site-config/schemas.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { type Game, lockGames, readRules } from './queries.ts';
import { edgePpmOf } from './rules.ts';
import { CategoryName, casinoErrors, GameAdmin, SlugPath, trimmed } from './schemas.ts';
import { type CasinoDeps, priced } from './service.ts';
import { getStaffGame } from './staff-view.ts';

const common = { tag: 'Admin Casino', access: { permission: 'casino.write' }, gate: 'none' } as const;
const game = { params: SlugPath, response: GameAdmin } as const;
/** The main category determines which commission rule applies. */
const recategorizes = {
  stepUp: { when: ({ category }: { category?: string }) => category !== undefined },
  createsValue: 'reattributes',
} as const;
const valueErrors = [staffValueErrors.APPROVAL_NEEDED, staffValueErrors.STAFF_VALUE_LIMIT] as const;

const GameChange = z.strictObject({
  category: CategoryName.optional(),
  rtp: z
    .number()
    .min(0)
    .max(100)
    .meta({ description: "The RTP in percent, rounded to three decimals. It replaces the provider's value." })
    .optional(),
  enabled: z.boolean().optional(),
});
type Change = z.output<typeof GameChange>;

export const changeGame = operation({
  ...common,
  ...game,
  ...recategorizes,
  method: 'POST',
  path: '/admin/casino/games/{slug}',
  summary: "Change a game's main category, displayed RTP or status",
  description: 'Requires a second approver if the commission rule of the new category has a higher edge.',
  body: GameChange,
  errors: [casinoErrors.GAME_NOT_FOUND, ...valueErrors],
  handler: async (deps: CasinoDeps, { by, params: { slug }, body }) => {
    const work = async (tx: Tx) => {
      const game = await lockGame(tx, by, slug);
      if (body.rtp !== undefined && game.type === 'HOUSE_GAME')
        throw invalidField('rtp', 'is one of the settings of a house game');
      const leave = await assertEdges(tx, deps, by, { games: [game], category: body.category });
      const [before, after] = await write(tx, game, body);
      await recordAudit(tx, by, { before, after: { ...after, ...(leave && pairOf(leave)) } });
    };
    await withProposals(deps.db, by, () => change(deps, work));
    return getStaffGame(deps, slug);
  },
});

export const setTags = operation({
  ...common,
  ...game,
  method: 'PUT',
  path: '/admin/casino/games/{slug}/tags',
  summary: 'Replace the tags of a game',
  body: z.strictObject({ tags: z.array(trimmed(30)).max(20).refine(hasNoDuplicates, 'has doubles') }),
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: async (deps: CasinoDeps, { by, params: { slug }, body: { tags } }) => {
    await change(deps, async (tx) => {
      const game = await lockGame(tx, by, slug);
      await tx.updateTable('games').set({ tags }).where('id', '=', game.id).execute();
      await recordAudit(tx, by, { before: { tags: game.tags }, after: { tags } });
    });
    return getStaffGame(deps, slug);
  },
});

const BulkChange = z
  .strictObject({
    slugs: z.array(Id).min(1).max(200),
    enabled: z.boolean().optional(),
    category: CategoryName.optional(),
  })
  .refine(({ enabled, category }) => enabled !== undefined || category !== undefined, {
    path: ['enabled'],
    message: 'or category is needed',
  });

const BulkChanged = z.object({
  updated: z.number().int(),
  results: z.array(z.object({ slug: z.string(), success: z.boolean(), code: z.string().nullable() })),
});

export const changeGames = operation({
  ...common,
  ...recategorizes,
  method: 'POST',
  path: '/admin/casino/games/bulk',
  summary: 'Enable, disable or recategorize many games',
  description: 'Skips unknown games. `results` contains the outcome for each game.',
  body: BulkChange,
  response: BulkChanged,
  errors: valueErrors,
  handler: (deps: CasinoDeps, { by, body }) =>
    withProposals(deps.db, by, () => change(deps, (tx) => changeMany(tx, deps, by, body))),
});

/** Runs a change, and waits until this process has reloaded the catalogue. */
async function change<T>({ db, catalogue }: CasinoDeps, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await transaction(db, work);
  await catalogue.state.reload();
  return done;
}

async function lockGame(tx: Tx, by: StaffCall, slug: string): Promise<Game> {
  const game = (await lockGames(tx, [slug])).get(slug);
  await freshActor(tx, by);
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
  return game;
}

/** Returns a game's categories after a change of the main category, or undefined if the categories stay the same. */
const categoriesWith = (
  { categories }: Game,
  category: Change['category'],
): Game['categories'] | undefined =>
  category === undefined || category === categories[0]
    ? undefined
    : [category, ...categories.filter((one) => one !== category)];

/**
 * Moving games to a main category whose commission rule has a higher edge raises rakeback and commission, so it needs a second approver.
 * Other changes do not.
 */
async function assertEdges(
  tx: Tx,
  deps: CasinoDeps,
  by: StaffCall,
  { games, category }: { games: readonly Game[]; category: Change['category'] },
): Promise<Leave | undefined> {
  if (category === undefined) return undefined;
  const rules = await readRules(tx);
  const edgeOf = (game: Game): number => edgePpmOf(priced(game), rules.get(game.providerId) ?? []);
  const raised = games.filter((game) => {
    const categories = categoriesWith(game, category);
    return categories !== undefined && edgeOf({ ...game, categories }) > edgeOf(game);
  });
  if (raised.length === 0) return undefined;
  return assertValue(tx, deps, by, {
    operation: 'casino.category',
    input: { slugs: JSON.stringify(raised.map(({ slug }) => slug).sort()), category },
    usdAmount: null,
    recipients: [],
    reason: `Main category ${category} of ${raised.length} games`,
  });
}

/** Writes the fields that differ and returns their previous and new values. */
async function write(tx: Tx, game: Game, { category, rtp, enabled }: Change): Promise<[object, object]> {
  const categories = categoriesWith(game, category);
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
      ...(categories && { categories: [...categories] }),
      ...(isNew && { enabled }),
      ...(staffRtp !== undefined && { staff_rtp: String(staffRtp) }),
    })
    .where('id', '=', game.id)
    .execute();
  if (isNew && game.type === 'HOUSE_GAME')
    await emitEvent(tx, { event: siteEvents['config.changed'], data: { code: 'GAMES', games: [game.slug] } });
  const former: Record<string, unknown> = { ...game, rtp: game.staffRtp };
  return [Object.fromEntries(Object.keys(after).map((name) => [name, former[name]])), after];
}

async function changeMany(
  tx: Tx,
  deps: CasinoDeps,
  by: StaffCall,
  { slugs, ...to }: z.output<typeof BulkChange>,
): Promise<z.input<typeof BulkChanged>> {
  const games = await lockGames(tx, slugs);
  await freshActor(tx, by);
  const leave = await assertEdges(tx, deps, by, { games: [...games.values()], category: to.category });
  const [before, after]: Record<string, object>[] = [{}, {}];
  for (const game of games.values()) {
    const [was, is] = await write(tx, game, to);
    if (Object.keys(is).length > 0) [before![game.slug], after![game.slug]] = [was, is];
  }
  await recordAudit(tx, by, { before: before!, after: { ...after, ...(leave && pairOf(leave)) } });
  const results = slugs.map((slug) => {
    const success = games.has(slug);
    return { slug, success, code: success ? null : casinoErrors.GAME_NOT_FOUND.code };
  });
  return { updated: games.size, results };
}
