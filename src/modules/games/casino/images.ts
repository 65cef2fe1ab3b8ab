import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import type { Upload } from '../../../http/route.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import { toWebp } from '../../../platform/files/images.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockGames, lockProvider } from './queries.ts';
import { casinoErrors, GameAdmin, GameProviderAdmin, SlugPath } from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import { getStaffGame, getStaffProvider } from './staff-view.ts';

const common = {
  tag: 'Admin Casino',
  access: { permission: 'casino.write' },
  gate: 'none',
  params: SlugPath,
} as const;
const game = { ...common, path: '/admin/casino/games/{slug}/images', response: GameAdmin } as const;
const provider = {
  ...common,
  path: '/admin/casino/games/providers/{slug}/images',
  response: GameProviderAdmin,
} as const;
/** An upload contains no fields besides its file. */
const upload = { method: 'POST', multipart: 'image', body: z.strictObject({}) } as const;

export const addGameImage = operation({
  ...game,
  ...upload,
  summary: 'Add a custom cover image to a game',
  description:
    "The image is converted to WebP, 480 × 640 pixels. The provider's images are kept. A game can have at most 5 custom images; " +
    'adding another one deletes the oldest.',
  errors: [casinoErrors.GAME_NOT_FOUND, commonErrors.IMAGE_INVALID],
  handler: async (deps: CasinoDeps, { by, params: { slug }, file }) => {
    // Rejects an unknown game before the image is converted.
    await getStaffGame(deps, slug);
    await add(deps, GAME, by, { slug, file });
    return getStaffGame(deps, slug);
  },
});

export const removeGameImages = operation({
  ...game,
  method: 'DELETE',
  summary: 'Remove the custom images of a game',
  description: "The provider's images are kept.",
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: async (deps: CasinoDeps, { by, params: { slug } }) => {
    await replace(deps, GAME, by, { slug, to: () => [] });
    return getStaffGame(deps, slug);
  },
});

export const addProviderImage = operation({
  ...provider,
  ...upload,
  summary: 'Add a custom cover image to a provider',
  description:
    'The image is converted to WebP, 480 × 240 pixels. The original images are kept. A provider can have at most 5 custom images; ' +
    'adding another one deletes the oldest.',
  errors: [casinoErrors.PROVIDER_NOT_FOUND, commonErrors.IMAGE_INVALID],
  handler: async (deps: CasinoDeps, { by, params: { slug }, file }) => {
    getStaffProvider(deps, slug);
    await add(deps, PROVIDER, by, { slug, file });
    return getStaffProvider(deps, slug);
  },
});

export const removeProviderImages = operation({
  ...provider,
  method: 'DELETE',
  summary: 'Remove the custom images of a provider',
  description: 'The original images are kept.',
  errors: [casinoErrors.PROVIDER_NOT_FOUND],
  handler: async (deps: CasinoDeps, { by, params: { slug } }) => {
    await replace(deps, PROVIDER, by, { slug, to: () => [] });
    return getStaffProvider(deps, slug);
  },
});

/** A kind of object with custom images. */
type Owner = {
  size: { width: number; height: number };
  table: 'games' | 'game_providers';
  lock: (tx: Tx, slug: string) => Promise<{ id: number; customImages: readonly string[] } | undefined>;
  absent: () => AppError;
};

const GAME: Owner = {
  size: { width: 480, height: 640 },
  table: 'games',
  lock: async (tx, slug) => (await lockGames(tx, [slug])).get(slug),
  absent: casinoErrors.GAME_NOT_FOUND,
};
const PROVIDER: Owner = {
  size: { width: 480, height: 240 },
  table: 'game_providers',
  lock: lockProvider,
  absent: casinoErrors.PROVIDER_NOT_FOUND,
};

/** Maximum number of custom images per game or provider. */
const MOST = 5;

/** Adds an image as the first one. If there are too many, the oldest is deleted. */
async function add(
  deps: CasinoDeps,
  owner: Owner,
  by: StaffCall,
  { slug, file }: { slug: string; file: Upload | undefined },
): Promise<void> {
  // The image is optional in the specification. Without an image nothing changes.
  if (!file) return;
  const { db, files, config } = deps;
  const maxPixels = config.UPLOAD_LIMIT_PIXELS;
  const name = await files.put(await toWebp(file.bytes, { ...owner.size, maxPixels }), 'games');
  const url = files.urlOf(name);
  const to = (images: readonly string[]) => [url, ...images].slice(0, MOST);
  await replace(deps, owner, by, { slug, to }).catch(async (error: unknown) => {
    // The commit may have succeeded although the connection broke. In that case the file is in use.
    const isUsed = await isImageUsed(db, owner, { slug, url }).catch(() => true);
    if (!isUsed) await files.forget(url);
    throw error;
  });
}

async function isImageUsed(
  db: Db,
  { table }: Owner,
  { slug, url }: { slug: string; url: string },
): Promise<boolean> {
  const row = await db.selectFrom(table).select('custom_images').where('slug', '=', slug).executeTakeFirst();
  return row?.custom_images.includes(url) ?? false;
}

type Replacement = { slug: string; to: (images: readonly string[]) => string[] };

async function replace(
  { db, files, catalogue }: CasinoDeps,
  { lock, table, absent }: Owner,
  by: StaffCall,
  { slug, to }: Replacement,
): Promise<void> {
  const removed = await transaction(db, async (tx) => {
    const row = await lock(tx, slug);
    await freshActor(tx, by);
    if (!row) throw absent();
    const before = { customImages: row.customImages };
    const after = { customImages: to(row.customImages) };
    await tx.updateTable(table).set({ custom_images: after.customImages }).where('id', '=', row.id).execute();
    await recordAudit(tx, by, { before, after });
    return row.customImages.filter((url) => !after.customImages.includes(url));
  });
  await catalogue.state.reload();
  for (const url of removed) await files.forget(url);
}
