import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FREE_SPINS, LINE_BETS, playRound, REELS, STOPS, spinAt } from './seven-orchards.ts';
import { streamOf } from './stream.ts';

const VECTORS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/kit/games/providers-vectors.json'), 'utf8'),
).demoSlot.vectors as { seed: string; roundId: string; spins: object[]; freeSpins: number }[];

test.each(VECTORS)('plays the round $roundId with the result given in the specification', (vector) => {
  const { spins, freeSpins, lineBets } = playRound(streamOf(vector.seed, vector.roundId));
  const { seed, roundId } = vector;
  const played = spins.map(({ stops, pay }) => ({ stops, pay }));
  expect({ seed, roundId, spins: played, freeSpins, lineBets }).toEqual(vector);
});

test('matches the exact return, hit rate, free spins and maximum payout over all 16^5 windows', {
  timeout: 240_000,
}, () => {
  const all = STOPS ** REELS.length;
  let [paid, free, hits, triggers, most] = [0, 0, 0, 0, 0];
  for (let window = 0; window < all; window++) {
    const stops = REELS.map((_, reel) => (window >>> (4 * reel)) % STOPS);
    const { pay, isTrigger } = spinAt(stops);
    paid += pay;
    free += isTrigger ? spinAt(stops, true).pay : pay;
    if (pay > 0) hits++;
    if (isTrigger) triggers++;
    most = Math.max(most, pay);
  }
  expect([all, paid, free, triggers]).toEqual([1_048_576, 9_632_000, 9_493_760, 6912]);
  const won = BigInt(paid * all + FREE_SPINS * triggers * free);
  expect(won * 4_194_304n).toBe(4_053_059n * BigInt(all) * BigInt(all) * BigInt(LINE_BETS));
  expect([hits * 65_536, triggers * 4096, most]).toEqual([26_013 * all, 27 * all, 1180]);
});

test('substitutes wilds for all symbols except the scatter, counts symbols from the left, and pays nothing for scatters on free spins', () => {
  const sevens = spinAt([10, 9, 9, 9, 10]);
  expect(sevens.window).toEqual(['7PC', '7OL', '7PL', '7OL', '7PC']);
  expect(sevens.wins).toEqual([{ line: 1, symbol: '7', count: 5, pay: 1000 }]);
  // The wild is in the bottom row of the second reel.
  const wild = spinAt([0, 0, 0, 3, 3]);
  expect(wild.window).toEqual(['COP', 'CPW', 'OPW', 'LOB', 'LBC']);
  expect(wild.wins).toEqual([
    { line: 2, symbol: 'P', count: 3, pay: 9 },
    { line: 6, symbol: 'P', count: 3, pay: 9 },
    { line: 8, symbol: 'O', count: 3, pay: 5 },
  ]);
  const [paid, free] = [spinAt([6, 0, 4, 0, 6]), spinAt([6, 0, 4, 0, 6], true)];
  expect([paid.isTrigger, free.isTrigger, paid.pay - free.pay]).toEqual([true, false, 20]);
});
