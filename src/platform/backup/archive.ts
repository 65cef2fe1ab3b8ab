import { createReadStream, createWriteStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { create, extract } from 'tar';

/** Matches the names of archives. Sorting the names sorts the archives by the time of the backup. */
const NAME = /^croupier-\d{8}T\d{6}Z\.tar\.zst(\.age)?$/;
/** Matches the names of unpacked backups and unfinished archives. */
const DRAFT = /^\.backup-|\.tar\.zst(\.age)?\.part$/;
/** An upper bound on the duration of a backup. Older unfinished files were left behind by runs that were killed. */
const ABANDONED_MS = 24 * 3_600_000;

type Packed = {
  /** A folder filled by `takeBackup`. */
  from: string;
  /** The destination folder of the archive. */
  into: string;
  finishedAt: Date;
  /** An age public key (`age1…`). Without it the archive is not encrypted. */
  recipient?: string | undefined;
};

/**
 * Packs a backup into one file: tar, compressed by zstd and, with a recipient, encrypted in the age format (age-encryption.org). The file
 * gets its final name only after it is complete and flushed to disk.
 */
export async function packBackup({ from, into, finishedAt, recipient }: Packed) {
  const stamp = finishedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const file = join(into, `croupier-${stamp}.tar.zst${recipient === undefined ? '' : '.age'}`);
  const draft = `${file}.part`;
  try {
    const files = Readable.from(create({ cwd: from }, ['.']));
    const out = createWriteStream(draft, { mode: 0o600, flush: true });
    await pipeline(
      files,
      createZstdCompress(),
      recipient === undefined ? unchanged : encrypt(recipient),
      out,
    );
    await fs.rename(draft, file);
    await syncFolder(into);
  } finally {
    await fs.rm(draft, { force: true });
  }
  return { file, bytes: (await fs.stat(file)).size };
}

/**
 * Unpacks an archive into a new or empty folder, restoring what `takeBackup` wrote. When run as root, it also restores file owners. Throws
 * if the archive is encrypted and `identity`, the text of a key file, does not decrypt it.
 */
export async function unpackBackup(archive: string, to: string, identity?: string): Promise<void> {
  await fs.mkdir(to, { recursive: true, mode: 0o700 });
  if ((await fs.readdir(to)).length > 0) throw new Error(`${to} needs to be an empty folder`);
  const opened = archive.endsWith('.age') ? decrypt(identity) : unchanged;
  await pipeline(
    createReadStream(archive),
    opened,
    createZstdDecompress(),
    extract({ cwd: to, strict: true }),
  ).catch((error: NodeJS.ErrnoException) => {
    const isOther = error.code === 'EISDIR' || error.code?.startsWith('ZSTD_');
    throw isOther
      ? new Error(`${archive} is not an archive of a backup, or it is damaged`, { cause: error })
      : error;
  });
}

/**
 * Creates a folder for an unpacked backup that will be packed into an archive in `into`. Deletes unpacked backups and unfinished archives
 * that were left behind by runs that were killed.
 */
export async function makeDraft(into: string): Promise<string> {
  await fs.mkdir(into, { recursive: true, mode: 0o700 });
  for (const name of await fs.readdir(into)) {
    const path = join(into, name);
    const isAbandoned = DRAFT.test(name) && Date.now() - (await fs.stat(path)).mtimeMs > ABANDONED_MS;
    if (isAbandoned) await fs.rm(path, { recursive: true });
  }
  return fs.mkdtemp(join(into, '.backup-'));
}

/** Deletes all but the newest archives in a folder. Returns the names of the deleted archives. */
export async function deleteOldArchives(folder: string, keep: number): Promise<string[]> {
  const names = await fs.readdir(folder);
  const old = names
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -keep);
  for (const name of old) await fs.rm(join(folder, name));
  return old;
}

/** Writes a new key file for decrypting archives and returns the public key that encrypts them. Never overwrites a file. */
export async function writeNewKey(file: string): Promise<string> {
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  await fs.writeFile(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx' });
  await syncFolder(dirname(file));
  return recipient;
}

/** Throws if the text is not an age public key. */
export function assertRecipient(text: string): void {
  try {
    new Encrypter().addRecipient(text);
  } catch {
    throw new Error(
      `${text} is not an age public key (age1…): create one with npx croupier backup --new-key FILE`,
    );
  }
}

type Chunks = AsyncIterable<Uint8Array>;

async function* unchanged(source: Chunks): Chunks {
  yield* source;
}

function encrypt(recipient: string) {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return async function* (source: Chunks): Chunks {
    yield* await encrypter.encrypt(ReadableStream.from(source));
  };
}

function decrypt(identity: string | undefined) {
  const lines = identity?.split('\n') ?? [];
  const key = lines.find((line) => line.startsWith('AGE-SECRET-KEY-'))?.trim();
  if (key === undefined) throw new Error('The archive is encrypted: set --identity to its key file');
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  return async function* (source: Chunks): Chunks {
    yield* await decrypter.decrypt(ReadableStream.from(source));
  };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder);
  await handle.sync();
  await handle.close();
}
