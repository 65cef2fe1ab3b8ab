import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { lowContrasts } from '../web/contrast.ts';
import { iconSprite } from '../web/sprite.ts';

vi.stubGlobal('document', { getElementById: () => null });
const { asAmount } = await import('../web/kit/form/amount.ts');
const { figures, money, multiplier, percent, plural, unit } = await import('../web/kit/intl.ts');
const { kit } = await import('../web/kit/words.ts');

const tokens = readFileSync('web/kit/tokens.css', 'utf8');
afterEach(() => {
  kit.locale = 'en-GB';
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
  ['1,204', '1204'],
  ['1.204.500', '1204500'],
  ['.5', '0.5'],
  ['007', '7'],
  ['$ 20', '20'],
  ['', ''],
])('reads the typed or pasted amount %s as %s', (text, amount) => {
  expect(asAmount(text)).toBe(amount);
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
