import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstNumber, hashServerSeed, stream } from './hash.ts';
import { ALGORITHM_VERSION, draw, isClientSeed, pick } from './rules.ts';

const SEED = '0123456789abcdef'.repeat(4);
const WORDS = 2 ** 32;

/**
 * Test vectors computed with the HMAC of another programming language: client seed, nonce, then u[0], u[7], u[8], u[51] and the dice roll.
 */
const VECTORS = [
  ['fair', 0, 1941524324, 189912751, 664395638, 2251488399, 4520],
  ['fair', 1, 1693247002, 340329326, 3798061844, 1878521946, 3942],
  ['fair', 999999, 3923834187, 165796727, 2558164571, 3599040144, 9136],
  ['  Lucky:7 ~"', 0, 618593437, 2525413354, 1556881454, 248245930, 1440],
  ['  Lucky:7 ~"', 1, 1106131564, 2831978822, 435744834, 2890465072, 2575],
  ['  Lucky:7 ~"', 999999, 3250074276, 1504758743, 3719707235, 902320728, 7567],
] as const;

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const clientSeed = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 64 });
const bet = fc.tuple(hex, clientSeed, fc.nat({ max: 2 ** 31 - 1 }));

describe('stream', () => {
  test.each(VECTORS)('produces the test vector %j with nonce %i', (client, nonce, u0, u7, u8, u51, roll) => {
    const u = take(stream(SEED, client, nonce), 52);
    expect([u[0], u[7], u[8], u[51], pick(u0, 10_001)]).toEqual([u0, u7, u8, u51, roll]);
    expect(firstNumber(SEED, client, nonce)).toBe(u0);
    expect(ALGORITHM_VERSION).toBe('1');
  });

  test('produces the same numbers as the published float algorithm, including beyond the first hash block', () => {
    fc.assert(
      fc.property(bet, fc.integer({ min: 1, max: 60 }), ([server, client, nonce], count) => {
        const floats = naiveFloats(server, client, nonce, count);
        const u = take(stream(server, client, nonce), count);
        expect(u.map((word) => word / WORDS)).toEqual(floats);
        expect(firstNumber(server, client, nonce)).toBe(u[0]);
        for (const n of [2, 15, 20, 37, 40, 52, 10_001])
          expect(u.map((word) => pick(word, n))).toEqual(floats.map((f) => Math.floor(f * n)));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test('returns independent numbers from two random streams', () => {
    const [a, b] = [stream(SEED, 'fair', 0), stream(SEED, 'fair', 1)];
    const mixed = Array.from({ length: 20 }, () => [a(), b()]);
    expect(mixed.map(([u]) => u)).toEqual(take(stream(SEED, 'fair', 0), 20));
    expect(mixed.map(([, u]) => u)).toEqual(take(stream(SEED, 'fair', 1), 20));
  });
});

describe('seeds', () => {
  test('hashes the seed string itself, not the bytes that it encodes', () => {
    expect(hashServerSeed(SEED)).toBe('a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e');
    expect(hashServerSeed(SEED)).not.toBe(sha256(Buffer.from(SEED, 'hex')));
  });

  test.each(['a', ' ', '~', '  two  ', 'x'.repeat(64), '0', ':'])('accepts the client seed %j', (text) => {
    expect(isClientSeed(text)).toBe(true);
  });

  test.each(['', 'x'.repeat(65), 'a\n', '\ta', 'é', '\u007f', '\0', '٣', '🎲', '\u00a0'])(
    'rejects the client seed %j',
    (text) => {
      expect(isClientSeed(text)).toBe(false);
    },
  );
});

describe('pick and draw', () => {
  test.each([2, 15, 37, 52, 10_001])(
    'gives each of %i values an almost equal share of the 2^32 random words',
    (n) => {
      // The smallest u that gives the value v is the smallest u with u × n ≥ v × 2^32. `pick` never decreases as u grows, so the borders of
      // a value give the exact number of u that produce it.
      const starts = Array.from({ length: n + 1 }, (_, v) =>
        Number((BigInt(v) * 2n ** 32n + BigInt(n) - 1n) / BigInt(n)),
      );
      const wrong = starts.filter(
        (u, v) => (v < n && pick(u, n) !== v) || (v > 0 && pick(u - 1, n) !== v - 1),
      );
      const counts = starts.slice(1).map((start, v) => start - starts[v]!);
      expect(wrong).toEqual([]);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(WORDS);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    },
  );

  test('rounds down exactly in pick for every n below 2^21', () => {
    const word = fc.oneof(
      fc.constantFrom(0, 1, WORDS - 1, WORDS / 2),
      fc.integer({ min: 0, max: WORDS - 1 }),
    );
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 2 ** 21 - 1 }), (u, n) => {
        expect(pick(u, n)).toBe(Number((BigInt(u) * BigInt(n)) >> 32n));
      }),
      { seed: 2, numRuns: 20_000 },
    );
    expect(pick(WORDS - 1, 2 ** 21 - 1)).toBe(2 ** 21 - 2);
  });

  test('draws items in order and matches a simple reference implementation', () => {
    const words = fc.array(fc.integer({ min: 0, max: WORDS - 1 }), { minLength: 52, maxLength: 52 });
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 52 }), (u, k) => {
        const list = Object.freeze(Array.from({ length: 52 }, (_, i) => i + 1));
        let taken = 0;
        const drawn = draw(list, k, () => u[taken++]!);
        expect(drawn).toEqual(naiveDraw(list, u.slice(0, k)));
        expect(taken).toBe(k);
        expect(new Set(drawn).size).toBe(k);
        if (k === 52) expect(drawn.toSorted((a, b) => a - b)).toEqual(list);
      }),
      { seed: 3, numRuns: 1000 },
    );
    expect(draw([1, 2, 3, 4], 4, () => 0)).toEqual([1, 2, 3, 4]);
    expect(draw([1, 2, 3, 4], 4, () => WORDS - 1)).toEqual([4, 3, 2, 1]);
  });
});

/** A literal implementation of the published scheme: HMAC from its definition, and floats built byte by byte from a hex string. */
function naiveFloats(serverSeed: string, client: string, nonce: number, count: number): number[] {
  const key = Buffer.alloc(64, serverSeed, 'utf8');
  const mask = (byte: number) => Buffer.from(key.map((b) => b ^ byte));
  let text = '';
  for (let round = 0; text.length < count * 8; round++) {
    const inner = sha256(Buffer.concat([mask(0x36), Buffer.from(`${client}:${nonce}:${round}`, 'utf8')]));
    text += sha256(Buffer.concat([mask(0x5c), Buffer.from(inner, 'hex')]));
  }
  const bytes = text.match(/../g)!.map((pair) => Number(`0x${pair}`));
  return Array.from({ length: count }, (_, i) =>
    bytes.slice(i * 4, i * 4 + 4).reduce((f, byte, j) => f + byte / 256 ** (j + 1), 0),
  );
}

function naiveDraw<T>(list: readonly T[], u: readonly number[]): T[] {
  let left = [...list];
  return u.map((word) => {
    const at = Number((BigInt(word) * BigInt(left.length)) / 2n ** 32n);
    const found = left[at]!;
    left = left.filter((_, i) => i !== at);
    return found;
  });
}

function take(next: () => number, count: number): number[] {
  return Array.from({ length: count }, () => next());
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
