/** Finds phrases in comments, test titles and docs that docs/glossary.md replaces. */
import { globSync, readFileSync } from 'node:fs';

const SOURCES = ['src', 'test', 'bench', 'sandbox', 'scripts', 'demo', 'rtp', 'conformance', 'client', 'web'];

/** A comment or sentence should start with its subject, not with a relative clause. */
const OPENING = /^(What|Whoever|Whatever|Of|That which|Those that|As if)\b(?![^.]*\?)/;
const PHRASES =
  /\b(whoever|somebody|nobody|anew|lest|of then|of now|of before|is none of|are none of|hangs on|lets go of|has heard of|comes to nothing|by itself)\b/i;
/** Titles must be understandable without a list of codes such as N10, M04 or Z11. */
const CODED = /^[A-Z]{1,2}\d{1,2}\b/;

/** Returns the phrases with their places. */
export function discouragedPhrases(): string[] {
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
      .map(({ text, line }) => `${file}:${line} ${text.slice(0, 120)}`);
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
