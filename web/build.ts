/**
 * npm run web: builds the pages that the main API serves into dist/web, unless they are up to date. `--watch` rebuilds them after every
 * change of a source file. `--gallery` builds the page with all components of the kit, which tests open. `npm start` also builds the pages
 * before the main API listens.
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
import type { Plugin } from 'vite';
import { hashPageSources, PAGES_MARK } from '../src/app/built-pages.ts';
import { assertContrast } from './contrast.ts';
import { sprites } from './sprite.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/web');
const MADE_OF = join(ROOT, PAGES_MARK);
/** Applications with their source folder and URL path. */
const APPS = [
  { source: 'console', base: 'console' },
  { source: 'lobby', base: 'play' },
] as const;
const GALLERY = { source: 'gallery', base: 'gallery' } as const;

/** Modules that are loaded together. Without these groups they would be about forty small files, which compress badly. */
const GROUPS = [
  {
    name: 'vendor',
    test: /node_modules[\\/](react|react-dom|scheduler|@tanstack|wouter)[\\/]/,
  },
  {
    name: 'kit',
    test: /web[\\/]kit[\\/](api|base|boundary|brand|button|code|figures|icon|intl|load|note|page|query|rows|same-object|session|storage|store|theme|toast|tokens|words|translated)[.]/,
  },
  // The parts of the lobby that every page shows.
  {
    name: 'frame',
    test: /web[\\/]lobby[\\/](own|referral|session-end|site|words|lobby|frame[\\/](navigation|overlay|phone|rail|shell|top))[.]/,
  },
  // The frame of the games. Other pages need some of the modules that it imports, so those are not part of it.
  {
    name: 'panel',
    test: /web[\\/]lobby[\\/]games[\\/]play[\\/](?!(use-)?auto-fields|below|big-win|fair|number-field|plan|resume|series|synth)/,
    includeDependenciesRecursively: false,
  },
  // Shared by the games and the player's part of the frame. Visitors do not need it at first.
  {
    name: 'balances',
    test: /web[\\/]lobby[\\/](balances|own-store)[.]/,
    includeDependenciesRecursively: false,
  },
  {
    name: 'exclusion',
    test: /web[\\/]lobby[\\/](exclusion|pending|play-hold)[.]/,
    includeDependenciesRecursively: false,
  },
  // Rules that the games share.
  {
    name: 'rules',
    test: /src[\\/]modules[\\/]games[\\/](betting|fairness|house-games)[\\/]rules[.]/,
    includeDependenciesRecursively: false,
  },
  // The lists of the console, which most of its pages show.
  {
    name: 'list-page',
    test: /web[\\/]console[\\/](list[\\/]|(balance|money)-facts|network|pages[\\/]user[\\/]shared|player-(?:name|pick)|section-tabs|filter-bar|save|user-link)/,
    includeDependenciesRecursively: false,
  },
  // The frame of all reviews of queues.
  {
    name: 'review-frame',
    test: /web[\\/]console[\\/]review[\\/]/,
    includeDependenciesRecursively: false,
  },
  // Reward, cost and audience of a promotion. Several cards of its page compute them, so none of them imports the page.
  {
    name: 'promo-terms',
    test: /web[\\/]console[\\/]pages[\\/]promo[\\/](audience|cost|deposit|wagering)[.]/,
    includeDependenciesRecursively: false,
  },
  {
    name: 'pick',
    test: /web[\\/]kit[\\/]pick[\\/](pick|use-open)[.]/,
    includeDependenciesRecursively: false,
  },
  // The fields of the console that suggest values.
  {
    name: 'suggest',
    test: /web[\\/](kit[\\/](?:pick[\\/]combobox|use-later)|console[\\/](?:many|one)-field)[.]/,
    includeDependenciesRecursively: false,
  },
  // Almost every page has a form or a dialog.
  {
    name: 'forms',
    test: /web[\\/]kit[\\/](dialog|entry|form[\\/].*)[.]tsx?$/,
  },
  // Most pages have an amount, a table or tabs, but the sign-in has none.
  {
    name: 'tables',
    test: /web[\\/]kit[\\/](amount|filters|list|measures|networks|reorder|spark|table|tabs)[.]tsx?$/,
  },
];

/**
 * Browsers rank layers by their first appearance. A page loads the styles of its chunks in any order, so every stylesheet begins with the
 * ranks.
 */
const layerRanks = (): Plugin => ({
  name: 'layer-ranks',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.css') ? `@layer tokens, base, kit, app;\n${code}` : undefined),
});

/** Pictures that only the server names: in the manifest of the installed lobby, and for link previews. */
const PICTURES = ['icon-192.png', 'icon-512.png', 'share.png'];
const pictures = (): Plugin => ({
  name: 'pictures',
  buildStart() {
    for (const name of PICTURES)
      this.emitFile({ type: 'asset', name, source: readFileSync(join(ROOT, 'web/art', name)) });
  },
});

// Pages are always built for production, even if a test calls this script.
process.env.NODE_ENV = 'production';

const { values } = parseArgs({
  options: { watch: { type: 'boolean', default: false }, gallery: { type: 'boolean', default: false } },
});

/** Builds every application. The marker file is written last, so that an interrupted build is repeated. */
async function buildAll(madeOf: string): Promise<void> {
  const started = performance.now();
  rmSync(MADE_OF, { force: true });
  assertContrast();
  for (const app of APPS) await buildApp(app);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(MADE_OF, madeOf);
  console.log(`pages built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

async function buildApp({ source, base }: (typeof APPS)[number] | typeof GALLERY): Promise<void> {
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
    // wouter needs this package for versions of React before 18.
    resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
    plugins: [layerRanks(), sprites(ROOT, source), ...(source === 'lobby' ? [pictures()] : [])],
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      // Pages import few files besides those of the first visit. A list of all files would be larger than the time it saves is worth, except
      // for the page that most visitors see first.
      modulePreload: {
        polyfill: false,
        resolveDependencies: (file, files, { hostType }) =>
          hostType === 'html' || /\/home-/.test(file) ? files : files.filter((one) => one.endsWith('.css')),
      },
      rolldownOptions: {
        // Server modules only define values and functions. A page does not load the modules of which it uses nothing.
        treeshake: {
          moduleSideEffects: [{ test: /[\\/]src[\\/](modules|platform)[\\/]/, sideEffects: false }],
        },
        output: { codeSplitting: { groups: GROUPS } },
      },
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
if (values.gallery) await buildApp(GALLERY);
else if (!isFresh(now)) await buildAll(now);

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
