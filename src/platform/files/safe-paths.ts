import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { hasCode } from '../database/embedded/process.ts';

type Change = { mode: number; owner?: { uid: number; gid: number } | undefined };

/**
 * Sets the mode of a file or folder, and its owner if `owner` is given. Never follows links. In a folder that other users can write to,
 * someone may have created a link, and root would then expose the target of that link. Throws if `path` is a symbolic link, has several
 * hard links, or belongs to neither this user nor `owner`.
 */
export async function secure(path: string, { mode, owner }: Change): Promise<void> {
  const file = await openNoFollow(path);
  try {
    // All checks and changes use one open file, because the target could be replaced between two lookups by name.
    const entry = await file.stat();
    if (entry.uid !== process.getuid?.() && entry.uid !== owner?.uid)
      throw new Error(`${path} belongs to uid ${entry.uid}: remove it`);
    if (!entry.isDirectory() && !(entry.isFile() && entry.nlink === 1))
      throw new Error(`${path} is neither a folder nor a file without other hard links: remove it`);
    if (owner) await file.chown(owner.uid, owner.gid);
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

async function openNoFollow(path: string): Promise<fs.FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return await fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw new Error(`${path} is a symbolic link: remove it`);
    throw error;
  }
}
