/**
 * npm run web: builds the pages that the main API serves into dist/web, unless they are there as their sources are; `--watch` builds again
 * whenever a source changes. `npm start` does the same before the main API listens.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/web');
const MADE_OF = join(OUT, '.made-of');
const SOURCES = [
  'web/kit/**/*',
  'web/console/**/*',
  'web/lobby/**/*',
  'client/*.ts',
  'src/platform/money.ts',
  'package-lock.json',
  'scripts/web.ts',
];
/** Each with the folder of its sources and the path where it is served. */
const APPS = [
  { source: 'console', base: 'console' },
  { source: 'lobby', base: 'play' },
] as const;

// Whoever calls this may be a test: pages are built for people all the same.
process.env.NODE_ENV = 'production';

const { values } = parseArgs({ options: { watch: { type: 'boolean', default: false } } });

/** What the sources say, as one hash. */
function sourceHash(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted())
    hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

/** Builds every application; the mark is written last, so that what was interrupted is built again. */
async function buildAll(madeOf: string): Promise<void> {
  const started = performance.now();
  rmSync(MADE_OF, { force: true });
  for (const app of APPS) await buildApp(app);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(MADE_OF, madeOf);
  console.log(`pages built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

async function buildApp({ source, base }: (typeof APPS)[number]): Promise<void> {
  // A running API goes on with what it has read until the new page stands beside its assets.
  const outDir = join(OUT, `${source}.new`);
  await build({
    configFile: false,
    root: join(ROOT, 'web', source),
    base: `/${base}/`,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  const assets = join(outDir, 'assets');
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes));
  }
  rmSync(join(OUT, source), { recursive: true, force: true });
  renameSync(outDir, join(OUT, source));
}

const isFresh = (madeOf: string) => existsSync(MADE_OF) && readFileSync(MADE_OF, 'utf8') === madeOf;

const now = sourceHash();
if (!isFresh(now)) await buildAll(now);

if (values.watch) {
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(async () => {
      const madeOf = sourceHash();
      if (!isFresh(madeOf)) await buildAll(madeOf).catch((error: Error) => console.error(error.message));
    });
  };
  for (const folder of ['web', 'client']) watch(join(ROOT, folder), { recursive: true }, rebuild);
  console.log('watching: reload the page to see a change');
}
