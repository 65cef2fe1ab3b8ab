/**
 * Counts discouraged phrases of docs/glossary.md in comments, test titles, docs and server strings. `npm run check` compares the counts
 * with those in scripts/prose.json and fails if one is higher. `node scripts/prose.ts` lists the phrases with their locations and lowers
 * the stored counts.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const BASELINE = 'scripts/prose.json';
const SOURCES = ['src', 'test', 'bench', 'sandbox', 'scripts', 'demo', 'rtp', 'conformance', 'client', 'web'];

/** A comment or sentence should start with its subject, not with a relative clause. */
const OPENING = /^(What|Whoever|Whatever|Of|That which|Those that|As if)\b(?![^.]*\?)/;
const PHRASES =
  /\b(whoever|somebody|nobody|anew|lest|of then|of now|of before|is none of|are none of|hangs on|lets go of|has heard of|comes to nothing|by itself)\b/i;
/** Titles must be understandable without a list of codes such as N10, M04 or Z11. */
const CODED = /^[A-Z]{1,2}\d{1,2}\b/;

type Finding = { file: string; line: number; text: string };

function findings(): Finding[] {
  const files = [
    ...globSync(`{${SOURCES.join(',')}}/**/*.{ts,tsx}`, { exclude: ['client/dist/**', 'web/**/words/**'] }),
    ...globSync('{README,CONTRIBUTING,SECURITY}.md'),
    ...globSync('docs/**/*.md'),
  ].filter(
    (file) => !['scripts/prose.ts', 'docs/glossary.md'].includes(file) && !file.includes('node_modules'),
  );
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return (file.endsWith('.md') ? sentences(text) : [...comments(text), ...titles(text)])
      .filter(
        ({ isTitle, text }) => OPENING.test(text) || PHRASES.test(text) || (isTitle && CODED.test(text)),
      )
      .map(({ text, line }) => ({ file, line, text: text.slice(0, 120) }));
  });
}

type Text = { text: string; line: number; isTitle?: boolean };

/** Returns the comments of a source file: the text of each `//` line and of each block comment. */
function comments(source: string): Text[] {
  const found: Text[] = [];
  const pattern = /^\s*\/\/ ?(.*)$|\/\*\*?([\s\S]*?)\*\//gm;
  for (const match of source.matchAll(pattern)) {
    const text = (match[1] ?? match[2] ?? '').replaceAll(/\n\s*\* ?/g, ' ').trim();
    for (const sentence of text.split(/(?<=[.:;])\s+/))
      found.push({ text: sentence, line: lineOf(source, match.index) });
  }
  return found;
}

function titles(source: string): Text[] {
  const pattern =
    /\b(?:test|describe|it)(?:\.\w+)*(?:<[^>]*>)?(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;
  return [...source.matchAll(pattern)].map((match) => ({
    text: match[2]!,
    line: lineOf(source, match.index),
    isTitle: true,
  }));
}

function sentences(page: string): Text[] {
  const prose = page.replaceAll(/```[\s\S]*?```/g, (code) => code.replaceAll(/[^\n]/g, ' '));
  return prose.split('\n').flatMap((text, i) =>
    text
      .replace(/^[\s#>*|-]+/, '')
      .split(/(?<=[.:;|])\s+/)
      .map((sentence) => ({ text: sentence.replace(/^\*\*/, ''), line: i + 1 })),
  );
}

const lineOf = (source: string, index: number): number => source.slice(0, index).split('\n').length;

/** Returns src/modules/<area>/<module> for files in modules, otherwise the first two folders. */
const folderOf = (file: string): string =>
  file
    .split('/')
    .slice(0, file.startsWith('src/modules/') ? 4 : 2)
    .join('/')
    .replace(/\/[^/]+\.\w+$/, '');

function counts(all: readonly Finding[] = findings()): Record<string, number> {
  const byFolder = Map.groupBy(all, ({ file }) => folderOf(file));
  return Object.fromEntries(
    [...byFolder]
      .map(([folder, { length }]) => [folder, length] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns the folders with more findings than scripts/prose.json allows. */
export function growing(): string[] {
  const allowed = JSON.parse(readFileSync(BASELINE, 'utf8')) as Record<string, number>;
  const all = findings();
  return Object.entries(counts(all)).flatMap(([folder, count]) => {
    if (count <= (allowed[folder] ?? 0)) return [];
    const places = all.filter(({ file }) => folderOf(file) === folder);
    return [
      `${folder}: ${count} phrases that docs/glossary.md replaces, ${allowed[folder] ?? 0} allowed`,
      ...places.slice(0, 20).map(({ file, line, text }) => `    ${file}:${line} ${text}`),
    ];
  });
}

if (import.meta.main) {
  const all = findings();
  for (const { file, line, text } of all) console.log(`${file}:${line} ${text}`);
  console.log(`${all.length} phrases`);
  const allowed = JSON.parse(readFileSync(BASELINE, 'utf8')) as Record<string, number>;
  const lowered = Object.entries(counts(all)).map(
    ([folder, count]) => [folder, Math.min(count, allowed[folder] ?? 0)] as const,
  );
  writeFileSync(
    BASELINE,
    `${JSON.stringify(Object.fromEntries(lowered.filter(([, count]) => count > 0)), undefined, 2)}\n`,
  );
}
