/**
 * The documentation site (docs/decisions/119-docs-site.md). `npm run docs` builds it into dist/docs, and the main API serves it at /docs/
 * with a policy that allows no inline styles.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig, type MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const DOCS = join(import.meta.dirname, '..');
const SITE = join(DOCS, '../dist/docs');
const BASE = '/docs/';
/** The folders of the site in the order of the sidebar. The index of a folder lists its pages in order. */
const FOLDERS = ['tutorial', 'how-to', 'reference', 'explanation', 'operations', 'decisions'];

const indexOf = (folder: string) => `${folder}/${folder === 'decisions' ? 'README' : 'index'}.md`;
const read = (page: string) => readFileSync(join(DOCS, page), 'utf8');
const titleOf = (page: string) => /^# (.+)/m.exec(read(page))![1]!.replaceAll('`', '');
const addressOf = (page: string) => `/${page.replace(/(index|README)?\.md$/, '')}`;

/** Returns the anchor of a heading as Git hosts write it, so that links to sections work there and on the site. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Returns the pages of a folder in the order of its index. Throws if the index does not list one of them. */
function pagesOf(folder: string): string[] {
  const index = indexOf(folder);
  const listed = [...read(index).matchAll(/^[-|].*?\]\(([\w./-]+\.md)\)/gm)].map(([, page]) =>
    posix.join(folder, page!),
  );
  const missing = globSync(`${folder}/*.md`, { cwd: DOCS }).filter(
    (page) => page !== index && !listed.includes(page),
  );
  if (missing.length > 0) throw new Error(`docs/${index} does not list ${missing.join(', ')}`);
  return [...new Set(listed)];
}

/** Every page contains the sidebar, so the many decisions are listed only on their index. */
const sidebar = FOLDERS.map((folder) => ({
  text: titleOf(indexOf(folder)),
  link: addressOf(indexOf(folder)),
  items:
    folder === 'decisions'
      ? []
      : pagesOf(folder).map((page) => ({ text: titleOf(page), link: addressOf(page) })),
}));

const codeColours = transformerStyleToClass({ classPrefix: 'k' });
const diagrams = new Map<string, string>();

/** Moves the `style` attribute of a diagram into its style sheet, which a policy can allow by its hash, and removes fonts of other hosts. */
const withoutStyles = (svg: string): string =>
  svg.replace(/ style="([^"]*)"([^>]*>\s*<style>)/, '$2svg{$1}').replaceAll(/@import.*\n/g, '');

/** Renders Mermaid blocks as images, because Mermaid in the browser would need inline styles. */
function drawDiagrams(md: Markdown): void {
  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, i, ...rest) => {
    if (tokens[i]!.info.trim() !== 'mermaid') return fence(tokens, i, ...rest);
    const svg = withoutStyles(renderMermaidSVG(tokens[i]!.content));
    const name = `${createHash('sha256').update(svg).digest('hex').slice(0, 12)}.svg`;
    diagrams.set(name, svg);
    const url = `${BASE}diagrams/${name}`;
    return `<p><a href="${url}" target="_blank"><img src="${url}" alt="Diagram"></a></p>`;
  };
}

/** Removes links to files outside docs/, because the site does not contain these files. The text of the link and the path remain. */
function unlinkSources(md: Markdown): void {
  md.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOpen = false;
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? String(token.attrGet('href')) : '';
        const path = posix.join(posix.dirname(env.relativePath), href);
        if (token.type === 'link_open' && /^\.\.?\//.test(href) && path.startsWith('../')) {
          isOpen = true;
          token.tag = 'span';
          token.attrs = [['title', path.slice(3)]];
          token.type = 'source_open';
        } else if (token.type === 'link_close' && isOpen) {
          isOpen = false;
          token.tag = 'span';
          token.type = 'source_close';
        }
      }
    }
  });
}

/** Writes the sources of the pages next to the pages, the diagrams, the colours of code, and llms.txt. The API looks for llms.txt. */
function finish(outDir: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    writeFileSync(join(outDir, file), text);
  };
  for (const page of globSync('**/*.md', { cwd: DOCS })) {
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    copyFileSync(join(DOCS, page), join(outDir, page));
  }
  for (const [name, svg] of diagrams) write(`diagrams/${name}`, svg);
  write('code.css', codeColours.getCSS());
  const sections = FOLDERS.map((folder) => {
    const lines = pagesOf(folder).map((page) => `- [${titleOf(page)}](${BASE}${page})`);
    return `## ${titleOf(indexOf(folder))}\n\n${lines.join('\n')}\n`;
  });
  write(
    'llms.txt',
    `# Croupier\n\n> ${read('index.md').split('\n\n')[1]!.replaceAll('\n', ' ')}\n\n${sections.join('\n')}`,
  );
}

export default defineConfig({
  title: 'Croupier',
  base: BASE,
  // The finished site replaces the last one, which the API serves until then.
  outDir: '../dist/docs.new',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // The API counts every file towards the rate limit of the reader's address, so pages that no one opens are not loaded.
  router: { prefetchLinks: false },
  ignoreDeadLinks: 'localhostLinks',
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  head: [
    ['link', { rel: 'stylesheet', href: `${BASE}code.css` }],
    // Otherwise browsers ask for a favicon.ico that does not exist. The API serves the icon of the lobby.
    ['link', { rel: 'icon', href: '/art/mark-app.svg', type: 'image/svg+xml' }],
  ],
  // A separate file for the list of pages, and no style that turns transitions off: otherwise pages have further inline scripts and styles.
  metaChunk: true,
  appearance: { disableTransition: false },
  transformHtml: (html) => html.replaceAll(/ style="(?:position:relative|--vp-vh:0px);"/g, ''),
  markdown: {
    codeTransformers: [codeColours],
    anchor: { slugify },
    config(md) {
      drawDiagrams(md);
      unlinkSources(md);
    },
  },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4096 } },
  vue: { template: { transformAssetUrls: { includeAbsolute: false } } },
  buildEnd({ outDir }) {
    finish(outDir);
    rmSync(SITE, { recursive: true, force: true });
    renameSync(outDir, SITE);
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [{ text: 'API reference', link: '/api/', target: '_self' }],
    sidebar,
  },
});
