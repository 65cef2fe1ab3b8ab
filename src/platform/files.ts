import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Disk } from 'flydrive';
import type { Config } from './config.ts';
import { commonErrors } from './errors.ts';
import type { Log } from './log.ts';

export type Files = ReturnType<typeof createFiles>;

/** A folder and 22 random characters: nobody chooses a name, nobody guesses one, none is used twice. */
const NAME = /^(avatars|games)\/[\w-]{22}\.webp$/;
type Folder = 'avatars' | 'games';

/** Pictures for few eyes: nothing serves the folder. */
const PRIVATE = (id: string) => `private/${id}.webp`;
/** 128 random bits: the name of a picture, made before it is stored so that whoever stores it can write down first that it exists. */
export const newPictureId = (): string => randomBytes(16).toString('base64url');

/** Uploaded pictures: on disk (DATA_DIR/files, served by GET /files) or in an S3 bucket. All of them are WebP. */
export function createFiles({ config, log }: { config: Config; log: Log }) {
  let opened: Promise<Disk> | undefined;
  const disk = () => {
    opened ??= open(config);
    return opened;
  };
  const fail = (error: unknown): never => {
    log.error({ error: reasonOf(error) }, 'a file could not be stored');
    throw commonErrors.SERVICE_UNAVAILABLE();
  };
  return {
    urlOf: (name: string) => `${config.FILES_URL}/${name}`,
    /** Stores a WebP under a new name and returns the name. Throws 503 when the storage does not take it. */
    async put(bytes: Uint8Array, folder: Folder = 'avatars'): Promise<string> {
      const name = `${folder}/${newPictureId()}.webp`;
      const cacheControl = 'public, max-age=31536000, immutable';
      await store(disk, { name, bytes, cacheControl }).catch(fail);
      return name;
    },
    /**
     * Pictures that have no address: a route shows them to those who may see them. `put` throws 503 when the storage does not take it,
     * `remove` whatever the storage throws; what is not there is removed already.
     */
    private: {
      put: (id: string, bytes: Uint8Array): Promise<void> =>
        store(disk, { name: PRIVATE(id), bytes, cacheControl: 'private, no-store' }).catch(fail),
      read: async (id: string): Promise<Uint8Array | undefined> => read(await disk(), PRIVATE(id)),
      remove: async (id: string): Promise<void> => (await disk()).delete(PRIVATE(id)),
    },
    /** The bytes of a file, undefined when there is none; for storage on disk. */
    read: async (name: string): Promise<Uint8Array | undefined> =>
      NAME.test(name) ? read(await disk(), name) : undefined,
    /**
     * Removes the file behind a URL that nothing shows any more, after the commit that removed the URL. What cannot be removed is
     * logged and stays: nobody knows its name.
     */
    async forget(url: string | null): Promise<void> {
      const name = nameIn(config.FILES_URL, url);
      if (name === undefined) return;
      try {
        await (await disk()).delete(name);
      } catch (error) {
        const facts = { file: name, error: reasonOf(error) };
        log.warn(facts, 'a file that nothing shows any more is still stored');
      }
    },
  };
}

/** The name behind a URL of ours; undefined for any other text. */
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

async function open(config: Config): Promise<Disk> {
  if (config.FILE_STORAGE === 's3') return openBucket(config);
  const [{ Disk }, { FSDriver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/fs')]);
  return new Disk(new FSDriver({ location: resolve(join(config.DATA_DIR, 'files')), visibility: 'public' }));
}

/** The SDK is large: only processes that store files in a bucket load it. Without keys it looks for those of its environment. */
async function openBucket(config: Config): Promise<Disk> {
  const [{ Disk }, { S3Driver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/s3')]);
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return new Disk(
    new S3Driver({
      bucket: config.S3_BUCKET!,
      region: config.S3_REGION,
      // Who may read is the business of the bucket's policy, or of the CDN before it.
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
