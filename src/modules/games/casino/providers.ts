import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { page, paginated } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { runSoon } from '../../../platform/queue/cron.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { HYDRATE_JOB } from './import.ts';
import { lockProvider } from './queries.ts';
import { byText, fold, pageIn } from './rules.ts';
import { casinoErrors, GameProviderAdmin, ProvidersQuery, SlugPath, trimmed } from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import { getStaffProvider, toStaffProvider } from './staff-view.ts';
import { nameOf } from './view.ts';
import { matchesFilter } from './visible.ts';

const read = { method: 'GET', tag: 'Admin Casino', access: { permission: 'casino.read' } } as const;
const write = { tag: 'Admin Casino', access: { permission: 'casino.write' }, gate: 'none' } as const;
const provider = {
  path: '/admin/casino/games/providers/{slug}',
  params: SlugPath,
  response: GameProviderAdmin,
  errors: [casinoErrors.PROVIDER_NOT_FOUND],
} as const;

const Query = z.strictObject({ ...ProvidersQuery.shape, enabled: z.boolean().optional() });

export const listAllProviders = operation({
  ...read,
  path: '/admin/casino/games/providers',
  summary: 'List all game providers, including the house',
  query: Query,
  response: page(GameProviderAdmin),
  handler: (deps: CasinoDeps, { query }) => findProviders(deps, query),
});

export const getProvider = operation({
  ...read,
  ...provider,
  summary: 'Get a game provider',
  handler: (deps: CasinoDeps, { params }) => getStaffProvider(deps, params.slug),
});

export const changeProvider = operation({
  ...write,
  ...provider,
  method: 'PATCH',
  summary: 'Rename, enable or disable a game provider',
  description: 'Games of a disabled provider do not appear in the catalogue.',
  body: z.strictObject({ enabled: z.boolean().optional(), name: trimmed(100).optional() }),
  handler: async (deps: CasinoDeps, { by, params: { slug }, body }) => {
    await transaction(deps.db, async (tx) => {
      const provider = await lockProvider(tx, slug);
      await freshActor(tx, by);
      if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
      const { id, name, enabled } = provider;
      const after = { name: body.name ?? name, enabled: body.enabled ?? enabled };
      await tx.updateTable('game_providers').set(after).where('id', '=', id).execute();
      // Lists of bets read the provider's name from the rows of its games, so these must be updated too.
      if (id !== 0 && after.name !== name)
        await tx
          .updateTable('games')
          .set({ provider_name: after.name })
          .where('provider_id', '=', id)
          .execute();
      await recordAudit(tx, by, { before: { name, enabled }, after });
    });
    await deps.catalogue.state.reload();
    return getStaffProvider(deps, slug);
  },
});

export const importGames = operation({
  ...write,
  method: 'POST',
  path: '/admin/casino/games/hydrate',
  deprecated: true,
  summary: 'Import the games of all providers now',
  description:
    'Returns before the import is complete, and does nothing if an import is already running. Deprecated, because the worker ' +
    'imports games every 12 hours.',
  handler: ({ db }: CasinoDeps, { by }) =>
    transaction(db, async (tx) => {
      await freshActor(tx, by);
      await runSoon(tx, HYDRATE_JOB);
      await recordAudit(tx, by, { after: { job: HYDRATE_JOB } });
    }),
});

function findProviders(deps: CasinoDeps, query: z.output<typeof Query>) {
  const { games, providers } = deps.catalogue.state.now();
  const { enabled, gameCategory: category, sortBy, sortOrder } = query;
  const name = query.name === undefined ? undefined : fold(query.name);
  const withCategory = new Set(
    games.filter((game) => matchesFilter(game, { category })).map(({ providerId }) => providerId),
  );
  const rows = [...providers.values()].filter(
    (provider) =>
      (enabled === undefined || provider.enabled === enabled) &&
      (category === undefined || withCategory.has(provider.id)) &&
      (name === undefined || fold(nameOf(provider, deps.config.BRAND_NAME)).includes(name)),
  );
  rows.sort((a, b) => {
    const older = a.createdAt.getTime() - b.createdAt.getTime();
    return (sortBy === 'name' ? byText(fold(a.name), fold(b.name)) : older) || a.id - b.id;
  });
  const found = pageIn(rows, query, sortOrder === 'desc').map((one) => toStaffProvider(deps, one));
  return paginated(found, query, rows.length);
}
