/**
 * node web/contrast.ts [brand.css]: computes the contrast of every pair of colours that the pages use as text, border or line, in both
 * applications and themes. Exits with 1 if a pair is below WCAG AA. The build of the pages checks the shipped brand.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
/** Text needs 4.5; borders of fields, focus rings and lines of charts need 3. */
const TEXT = 4.5;
const LINE = 3;
const on = (need: number, grounds: string, ...colours: string[]) =>
  grounds.split(' ').flatMap((ground) => colours.map((colour) => ({ colour, ground, need })));
const PAIRS = [
  ...on(TEXT, 'bg s1 s3', 'text'),
  ...on(TEXT, 'bg s1 s2 s3', 'dim'),
  ...on(TEXT, 'bg s1 well s2', 'faint'),
  ...on(TEXT, 'accent accent-hover', 'on-accent'),
  ...on(TEXT, 'bg s1 accent-soft', 'accent-text'),
  ...['good', 'bad', 'warn'].flatMap((tone) => on(TEXT, `s1 ${tone}-soft`, tone)),
  ...on(LINE, 'field s1', 'edge'),
  ...on(LINE, 'well', 'accent-text'),
  ...on(LINE, 's1', 'c1', 'c2', 'c3', 'c4'),
];

type Triple<T> = readonly [T, T, T];
type Rgb = Triple<number>;
type Properties = ReadonlyMap<string, string>;

/** Returns the pairs whose contrast is too low, as text. `brand`: the content of an operator's brand.css. */
export function lowContrasts(tokens: string, brand = ''): string[] {
  const problems: string[] = [];
  for (const app of ['lobby', 'console'])
    for (const theme of ['dark', 'light']) {
      const properties = new Map([...propertiesOf(tokens, app, theme), ...propertiesOf(brand, app, theme)]);
      for (const { colour, ground, need } of PAIRS) {
        const ratio = contrast(colourNamed(properties, colour), colourNamed(properties, ground));
        if (ratio < need)
          problems.push(`${app} ${theme}: ${colour} on ${ground} is ${ratio.toFixed(2)}, needs ${need}`);
      }
    }
  return problems;
}

/** Returns the custom properties that apply to `:root` in this application and theme. */
function propertiesOf(css: string, app: string, theme: string): Properties {
  const plain = css.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/@media[^{]*\{\s*:root[^}]*\}\s*\}/g, '');
  const found = new Map<string, string>();
  for (const [, selector = '', body = ''] of plain.matchAll(/(:root[^{]*)\{([^}]*)\}/g)) {
    const attributes = [...selector.matchAll(/\[data-(app|theme)="?(\w+)"?\]/g)];
    if (attributes.some(([, name, value]) => value !== (name === 'app' ? app : theme))) continue;
    for (const [, name = '', value = ''] of body.matchAll(/--([\w-]+)\s*:\s*([^;]+)/g))
      found.set(name, value.trim());
  }
  return found;
}

function colourNamed(properties: Properties, name: string): Rgb {
  const value = properties.get(name);
  if (value === undefined) throw new Error(`--${name} is not set`);
  return colourOf(value, properties);
}

/** Computes a hexadecimal colour, a variable, or a mixture in OKLab. */
function colourOf(text: string, properties: Properties): Rgb {
  const value = text.trim();
  const variable = /^var\(--([\w-]+)\)$/.exec(value);
  if (variable) return colourNamed(properties, variable[1]!);
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (hex) {
    const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
    return each([0, 2, 4], (at) => Number.parseInt(full.slice(at, at + 2), 16) / 255);
  }
  const mix = /^color-mix\(in oklab, (.+), (.+)\)$/.exec(value);
  if (!mix) throw new Error(`unknown colour ${value}`);
  const parts = [mix[1]!, mix[2]!].map((part) => {
    const [, colour = part, share] = /^(.*?)\s+(\d[\d.]*%|var\([^)]*\))$/.exec(part.trim()) ?? [];
    return { colour: colourOf(colour, properties), share: share && shareOf(share, properties) };
  });
  const second = parts[1]!.share ?? 1 - (parts[0]!.share as number);
  return mixed(parts[0]!.colour, parts[1]!.colour, second as number);
}

function shareOf(text: string, properties: Properties): number {
  const variable = /^var\(--([\w-]+)\)$/.exec(text);
  return Number.parseFloat(variable ? properties.get(variable[1]!)! : text) / 100;
}

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const encoded = (c: number) => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);
const each = <T>([a, b, c]: Triple<T>, of: (one: T) => number): Rgb => [of(a), of(b), of(c)];
const times = (matrix: Triple<Rgb>, [a, b, c]: Rgb) =>
  each(matrix, (row) => row[0] * a + row[1] * b + row[2] * c);

/** The matrices of https://bottosson.github.io/posts/oklab/ */
const TO_LMS: Triple<Rgb> = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const FROM_LMS: Triple<Rgb> = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

/** OKLab is a linear map of the cube roots of LMS, so mixing these roots gives the same result as mixing in OKLab. */
function mixed(first: Rgb, second: Rgb, share: number): Rgb {
  const rootsOf = (colour: Rgb) => each(times(TO_LMS, each(colour, linear)), Math.cbrt);
  const [from, to] = [rootsOf(first), rootsOf(second)];
  const cubes = each([0, 1, 2], (at) => (from[at]! * (1 - share) + to[at]! * share) ** 3);
  return each(times(FROM_LMS, cubes), (c) => encoded(Math.min(1, Math.max(0, c))));
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

function contrast(first: Rgb, second: Rgb): number {
  const [low, high] = [luminance(first), luminance(second)].toSorted((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Throws if the shipped tokens, with this brand, have a pair of colours below WCAG AA. */
export function assertContrast(brandFile?: string): void {
  const tokens = readFileSync(join(ROOT, 'web/kit/tokens.css'), 'utf8');
  const problems = lowContrasts(tokens, brandFile ? readFileSync(brandFile, 'utf8') : '');
  if (problems.length > 0) throw new Error(`The brand's colours are too close:\n${problems.join('\n')}`);
}

if (import.meta.main) {
  assertContrast(process.argv[2]);
  console.log('every pair of colours passes WCAG AA');
}
