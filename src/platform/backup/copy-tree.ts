import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../database/embedded/process.ts';

export type Copied = { files: number; bytes: number };

/**
 * Copies a file or a folder with its contents and flushes the copy to disk. Files may grow or disappear while they are copied. Files that
 * disappear are omitted. `leaveOut` receives paths relative to the folder. A folder is created even if all its contents are left out.
 * Symbolic links are followed. With `durable: false`, which only tests use, nothing is flushed.
 */
export async function copyTree(
  from: string,
  to: string,
  {
    leaveOut = () => false,
    durable = true,
  }: { leaveOut?: (path: string) => boolean; durable?: boolean } = {},
): Promise<Copied> {
  const copied: Copied = { files: 0, bytes: 0 };
  const copy = async (path: string): Promise<void> => {
    const source = join(from, path);
    const entry = await fs.stat(source).catch(ignoreGone);
    if (!entry) return;
    if (!entry.isDirectory()) {
      if (entry.isFile()) await copyFile({ source, target: join(to, path), durable }, copied);
      return;
    }
    await fs.mkdir(join(to, path), { recursive: true, mode: 0o700 });
    for (const name of (await fs.readdir(source).catch(ignoreGone)) ?? []) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (!leaveOut(inner)) await copy(inner);
    }
  };
  await copy('');
  return copied;
}

/** When run as root, gives the copy to the owner of the original. */
export async function giveToOwnerOf(original: string, copy: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await giveTo(await fs.stat(original), copy);
}

/** Changes the owner of a folder and of everything in it. */
export async function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string): Promise<void> {
  for (const path of ['', ...(await fs.readdir(folder, { recursive: true }))])
    await fs.lchown(join(folder, path), uid, gid);
}

async function copyFile(
  { source, target, durable }: { source: string; target: string; durable: boolean },
  copied: Copied,
): Promise<void> {
  try {
    await fs.copyFile(source, target);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const file = await fs.open(target, 'r+');
  try {
    if (durable) await file.sync();
    copied.bytes += (await file.stat()).size;
    copied.files++;
  } finally {
    await file.close();
  }
}

function ignoreGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
