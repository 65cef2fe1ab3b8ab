import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

type Icons = { icons: Record<string, { body: string }>; aliases?: Record<string, { parent: string }> };

/** Literals that can name an icon. Classes, roles, and types of fields cannot. */
const LITERAL = /(?<!\b(?:className|role|type)=)(['"])([a-z0-9]+(?:-[a-z0-9]+)*)\1/g;

/**
 * Provides `virtual:icons.svg` and `virtual:art.svg`: one file with the Lucide icons that the application names, and one with the drawings
 * of empty states. A page shows a part of such a file with `<use>`, so no markup has to be parsed by scripts.
 */
export function sprites(root: string, app: string): Plugin {
  const sources = globSync([`web/kit/**/*.{ts,tsx}`, `web/${app}/**/*.{ts,tsx}`], { cwd: root });
  const contents: Readonly<Record<string, () => string>> = {
    'virtual:icons.svg': () => iconSprite(sources.map((file) => readFileSync(join(root, file), 'utf8'))),
    'virtual:art.svg': () => artSprite(globSync(join(root, 'web/art/empty-*.svg'))),
  };
  return {
    name: 'sprites',
    resolveId: (id) => (Object.hasOwn(contents, id) ? `\0${id}` : undefined),
    load(id) {
      const name = id.slice(1);
      const content = contents[name];
      if (!id.startsWith('\0') || !content) return undefined;
      const file = this.emitFile({ type: 'asset', name: name.replace('virtual:', ''), source: content() });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
  };
}

/** Returns a sprite of all icons that are named in files that show icons. A few unused icons with common names are included. */
export function iconSprite(sources: readonly string[]): string {
  const require = createRequire(import.meta.url);
  const { icons, aliases = {} } = JSON.parse(
    readFileSync(require.resolve('@iconify-json/lucide/icons.json'), 'utf8'),
  ) as Icons;
  const bodyOf = (name: string) => (icons[name] ?? icons[aliases[name]?.parent ?? ''])?.body;
  const named = new Set(
    sources
      .filter((source) => /icon/i.test(source))
      .flatMap((source) => [...source.matchAll(LITERAL)].map((match) => match[2]!)),
  );
  const symbols = [...named].toSorted().flatMap((name) => {
    const body = bodyOf(name);
    return body === undefined ? [] : [symbol(name, '0 0 24 24', inherited(body))];
  });
  return sprite(symbols);
}

/** Removes the presentation that `.icon` sets for all icons. */
const inherited = (body: string): string =>
  body.replaceAll(
    / (?:fill="none"|stroke="currentColor"|stroke-linecap="round"|stroke-linejoin="round"|stroke-width="2")/g,
    '',
  );

function artSprite(files: readonly string[]): string {
  return sprite(
    files.toSorted().map((file) => {
      const [, box = '', body = ''] =
        /viewBox="([^"]+)"[^>]*>(.*)<\/svg>/s.exec(readFileSync(file, 'utf8')) ?? [];
      return symbol(basename(file, '.svg').replace('empty-', ''), box, body);
    }),
  );
}

const symbol = (id: string, box: string, body: string) =>
  `<symbol id="${id}" viewBox="${box}">${body}</symbol>`;
const sprite = (symbols: readonly string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
