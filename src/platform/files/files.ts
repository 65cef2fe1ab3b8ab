import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Disk } from 'flydrive';
import type { Config } from '../config/config.ts';
import { commonErrors } from '../errors.ts';
import type { Log } from '../observability/log.ts';
import { secure } from './safe-paths.ts';

export type Files = ReturnType<typeof createFiles>;

/** A folder and 22 random characters. Names are generated, cannot be guessed and are never reused. */
const NAME = /^(avatars|games)\/[\w-]{22}\.webp$/;
type Folder = 'avatars' | 'games';

/** The folder of private pictures. Its files have no URL. */
const PRIVATE = (id: string) => `private/${id}.webp`;
/**
 * Returns the name of a picture, with 128 random bits. The name is chosen before the upload so that the caller can record the picture
 * first.
 */
export const newPictureId = (): string => randomBytes(16).toString('base64url');

/** Creates the storage of uploaded pictures: on disk (DATA_DIR/files, served by GET /files) or in an S3 bucket. All pictures are WebP. */
export function createFiles({ config, log }: { config: Config; log: Log }) {
  let opened: Promise<Disk> | undefined;
  const disk = () => {
    opened ??= open(config);
    return opened;
  };
  const isOnDisk = config.FILE_STORAGE === 'disk';
  const fail = (error: unknown): never => {
    log.error({ error: reasonOf(error) }, 'a file could not be stored');
    throw commonErrors.SERVICE_UNAVAILABLE();
  };
  return {
    urlOf: (name: string) => `${config.FILES_URL}/${name}`,
    /** Stores a WebP under a new name and returns the name. Throws 503 when the storage fails. */
    async put(bytes: Uint8Array, folder: Folder = 'avatars'): Promise<string> {
      const name = `${folder}/${newPictureId()}.webp`;
      const cacheControl = 'public, max-age=31536000, immutable';
      await store(disk, { name, bytes, cacheControl }).catch(fail);
      return name;
    },
    /**
     * Pictures without a URL. A route shows them to permitted users. `put` throws 503 when the storage fails. `remove` throws the storage's
     * error, and succeeds if the picture does not exist.
     */
    private: {
      put: (id: string, bytes: Uint8Array): Promise<void> =>
        store(disk, { name: PRIVATE(id), bytes, cacheControl: 'private, no-store' })
          .then(() => (isOnDisk ? secure(join(folderOf(config), PRIVATE(id)), { mode: 0o600 }) : undefined))
          .catch(fail),
      read: async (id: string): Promise<Uint8Array | undefined> => read(await disk(), PRIVATE(id)),
      remove: async (id: string): Promise<void> => (await disk()).delete(PRIVATE(id)),
    },
    /** Returns the bytes of a file, or undefined if it does not exist. Used only with storage on disk. */
    read: async (name: string): Promise<Uint8Array | undefined> =>
      NAME.test(name) ? read(await disk(), name) : undefined,
    /**
     * Deletes the file behind a URL that is no longer used. Call it after the transaction that removed the URL has committed. If the
     * deletion fails, a warning is logged. The file then remains, but its URL no longer appears anywhere.
     */
    async forget(url: string | null): Promise<void> {
      const name = nameIn(config.FILES_URL, url);
      if (name === undefined) return;
      try {
        await (await disk()).delete(name);
      } catch (error) {
        const facts = { file: name, error: reasonOf(error) };
        log.warn(facts, 'could not delete an unused file');
      }
    },
  };
}

/** Returns the file name in a URL of this storage, or undefined for any other string. */
function nameIn(filesUrl: string, url: string | null): string | undefined {
  if (!url?.startsWith(`${filesUrl}/`)) return undefined;
  const name = url.slice(filesUrl.length + 1);
  return NAME.test(name) ? name : undefined;
}

type Stored = { name: string; bytes: Uint8Array; cacheControl: string };

async function store(disk: () => Promise<Disk>, { name, bytes, cacheControl }: Stored): Promise<void> {
  await (await disk()).put(name, bytes, { contentType: 'image/webp', cacheControl });
}

async function read(store: Disk, name: string): Promise<Uint8Array | undefined> {
  try {
    return await store.getBytes(name);
  } catch (error) {
    if (await store.exists(name)) throw error;
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

const folderOf = ({ DATA_DIR }: Config) => resolve(join(DATA_DIR, 'files'));

async function open(config: Config): Promise<Disk> {
  if (config.FILE_STORAGE === 's3') return openBucket(config);
  const [{ Disk }, { FSDriver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/fs')]);
  const location = folderOf(config);
  await hidePrivate(join(location, 'private'));
  return new Disk(new FSDriver({ location, visibility: 'public' }));
}

/**
 * Makes the folder of private pictures unreadable for other users of the machine. Also protects pictures that an earlier version stored
 * with open access. Changes only files of this user.
 */
async function hidePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await secure(folder, { mode: 0o700 });
  for (const name of await readdir(folder))
    await secure(join(folder, name), { mode: 0o600 }).catch(() => undefined);
}

/**
 * Opens the bucket. The large SDK is loaded only in processes that store files in a bucket. Without configured keys the SDK uses those of
 * its environment.
 */
async function openBucket(config: Config): Promise<Disk> {
  const [{ Disk }, { S3Driver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/s3')]);
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return new Disk(
    new S3Driver({
      bucket: config.S3_BUCKET!,
      region: config.S3_REGION,
      // The bucket's policy, or the CDN in front of it, decides who may read.
      visibility: 'private',
      supportsACL: false,
      maxAttempts: 2,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 },
      ...(config.S3_ENDPOINT ? { endpoint: config.S3_ENDPOINT, forcePathStyle: true } : {}),
      ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    }),
  );
}
