import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bounded, isTarget } from '../web/lobby/games/limbo-odds.ts';
import { MOST, pageOfBoth } from '../web/lobby/pages/wallet/both.ts';

vi.stubGlobal('document', { getElementById: () => null });
const { asNumber } = await import('../web/kit/form/amount.ts');
const { noteServerTime } = await import('../web/kit/clock.ts');
const { moment, relativeDay } = await import('../web/kit/intl.ts');
const { kit } = await import('../web/kit/words.ts');
afterEach(() => {
  kit.locale = 'en-GB';
});

describe('typed number', () => {
  test('is read as amounts are read, with the decimal separator of the page', () => {
    expect(['2', '2.5', '1,204.50', '', '2.'].map((text) => asNumber(text, 2).number)).toEqual([
      2,
      2.5,
      1204.5,
      undefined,
      2,
    ]);
    kit.locale = 'de-DE';
    expect(['2,5', '2.500,5'].map((text) => asNumber(text, 2).number)).toEqual([2.5, 2500.5]);
  });

  test('has a problem if it is unclear or has too many decimals', () => {
    expect(asNumber('2,500', 2)).toEqual({ problem: kit.wrong.number });
    expect(asNumber('1e3', 2)).toEqual({ problem: kit.wrong.number });
    expect(asNumber('2.505', 2)).toEqual({ problem: kit.wrong.decimals(2) });
    expect(asNumber('', 2)).toEqual({});
  });
});

test('moves a stored target of limbo into the range of the configuration', () => {
  const odds = { rtp: 99, minMultiplier: 1.5, maxMultiplier: 1000 };
  expect([1.01, 2.346, 5000].map((target) => bounded(target, odds))).toEqual([1.5, 2.35, 1000]);
  expect([5000, 0, Number.NaN, '2', undefined].map(isTarget)).toEqual([true, true, false, false, false]);
});

describe('deposits and withdrawals in one list', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: index, createdAt: at(index) }));

  test('has the next rows on its second page', () => {
    const page = pageOfBoth(rows(15), 2);
    expect(page).toMatchObject({ page: 2, take: 10, total: 15, totalPages: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([4, 3, 2, 1, 0]);
    expect(pageOfBoth(rows(0), 1)).toMatchObject({ data: [], total: 0 });
  });

  test('ends after as many rows as one response has, because older ones may be missing', () => {
    expect(pageOfBoth(rows(30), 1)).toMatchObject({ total: MOST, totalPages: 2 });
    expect(pageOfBoth(rows(30), 2).data.map(({ id }) => id)).toEqual([
      19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
    ]);
  });

  test.each(['/payments/deposit', '/payments/withdraw'])('asks %s for no more than it allows', (path) => {
    const { paths } = JSON.parse(readFileSync('docs/openapi/main.json', 'utf8'));
    const parameters: { name: string; schema: { maximum: number } }[] = paths[path].get.parameters;
    expect(parameters.find(({ name }) => name === 'take')?.schema.maximum).toBe(MOST);
  });
});

test("names days and years by the server's clock", () => {
  noteServerTime('Fri, 01 Jan 2100 12:00:00 GMT');
  expect(relativeDay('2100-01-01T12:00:00Z')).toBe('Today');
  expect(relativeDay('2099-12-31T12:00:00Z')).toBe('Yesterday');
  expect(moment('2100-01-01T12:00:00Z')).not.toContain('2100');
  expect(moment('2099-12-30T12:00:00Z')).toContain('2099');
});
