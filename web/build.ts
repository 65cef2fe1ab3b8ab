/**
 * npm run web: builds the pages that the main API serves into dist/web, unless they are up to date. `--watch` rebuilds them after every
 * change of a source file. `npm start` also builds the pages before the main API listens.
 */
import {
  existsSync,
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
import { hashPageSources, PAGES_MARK } from '../src/app/built-pages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/web');
const MADE_OF = join(ROOT, PAGES_MARK);
/** Applications with their source folder and URL path. */
const APPS = [
  { source: 'console', base: 'console' },
  { source: 'lobby', base: 'play' },
] as const;

// Pages are always built for production, even if a test calls this script.
process.env.NODE_ENV = 'production';

const { values } = parseArgs({ options: { watch: { type: 'boolean', default: false } } });

/** Builds every application. The marker file is written last, so that an interrupted build is repeated. */
async function buildAll(madeOf: string): Promise<void> {
  const started = performance.now();
  rmSync(MADE_OF, { force: true });
  for (const app of APPS) await buildApp(app);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(MADE_OF, madeOf);
  console.log(`pages built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

async function buildApp({ source, base }: (typeof APPS)[number]): Promise<void> {
  // Publishes the new page only after all its assets are stored. Until then a running API serves the files that it has already loaded.
  const outDir = join(OUT, `${source}.new`);
  // Vite is loaded only when a build is needed, because an installation without development packages uses its existing pages.
  const { build } = await import('vite');
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

const now = hashPageSources(ROOT);
if (!isFresh(now)) await buildAll(now);

if (values.watch) {
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(async () => {
      const madeOf = hashPageSources(ROOT);
      if (!isFresh(madeOf)) await buildAll(madeOf).catch((error: Error) => console.error(error.message));
    });
  };
  for (const folder of ['web', 'client']) watch(join(ROOT, folder), { recursive: true }, rebuild);
  console.log('watching: reload the page to see a change');
}
