import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the Git commit of the checkout that the program runs from, read from the files in `.git`. Returns `unknown` if there is no
 * checkout. Never throws.
 */
export function readCommit(root: string = ROOT): string {
  try {
    return commitOf(root) ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function commitOf(root: string): string | undefined {
  const folder = gitFolder(root);
  const head = readText(join(folder, 'HEAD'));
  const branch = /^ref: (refs\/.+)$/.exec(head)?.[1];
  if (branch === undefined) return asCommit(head);
  // A worktree's branches are stored in the folder of its repository.
  const link = join(folder, 'commondir');
  const shared = existsSync(link) ? resolve(folder, readText(link)) : folder;
  const loose = join(shared, branch);
  return asCommit(existsSync(loose) ? readText(loose) : packed(shared, branch));
}

/** Returns the path of the Git folder. In worktrees and submodules, `.git` is a file that contains this path. */
function gitFolder(root: string): string {
  const place = join(root, '.git');
  if (statSync(place).isDirectory()) return place;
  return resolve(root, readText(place).replace(/^gitdir: /, ''));
}

function packed(folder: string, branch: string): string {
  const line = readText(join(folder, 'packed-refs'))
    .split('\n')
    .find((one) => one.endsWith(` ${branch}`));
  return line?.split(' ')[0] ?? '';
}

const readText = (file: string) => readFileSync(file, 'utf8').trim();
const asCommit = (text: string) => (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text : undefined);
