import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../platform/observability/log.ts';

/** The sources of the pages that web/build.ts builds into dist/web. */
const SOURCES = [
  'web/kit/**/*',
  'web/console/**/*',
  'web/lobby/**/*',
  'web/art/*.svg',
  'client/*.ts',
  'src/app/built-pages.ts',
  'src/platform/money.ts',
  'package-lock.json',
  'web/{build,sprite,contrast}.ts',
];
/** The file with the hash of the sources that dist/web was built from. */
export const PAGES_MARK = 'dist/web/.made-of';
/** The last command removes the packages that only the build needs. */
const REMEDY = 'npm ci && npm run web && npm ci --omit=dev -w @croupier/server --include-workspace-root';

export function hashPageSources(root: string): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted())
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Logs a warning if the pages below `root` are missing or older than their sources. An image contains no sources, because its own build
 * stage built the pages.
 */
export function warnOfPages(root: string, log: Pick<Log, 'warn'>): void {
  const mark = join(root, PAGES_MARK);
  if (!existsSync(mark)) log.warn({ remedy: REMEDY }, 'the lobby and the console are not built');
  else if (existsSync(join(root, 'web/build.ts')) && readFileSync(mark, 'utf8') !== hashPageSources(root))
    log.warn({ remedy: REMEDY }, 'the lobby and the console were built from another version');
}
