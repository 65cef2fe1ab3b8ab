import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { MAX_UNITS, parseUnits } from '../src/platform/money.ts';
import { checkBrand, lowContrasts, shippedProperties } from '../web/contrast.ts';
import { iconSprite } from '../web/sprite.ts';

vi.stubGlobal('document', { getElementById: () => null });
const { asAmount, changed, problemOf, typedAs } = await import('../web/kit/form/amount.ts');
const { figures, money, multiplier, percent, plural, unit } = await import('../web/kit/intl.ts');
const { kit } = await import('../web/kit/words.ts');

const tokens = readFileSync('web/kit/tokens.css', 'utf8');
afterEach(() => {
  kit.locale = 'en-GB';
});

// React delays the content of a plain `Suspense` by up to 300 ms.
test('shows imported components within Imported, never within Suspense', () => {
  const others = globSync('web/**/*.tsx').filter((file) => file !== join('web', 'kit', 'load.tsx'));
  expect(others.filter((file) => /\bSuspense\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
  expect(others.length).toBeGreaterThan(100);
});

test('keeps every pair of the shipped colours readable', () => {
  expect(lowContrasts(tokens)).toEqual([]);
});

test('reports the pairs of a brand that are too close', () => {
  const problems = lowContrasts(tokens, ':root[data-theme="light"] { --brand-accent-text: #e0b040; }');
  expect(problems).toContainEqual(
    expect.stringMatching(/^lobby light: accent-text on s1 is \d\.\d\d, needs 4\.5$/),
  );
  expect(problems.filter((problem) => problem.includes('dark'))).toEqual([]);
});

test('checks a brand only in the lobby, and puts the rule for a theme above the general one', () => {
  const dark = ':root { --brand-accent-text: #ffcf6e; }';
  const light = ':root[data-theme="light"] { --brand-accent-text: #825200; }';
  const problems = lowContrasts(tokens, dark);
  expect(new Set(problems.map((problem) => problem.split(':')[0]))).toEqual(new Set(['lobby light']));
  expect(lowContrasts(tokens, light + dark)).toEqual([]);
});

test('accepts the example of the documentation', () => {
  const page = readFileSync('docs/how-to/brand-the-lobby.md', 'utf8');
  expect(lowContrasts(tokens, /```css\n(.*?)```/s.exec(page)![1])).toEqual([]);
});

test.each([
  ['an unclosed block', ':root{--brand-ground:#fff', /The block ":root \{" is not closed/],
  ['an unopened block', ':root{}}', /remove a \}/],
  ['an unclosed comment', '/* :root{--brand-ground:#fff}', /comment is not closed/],
  [
    'a colour in another notation',
    ':root{--brand-ground:rgb(0 0 0)}',
    /"rgb\(0 0 0\)", which cannot be checked/,
  ],
  ['a colour with transparency', ':root{--brand-ink:#ffffff80}', /write the colour as #rrggbb/],
  ['a misspelt property', ':root{--brand-groud:#fff}', /--brand-groud is not a brand property/],
  ['a colour of another rule', 'html{--brand-ground:#fff}', /not in a top-level rule for :root/],
  ['a colour of a media query', '@media print{:root{--brand-ink:#000}}', /not in a top-level rule/],
  ['a missing semicolon', ':root{--brand-radius:4px --brand-ink:#000}', /semicolon before it is missing/],
  ['a circle', ':root{--brand-ink:var(--text)}', /depends on itself/],
  [
    'a share that is not set',
    ':root{--brand-ink:color-mix(in oklab, #fff, #000 var(--x))}',
    /not a percentage/,
  ],
  ['shares below 100 %', ':root{--brand-ink:color-mix(in oklab, #fff 30%, #000 30%)}', /add up to 100/],
])('reports %s of a brand instead of passing it', (_, css, problem) => {
  const file = join(mkdtempSync(join(tmpdir(), 'croupier-brand-')), 'brand.css');
  writeFileSync(file, css);
  const { status, lines } = checkBrand([file]);
  rmSync(dirname(file), { recursive: true });
  expect([status, lines.join('\n')]).toEqual([1, expect.stringMatching(problem)]);
  expect(lines.join('\n')).not.toMatch(/\n\s+at /);
});

test('exits with 2 for wrong arguments of the contrast check, and with 0 for the shipped brand', () => {
  for (const args of [['missing.css'], ['web'], ['--help'], [''], ['a.css', 'b.css']])
    expect(checkBrand(args).status, args.join()).toBe(2);
  expect(checkBrand([])).toEqual({ status: 0, lines: ['every pair of colours passes WCAG AA'] });
});

test('lists the properties that a brand takes from the shipped one in each theme', () => {
  const css = `@font-face { src: url("a{b.woff2"); }
    :root { --brand-ground: #0b0d14; } /* } */ :root[data-theme='light'] { --brand-ink: #000; }
    @media (pointer: coarse) { :root { --brand-control: 44px; } }`;
  const { dark, light } = shippedProperties(tokens, css);
  expect([dark.length, light.length]).toEqual([11, 10]);
  expect([dark.includes('brand-ground'), light.includes('brand-ink')]).toEqual([false, false]);
});

test('builds a sprite of the icons that sources name', () => {
  const sprite = iconSprite([
    `<Icon name="wallet" />`,
    `const other = 'trophy';`,
    `icon: open ? 'eye' : 'eye-off'`,
  ]);
  expect([...sprite.matchAll(/id="([^"]+)"/g)].map((match) => match[1])).toEqual([
    'eye',
    'eye-off',
    'wallet',
  ]);
});

test.each([
  ['12.50', '12.50'],
  ['1,204.50', '1204.50'],
  ['1.204,50', '1204.50'],
  ['1 204,5', '1204.5'],
  ['0,5', '0.5'],
  ['1.204.500', '1204500'],
  ['.5', '0.5'],
  ['007', '7'],
  ['', ''],
  [' 12 ', '12'],
  ['12.', '12'],
  ['0,125', '0.125'],
  [',125', '0.125'],
  ['1’204.50', '1204.50'],
  ['1,234,567', '1234567'],
  ['1,234,567.891', '1234567.891'],
  ['1.204', '1.204'],
  ['٣٫', '٣٫'],
  ['٣.٥', '3.5'],
])('reads the typed or pasted amount %s as %s', (text, amount) => {
  expect(asAmount(text)).toBe(amount);
});

// In English, 1,204 may also come from a page with a decimal comma.
test.each([
  '1,204',
  '1234,567',
  '1,2,3',
  '1.2.3',
  '1,23.45',
  '0,125.5',
  '1,204,50',
  '.',
  '$ 20',
  '1e3',
  '1e-7',
  '0x10',
  '-5',
  '+5',
  '١٢ ر',
])('keeps the text %s as typed, because it is not an amount', (text) => {
  expect(parseUnits(asAmount(text))).toBeUndefined();
  expect(typedAs(asAmount(text))).toBe(text);
  expect(problemOf(asAmount(text))).toBe('Enter an amount, like 12.50');
});

test("reads amounts with the decimal separator of the page's language, and keeps ambiguous ones as typed", () => {
  kit.locale = 'de-DE';
  expect(['12,34', '1.204,5', '1,204', '1.5', '1.204.500'].map(asAmount)).toEqual([
    '12.34',
    '1204.5',
    '1.204',
    '1.5',
    '1204500',
  ]);
  for (const text of ['12,345.', '1.204', '1,204,5']) {
    expect(parseUnits(asAmount(text))).toBeUndefined();
    expect(typedAs(asAmount(text))).toBe(text);
  }
});

test('says why an amount cannot be sent', () => {
  expect(problemOf('0.000000001')).toBe('At most 8 decimals');
  expect(problemOf('0.123', 2)).toBe('At most 2 decimals');
  expect(problemOf('0.1200', 2)).toBeUndefined();
  expect(problemOf(`1.${'0'.repeat(19)}`)).toBe('At most 8 decimals');
  for (const text of ['999999999999', '92233720368.54775808', '9'.repeat(40)])
    expect(problemOf(text)).toBe('Enter 92,233,720,368.54775807 or less');
  expect(problemOf('92233720368.54775807')).toBeUndefined();
});

test('halves and doubles an amount within its limits', () => {
  expect(changed('0.03', 'half', 2)).toBe('0.01');
  expect(changed('0.00000001', 'half')).toBeUndefined();
  expect(changed('60000000000', 'double')).toBeUndefined();
  let amount: string | undefined = '1';
  for (let n = 0; n < 40 && amount !== undefined; n++) amount = changed(amount, 'double');
  expect(amount).toBeUndefined();
});

const LOCALES = ['en-GB', 'de-DE', 'es-ES', 'pt-BR'];
const TYPED = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'0123456789.,’ e-+x٣') }),
  fc.string({ unit: fc.constantFrom(...'0123456789.,'), maxLength: 40 }),
);

test('never throws for a typed text and never reads more than it says', () => {
  fc.assert(
    fc.property(
      TYPED,
      fc.integer({ min: 0, max: 8 }),
      fc.constantFrom(...LOCALES),
      (text, decimals, locale) => {
        kit.locale = locale;
        const amount = asAmount(text);
        const read = parseUnits(amount, decimals);
        expect(problemOf(amount, decimals) === undefined).toBe(amount === '' || read !== undefined);
        const half = changed(amount, 'half', decimals);
        const twice = changed(amount, 'double', decimals);
        if (read === undefined) return void expect([half, twice]).toEqual([undefined, undefined]);
        // A single separator with three digits after it is a decimal sign, whatever the language.
        const digits = [...text]
          .map((char) => (/[٠-٩]/.test(char) ? char.charCodeAt(0) & 15 : char))
          .join('');
        if (/^\s*\d*[.,]\d*\s*$/.test(digits))
          expect(read).toBe(
            parseUnits(
              `0${digits.trim()}`
                .replace(',', '.')
                .replace(/^0+(?=\d)/, '')
                .replace(/\.$/, ''),
            ),
          );
        expect(amount.replace(/\D/g, '').replace(/^0+/, '')).toBe(
          digits.replace(/\D/g, '').replace(/^0+/, ''),
        );
        expect(asAmount(typedAs(amount))).toBe(amount);
        if (half !== undefined) expect(parseUnits(half, decimals)! <= read).toBe(true);
        if (twice !== undefined) expect(parseUnits(twice, decimals)! <= MAX_UNITS).toBe(true);
      },
    ),
    { seed: 36, numRuns: 2000 },
  );
});

test('shows dollars and stablecoins with two decimals and coins with up to eight', () => {
  expect(money('1204.509')).toBe('$1,204.50');
  expect(money('-12.4', 'USD', true)).toBe('−$12.40');
  expect(money('12.4', 'USD', true)).toBe('+$12.40');
  expect(figures('2113.83865', 'USDT')).toBe('2,113.83');
  expect(figures('0.00280000', 'BTC')).toBe('0.0028');
  expect(figures('123456789012345678.12345678', 'BTC')).toBe('123,456,789,012,345,678.12345678');
});

test('formats figures in the language of the page', () => {
  kit.locale = 'de-DE';
  expect(figures('2172.83', 'USDT')).toBe('2.172,83');
  expect(multiplier('1.9899')).toBe('1,98×');
  expect(percent(49.5)).toBe('49,5\u00a0%');
  expect(unit(42, 'minute')).toBe('42 Min.');
});

test('chooses the form of a noun for a number', () => {
  const forms = { one: '# game', other: '# games' };
  expect([0, 1, 2, 1200].map((count) => plural(count, forms))).toEqual([
    '0 games',
    '1 game',
    '2 games',
    '1,200 games',
  ]);
});
