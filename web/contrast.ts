/**
 * node web/contrast.ts [brand.css]: computes the contrast of every pair of colours that the pages use as text, border or line, in both
 * applications and themes. Exits with 1 if a pair is below WCAG AA or brand.css cannot be read as CSS, and with 2 if the arguments are
 * invalid. The build of the pages checks the shipped brand.
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

/**
 * Returns the pairs whose contrast is too low and the colours that cannot be read, as text. `brand`: the content of an operator's brand.css.
 * Only the lobby loads it.
 */
export function lowContrasts(tokens: string, brand = ''): string[] {
  const problems = new Set<string>();
  for (const app of ['lobby', 'console'])
    for (const theme of ['dark', 'light']) {
      const own = app === 'lobby' ? propertiesOf(brand, app, theme) : [];
      const properties = new Map([...propertiesOf(tokens, app, theme), ...own]);
      for (const pair of PAIRS) {
        const problem = problemOf(pair, properties);
        if (problem !== undefined) problems.add(`${app} ${theme}: ${problem}`);
      }
    }
  return [...problems];
}

function problemOf({ colour, ground, need }: (typeof PAIRS)[number], properties: Properties) {
  try {
    const ratio = contrast(colourNamed(properties, colour), colourNamed(properties, ground));
    if (ratio >= need) return undefined;
    return `${colour} on ${ground} is ${ratio.toFixed(2)}, needs ${need}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the properties that a brand takes from the shipped one, by theme. Throws if the brand sets a property that has no effect. */
export function shippedProperties(tokens: string, brand: string): Record<'dark' | 'light', string[]> {
  const known = [...propertiesOf(tokens, 'lobby', 'dark').keys()].filter((name) => name.startsWith('brand-'));
  const isColour = (name: string) => known.includes(name) && !NOT_COLOURS.has(name);
  const rules = rulesOf(brand);
  const declared = [...cleaned(brand).matchAll(/--(brand-[\w-]+)\s*:/g)].map(([, name]) => name!);
  const unknown = declared.find((name) => !known.includes(name));
  if (unknown) throw new Error(`--${unknown} is not a brand property. The properties: ${known.join(', ')}.`);
  const read = rules.flatMap(({ body }) => declarationsIn(body).map(([name]) => name));
  if (read.filter(isColour).length < declared.filter(isColour).length)
    throw new Error(
      'A brand property is not in a top-level rule for :root, or the semicolon before it is missing.',
    );
  const missing = (theme: string) => {
    const own = propertiesOf(brand, 'lobby', theme);
    return known.filter((name) => !own.has(name));
  };
  return { dark: missing('dark'), light: missing('light') };
}

/** Brand properties that may differ between media queries, because no pair of colours depends on them. */
const NOT_COLOURS: ReadonlySet<string> = new Set(['brand-font', 'brand-radius', 'brand-control']);

type Attributes = readonly (readonly [name: 'app' | 'theme', value: string])[];
/** A rule with the attributes that each of its selectors requires of `:root`. */
type Rule = { selectors: readonly Attributes[]; body: string };

const ROOT_SELECTOR = /^:root((?:\[data-(?:app=["']?(?:lobby|console)|theme=["']?(?:dark|light))["']?\])*)$/;

/** Returns the rules for `:root` outside media queries. Throws if a block or a comment is not closed. */
function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  const open = [{ prelude: '', body: '' }];
  for (const [, text = '', brace] of cleaned(css).matchAll(/([^{}]*)([{}])/g)) {
    const block = open.at(-1)!;
    if (brace === '{') {
      const end = text.lastIndexOf(';') + 1;
      block.body += text.slice(0, end);
      open.push({ prelude: text.slice(end).trim(), body: '' });
      continue;
    }
    if (open.length === 1) throw new Error('A block is closed that was not opened: remove a }.');
    open.pop();
    const body = block.body + text;
    if (open.some(({ prelude }) => prelude !== '' && !prelude.startsWith('@layer'))) continue;
    const selectors = block.prelude.split(',').flatMap((selector) => {
      const [, attributes] = ROOT_SELECTOR.exec(selector.trim()) ?? [];
      return attributes === undefined ? [] : [attributesIn(attributes)];
    });
    if (selectors.length > 0) rules.push({ selectors, body });
  }
  const unclosed = open.at(-1)!.prelude;
  if (open.length > 1) throw new Error(`The block "${unclosed} {" is not closed: add a }.`);
  return rules;
}

const attributesIn = (text: string): Attributes =>
  [...text.matchAll(/\[data-(app|theme)=["']?(\w+)/g)].map(
    ([, name, value]) => [name as 'app' | 'theme', value!] as const,
  );

/** Removes comments, and the characters in strings that have a meaning in CSS. */
function cleaned(css: string): string {
  const plain = css.replaceAll(/\/\*.*?\*\/|"[^"\n]*"|'[^'\n]*'/gs, (text) =>
    text.startsWith('/*') ? ' ' : text.replaceAll(/[{};:]|\/\*/g, ' '),
  );
  if (plain.includes('/*')) throw new Error('A comment is not closed: add a */.');
  return plain;
}

const declarationsIn = (body: string) =>
  body.split(';').flatMap((text) => {
    const [, name, value] = /^\s*--([\w-]+)\s*:(.*)$/s.exec(text) ?? [];
    return name === undefined ? [] : [[name, value!.trim()] as const];
  });

/** Returns the custom properties that apply to `:root` in this application and theme. Rules with more attributes take precedence. */
function propertiesOf(css: string, app: string, theme: string): Properties {
  const rules = rulesOf(css)
    .flatMap(({ selectors, body }) => selectors.map((attributes) => ({ attributes, body })))
    .filter(({ attributes }) => attributes.every(([name, value]) => value === { app, theme }[name]))
    .toSorted((a, b) => a.attributes.length - b.attributes.length);
  return new Map(rules.flatMap(({ body }) => declarationsIn(body)));
}

function colourNamed(properties: Properties, name: string, users: readonly string[] = []): Rgb {
  const value = properties.get(name);
  if (value === undefined) throw new Error(`--${name} is not set`);
  if (users.includes(name)) throw new Error(`--${name} depends on itself`);
  return colourOf(value, { properties, users: [...users, name] });
}

/** The properties, and those whose values led to the current one. */
type Place = { properties: Properties; users: readonly string[] };

/** Computes a hexadecimal colour, a variable, or a mixture in OKLab. */
function colourOf(text: string, place: Place): Rgb {
  const value = text.trim();
  const variable = /^var\(--([\w-]+)\)$/.exec(value);
  if (variable) return colourNamed(place.properties, variable[1]!, place.users);
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (hex) {
    const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
    return each([0, 2, 4], (at) => Number.parseInt(full.slice(at, at + 2), 16) / 255);
  }
  const mix = /^color-mix\(in oklab, (.+), (.+)\)$/.exec(value);
  if (!mix)
    throw new Error(
      `--${place.users.at(-1)} is ${JSON.stringify(value)}, which cannot be checked: write the colour as #rrggbb`,
    );
  const [first, second] = [mix[1]!, mix[2]!].map((part) => {
    const [, colour = part, share] = /^(.*?)\s+(\d[\d.]*%|var\([^)]*\))$/.exec(part.trim()) ?? [];
    return {
      colour: colourOf(colour, place),
      share: share === undefined ? undefined : shareOf(share, place.properties),
    };
  }) as [Part, Part];
  const share = second.share ?? 1 - (first.share ?? 0.5);
  if (Math.abs((first.share ?? 1 - share) + share - 1) > 1e-9)
    throw new Error(`the shares of ${value} do not add up to 100 %`);
  return mixed(first.colour, second.colour, share);
}

type Part = { colour: Rgb; share: number | undefined };

function shareOf(text: string, properties: Properties): number {
  const variable = /^var\(--([\w-]+)\)$/.exec(text);
  const share = Number.parseFloat(variable ? (properties.get(variable[1]!) ?? '') : text) / 100;
  if (Number.isNaN(share)) throw new Error(`the share ${text} is not a percentage`);
  return share;
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

const shippedTokens = () => readFileSync(join(ROOT, 'web/kit/tokens.css'), 'utf8');

/** Throws if the shipped tokens have a pair of colours below WCAG AA. */
export function assertContrast(): void {
  const problems = lowContrasts(shippedTokens());
  if (problems.length > 0) throw new Error(`The brand's colours are too close:\n${problems.join('\n')}`);
}

type Outcome = { status: 0 | 1 | 2; lines: readonly string[] };

/** Runs the command, and returns its exit status with the lines that it prints: on standard error unless the status is 0. */
export function checkBrand(args: readonly string[]): Outcome {
  const [file, ...more] = args;
  if (more.length > 0 || file?.startsWith('-') || file === '')
    return { status: 2, lines: ['Usage: node web/contrast.ts [brand.css]'] };
  let brand = '';
  try {
    if (file !== undefined) brand = readFileSync(file, 'utf8');
  } catch (error) {
    return { status: 2, lines: [`The file cannot be read: ${(error as Error).message}`] };
  }
  try {
    const tokens = shippedTokens();
    const shipped = shippedProperties(tokens, brand);
    const problems = lowContrasts(tokens, brand);
    if (problems.length > 0) return { status: 1, lines: problems };
    const taken = Object.entries(file === undefined ? {} : shipped).filter(([, names]) => names.length > 0);
    return {
      status: 0,
      lines: [
        ...taken.map(([theme, names]) => `${theme}: the shipped values of ${names.join(', ')} apply`),
        'every pair of colours passes WCAG AA',
      ],
    };
  } catch (error) {
    return { status: 1, lines: [`${file}: ${(error as Error).message}`] };
  }
}

if (import.meta.main) {
  const { status, lines } = checkBrand(process.argv.slice(2));
  for (const text of lines) (status === 0 ? console.log : console.error)(text);
  process.exitCode = status;
}
