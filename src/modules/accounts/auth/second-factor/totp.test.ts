import { describe, expect, test } from 'vitest';
import { code, STEP_MS } from '../../../../../test/kit/accounts/totp.ts';
import { newKey, setupOf, stepOf } from './factor.ts';

/**
 * The key of the test vectors in appendix B of RFC 6238: "12345678901234567890" in base32. The codes there have eight digits, of which an
 * app shows the last six.
 */
const RFC_KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTORS: [seconds: number, digits: string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
];

describe('RFC 6238 codes', () => {
  test.each(VECTORS)(
    'computes the expected code of the test vector at second %i',
    async (seconds, digits) => {
      expect(code(RFC_KEY, seconds * 1000, 8)).toBe(digits);
      const step = BigInt(Math.floor(seconds / 30));
      const found = await stepOf(RFC_KEY, digits.slice(2), { now: seconds, lastStep: 0n });
      expect(found).toBe(step);
    },
  );

  test('finds the time step of a code in the middle and at both ends of the step', async () => {
    for (let i = 0; i < 20; i++) {
      const key = await newKey();
      const start = (56_666_666 + i) * 30;
      for (const now of [start, start + 0.001, start + 17.5, start + 29.999])
        expect(await stepOf(key, code(key, now * 1000), { now, lastStep: 0n })).toBe(BigInt(start / 30));
    }
  });
});

/** Returns which of the time steps from -3 to +3 around the given time have a code that is accepted. */
async function found(key: string, now: number, lastStep = 0n): Promise<number[]> {
  const current = BigInt(Math.floor(now / 30));
  const steps: number[] = [];
  for (let offset = -3; offset <= 3; offset++) {
    const step = await stepOf(key, code(key, now * 1000 + offset * STEP_MS), { now, lastStep });
    if (step === undefined) continue;
    expect(step).toBe(current + BigInt(offset));
    steps.push(offset);
  }
  return steps;
}

describe('accepted time steps', () => {
  test('accepts the codes of the previous, current and next time step at any moment within a step', async () => {
    for (const second of [0, 0.001, 1, 14.999, 15, 29, 29.999])
      expect(await found(await newKey(), 1_700_000_010 + second), `second ${second}`).toEqual([-1, 0, 1]);
  });

  test('rejects the code of a used time step and of all earlier ones', async () => {
    const now = 1_700_000_010;
    const current = BigInt(now / 30);
    expect(await found(await newKey(), now, current - 2n)).toEqual([-1, 0, 1]);
    expect(await found(await newKey(), now, current - 1n)).toEqual([0, 1]);
    expect(await found(await newKey(), now, current)).toEqual([1]);
    expect(await found(await newKey(), now, current + 1n)).toEqual([]);
  });

  test('rejects all codes from when the clock is set back until it catches up', async () => {
    const now = 1_700_000_010;
    const used = BigInt(now / 30);
    for (const back of [60, 300, 86_400]) expect(await found(await newKey(), now - back, used)).toEqual([]);
    expect(await found(await newKey(), now + 30, used)).toEqual([0, 1]);
  });
});

test('generates keys with 160 random bits', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, newKey));
  expect(new Set(keys).size).toBe(50);
  for (const key of keys) expect(key).toMatch(/^[A-Z2-7]{32}$/);
});

test('names the site and account in the setup link and returns the QR code as a PNG', async () => {
  const key = await newKey();
  const setup = await setupOf(key, { brand: 'Bets: & more', account: 'a+b@mail.example' });
  const url = new URL(setup.otpauthUrl);
  expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(url.pathname)).toBe('/Bets  & more:a+b@mail.example');
  expect(Object.fromEntries(url.searchParams)).toEqual({ secret: key, issuer: 'Bets  & more' });
  const [head, data] = setup.qrDataUrl.split(',');
  expect(head).toBe('data:image/png;base64');
  expect(Buffer.from(data!, 'base64').subarray(1, 4).toString()).toBe('PNG');
});
