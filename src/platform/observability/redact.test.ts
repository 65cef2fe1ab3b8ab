import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMsOf } from '../../../test/kit/processes/cpu.ts';
import { redact, redactText } from './redact.ts';

const CANARY = 'c4n4ryc4n4ryc4n4ryc4n4ry';

describe('secrets by name', () => {
  const names =
    `password passwd newPassword current_password passcode passPhrase passwordHash secret mfaSecret clientSecret
    token accessToken refresh-token x-captcha-token csrf_token recoveryCode recoveryCodes mfaCode mfa_code totp otp
    authorization Authorization cookie set-cookie credentials key apiKey api_key x-api-key privateKey serverSeed nextServerSeed
    jwt signature hash connectionString databaseUrl DATABASE_URL SMTP_URL JWT_SECRET`.split(/\s+/);

  test.each(names)('redacts the field %s at any depth', (name) => {
    for (const value of [CANARY, 12345, [CANARY], { a: CANARY }]) {
      const given = { a: [{ b: { [name]: value, other: 'stays' } }] };
      expect(redact(given)).toEqual({ a: [{ b: { [name]: '[redacted]', other: 'stays' } }] });
    }
  });

  test('keeps booleans about secrets, and fields with merely similar names', () => {
    const given = { password: '', secret: null, hasPassword: true, token: undefined };
    expect(redact(given)).toEqual(given);
    const plain = {
      txHash: 'ab12',
      transaction_hash: 'cd',
      blockHash: 'ef',
      captchaSiteKey: 'pk',
      keyboard: 'x',
      code: 'COMMON',
      cookieDays: 30,
      cookie_days: 30,
    };
    expect(redact(plain)).toEqual(plain);
  });
});

describe('secrets by format', () => {
  const texts = [
    `Bearer ${CANARY}`,
    `authorization: bearer ${CANARY}==`,
    `Basic ${CANARY}`,
    `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`,
    `otpauth://totp/Croupier:me?secret=${CANARY}&issuer=Croupier`,
    `data:image/png;base64,${CANARY}+/=`,
    `data:text/html,${CANARY}`,
    `ck_${CANARY}${CANARY}`,
    `postgres://croupier:${CANARY}@db.internal:5432/casino`,
    `https://:${CANARY}@site.example/x`,
    `/reset?token=${CANARY}`,
    `https://site.example/cb?code=${CANARY}&state=${CANARY}#access_token=${CANARY}`,
    `?x-api-key=${CANARY}`,
    `{"password":"${CANARY}"}`,
    `password: ${CANARY}`,
    `client_secret=${CANARY}`,
    `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`,
    `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}`,
  ];

  test.each(texts)('redacts %j', (text) => {
    for (const shown of [
      redactText(text),
      redactText(`before ${text} after`),
      JSON.stringify(redact({ note: [text] })),
    ]) {
      expect(shown).not.toContain(CANARY);
      expect(shown).toContain('[redacted]');
    }
  });

  test('keeps ordinary words unredacted', () => {
    for (const text of [
      'asked twice, was refused; see https://site.example/help?page=2#top',
      'user@mail.example wrote: the data are wrong, bearer of bad news',
      'ck_short, key value, 10:30, a:b@c',
    ])
      expect(redactText(text)).toBe(text);
  });
});

test('returns small JSON that can be stored, for any input', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const odd = [
    circle,
    {
      when: new Date(Number.NaN),
      at: new Date(0),
      big: 10n ** 30n,
      f: () => 1,
      s: Symbol('x'),
      bytes: Buffer.alloc(70_000),
    },
    new Error('failed with Bearer abcdefghijkl'),
    Array.from({ length: 5000 }, (_, i) => i),
    Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])),
  ];
  for (const value of odd) {
    const text = JSON.stringify(redact({ value }));
    expect(text.length).toBeLessThan(6000);
    expect(text).not.toContain('abcdefghijkl');
  }
  const half = `${'x'.repeat(499)}🎲`;
  expect(redactText(half).isWellFormed()).toBe(true);
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 1200 }), (value, text) => {
      const shown = JSON.stringify(redact({ value, text: text.toWellFormed() }));
      expect(shown.isWellFormed() && !/\\ud[89a-f]/.test(shown.replace(/\\ud[89ab]..\\ud[c-f]../g, ''))).toBe(
        true,
      );
    }),
    { seed: 38, numRuns: 200 },
  );
});

test('redacts adversarial text quickly', () => {
  for (const piece of ['a:', '-----BEGIN ', 'data:a/a', '?token', 'eyJ', 'x://a:', 'password ', '=', 'a@']) {
    const text = piece.repeat(8000);
    expect(
      cpuMsOf(() => redactText(text, 8000)),
      piece,
    ).toBeLessThan(200);
  }
});
