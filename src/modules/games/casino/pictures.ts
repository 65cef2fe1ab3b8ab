import type { StaffCall } from '../../../http/access.ts';
import type { Upload } from '../../../http/route.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { type AppError, invalidField } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files.ts';
import { toWebp } from '../../../platform/images.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { casinoErrors } from './errors.ts';
import { lockGames, lockProvider } from './queries.ts';
import type { StaffLists } from './staff-lists.ts';

export type Pictures = ReturnType<typeof createPictures>;

/** What may have custom images. */
type Owner = {
  size: { width: number; height: number };
  table: 'games' | 'game_providers';
  lock: (tx: Tx, slug: string) => Promise<{ id: number; customImages: readonly string[] } | undefined>;
  absent: () => AppError;
};

const GAMES: Owner = {
  size: { width: 480, height: 640 },
  table: 'games',
  lock: async (tx, slug) => (await lockGames(tx, [slug])).get(slug),
  absent: casinoErrors.GAME_NOT_FOUND,
};
const PROVIDERS: Owner = {
  size: { width: 480, height: 240 },
  table: 'game_providers',
  lock: lockProvider,
  absent: casinoErrors.PROVIDER_NOT_FOUND,
};

type Deps = {
  db: Db;
  files: Files;
  maxPixels: number;
  reload: () => Promise<void>;
  lists: StaffLists;
};
type Asked = { slug: string; file?: Upload | undefined };

/** Custom images of games and providers, shown in place of the supplier's, which stay as they are. */
export function createPictures(deps: Deps) {
  const { lists } = deps;
  return {
    /** Throws 404 GAME_NOT_FOUND, 400 IMAGE_INVALID. */
    async addToGame(by: StaffCall, slug: string, file: Upload | undefined) {
      // So that nothing is drawn for nobody.
      await lists.game(slug);
      await add(deps, GAMES, by, { slug, file });
      return lists.game(slug);
    },
    /** Throws 404 PROVIDER_NOT_FOUND, 400 IMAGE_INVALID. */
    async addToProvider(by: StaffCall, slug: string, file: Upload | undefined) {
      lists.provider(slug);
      await add(deps, PROVIDERS, by, { slug, file });
      return lists.provider(slug);
    },
    /** Throws 404 GAME_NOT_FOUND. */
    async clearGame(by: StaffCall, slug: string) {
      await replace(deps, GAMES, by, { slug, to: () => [] });
      return lists.game(slug);
    },
    /** Throws 404 PROVIDER_NOT_FOUND. */
    async clearProvider(by: StaffCall, slug: string) {
      await replace(deps, PROVIDERS, by, { slug, to: () => [] });
      return lists.provider(slug);
    },
  };
}

/** Custom images of one owner; the first is the cover. */
const MOST = 5;

/** The image becomes the cover; of too many the oldest goes. */
async function add(deps: Deps, owner: Owner, by: StaffCall, { slug, file }: Asked): Promise<void> {
  if (!file) throw invalidField('image', 'is missing');
  const { db, files, maxPixels } = deps;
  const name = await files.put(await toWebp(file.bytes, { ...owner.size, maxPixels }), 'games');
  const url = files.urlOf(name);
  const to = (images: readonly string[]) => [url, ...images].slice(0, MOST);
  await replace(deps, owner, by, { slug, to }).catch(async (error: unknown) => {
    // A commit without an answer may have happened: then the file is shown.
    const isShown = await shows(db, owner, { slug, url }).catch(() => true);
    if (!isShown) await files.forget(url);
    throw error;
  });
}

async function shows(
  db: Db,
  { table }: Owner,
  { slug, url }: { slug: string; url: string },
): Promise<boolean> {
  const row = await db.selectFrom(table).select('custom_images').where('slug', '=', slug).executeTakeFirst();
  return row?.custom_images.includes(url) ?? false;
}

type Replacement = { slug: string; to: (images: readonly string[]) => string[] };

async function replace(
  { db, files, reload }: Deps,
  { lock, table, absent }: Owner,
  by: StaffCall,
  { slug, to }: Replacement,
): Promise<void> {
  const gone = await transaction(db, async (tx) => {
    const row = await lock(tx, slug);
    await freshActor(tx, by);
    if (!row) throw absent();
    const before = { customImages: row.customImages };
    const after = { customImages: to(row.customImages) };
    await tx.updateTable(table).set({ custom_images: after.customImages }).where('id', '=', row.id).execute();
    await recordAudit(tx, by, { before, after });
    return row.customImages.filter((url) => !after.customImages.includes(url));
  });
  await reload();
  for (const url of gone) await files.forget(url);
}
