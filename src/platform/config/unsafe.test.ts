import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';
import { isGuessable } from './guessable.ts';

const secret = () => randomBytes(32).toString('hex');
const DEPLOYED = {
  DATABASE_URL: 'postgres://croupier:pa55@db.example/casino?sslmode=verify-full',
  JWT_SECRET: secret(),
  SEED_SECRET: secret(),
  DATA_SECRET: secret(),
  METRICS_TOKEN: secret(),
  CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
  CAPTCHA_SECRET: 'the real one',
  SITE_ORIGINS: 'https://play.example',
  PUBLIC_API_URL: 'https://api.play.example',
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'Play <no-reply@play.example>',
};
type Env = Record<string, string | undefined>;

function problemsOf(env: Env): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message
      .split('\n')
      .filter((line) => line.startsWith('  - '))
      .map((line) => line.slice(4));
  }
}
/** Expects both environments to reject the changes with a one-line error that begins with the setting's name and hides its value. */
function expectRefused(changes: Record<string, string>, name = Object.keys(changes)[0]!) {
  for (const APP_ENV of ['staging', 'production']) {
    const problems = problemsOf({ ...DEPLOYED, ...changes, APP_ENV });
    expect(problems, JSON.stringify(changes)).toEqual([expect.stringMatching(new RegExp(`^${name}\\b`))]);
    for (const value of Object.values(changes))
      if (value.length > 12) expect(problems[0]).not.toContain(value);
  }
}
function expectAccepted(changes: Record<string, string>) {
  for (const APP_ENV of ['staging', 'production'])
    expect(problemsOf({ ...DEPLOYED, ...changes, APP_ENV }), JSON.stringify(changes)).toEqual([]);
}

describe('connections without TLS that carry payments or passwords', () => {
  test.each([
    ['SITE_ORIGINS', 'http://play.example'],
    ['SITE_ORIGINS', 'https://play.example,http://admin.example'],
    ['PUBLIC_API_URL', 'http://api.play.example'],
    ['FILES_URL', 'http://cdn.example'],
    ['SKINS_API_URL', 'http://skins.example'],
    ['CRM_URL', 'http://crm.example/events'],
    ['S3_ENDPOINT', 'http://minio.example'],
    ['CAPTCHA_VERIFY_URL', 'http://captcha.example'],
    ['DATABASE_URL', 'postgres://croupier:pa55@db.example/casino'],
    ['DATABASE_URL', 'postgres://croupier:pa55@db.example/casino?sslmode=prefer'],
    ['DATABASE_URL', 'postgres://croupier:pa55@127.0.0.1/casino?host=db.example'],
    ['DATABASE_READ_URL', 'postgres://croupier:pa55@replica.example/casino'],
    ['REDIS_URL', 'redis://redis.example:6379'],
    ['BROKER_URL', 'amqp://croupier:pa55@mq.example'],
    ['SMTP_URL', 'smtp://mail.example:587'],
    ['SMTP_URL', 'smtp://user:pa55@localhost.evil.example'],
    ['SMTP_URL', 'smtp://127.0.0.1.evil.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.example:4318'],
  ])('rejects a connection without TLS for %s = %s', (name, value) => {
    const more: Env =
      name === 'SKINS_API_URL'
        ? { SKINS_WEBHOOK_SECRETS: secret() }
        : name === 'CRM_URL'
          ? { CRM_SECRET: secret() }
          : {};
    expectRefused({ [name]: value, ...(more as Record<string, string>) }, name);
  });
  test('rejects a page that is served over http', () => {
    const env = { ...DEPLOYED, APP_ENV: 'staging', SITE_URL: 'http://play.example/app' };
    expect(problemsOf(env)).toContainEqual(expect.stringMatching(/^SITE_URL needs https/));
  });

  test.each([
    ['SMTP_URL', 'smtp://127.0.0.1:25'],
    ['SMTP_URL', 'smtp://localhost'],
    ['SMTP_URL', 'smtp://[::1]:25'],
    ['SMTP_URL', 'smtp://user:pa55@mail.example:587?requireTLS=true'],
    ['DATABASE_URL', 'postgres://croupier:pa55@127.0.0.1/casino'],
    ['DATABASE_URL', 'postgres:///casino?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres://croupier@/casino?host=/var/run/postgresql&port=5432'],
    ['DATABASE_URL', 'postgresql://croupier:pa55@db.example/casino?sslmode=require'],
    ['REDIS_URL', 'rediss://redis.example'],
    ['REDIS_URL', 'redis://127.0.0.1:6379'],
    ['BROKER_URL', 'amqps://croupier:pa55@mq.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318'],
  ])('accepts a connection without TLS for %s = %s', (name, value) => expectAccepted({ [name]: value }));

  test('accepts hosts declared as private without TLS, but does not accept pages without TLS', () => {
    const plain = {
      DATABASE_URL: 'postgres://croupier:pa55@database:5432/casino',
      REDIS_URL: 'redis://redis:6379',
      BROKER_URL: 'amqp://croupier:pa55@rabbitmq',
      SMTP_URL: 'smtp://relay.internal',
    };
    expect(problemsOf({ ...DEPLOYED, ...plain, APP_ENV: 'production' })).toHaveLength(4);
    expectAccepted({ ...plain, PLAINTEXT_HOSTS: 'database, redis,rabbitmq,relay.internal' });
    expectRefused({ PUBLIC_API_URL: 'http://api.play.example', PLAINTEXT_HOSTS: 'api.play.example' });
  });
});

describe('known secrets', () => {
  test.each([
    'abcdefghijklmnopqrstuvwxyz012345',
    'abcdef1234567890abcdef1234567890ab',
    'zyxwvutsrqponmlkjihgfedcba987654',
    'aabbccddeeffgghhiijjkkllmmnnoopp',
    'qwertyuiopasdfghjklzxcvbnm123456',
    'change-me-please-change-me-please-now',
    'correct-horse-battery-staple-correct',
    'CorrectHorseBatteryStapleCorrect42',
    'my-jwt-key-of-9f3a71-is-very-secret',
    'MySuperJwtKeyForSigningTokens2024',
    'THE QUICK BROWN FOX JUMPS OVER THE DOG',
  ])('treats %s as a known secret', (value) => {
    expect(isGuessable(value)).toBe(true);
    expectRefused({ JWT_SECRET: value });
  });

  test('does not treat random text as a known secret', () => {
    let taken = 0;
    for (let i = 0; i < 20_000; i++)
      if (isGuessable(randomBytes(i % 2 ? 32 : 24).toString(i % 3 ? 'hex' : 'base64url'))) taken++;
    expect(taken).toBeLessThan(2);
  });

  test("rejects a known secret as the CRM's key or signing secret", () => {
    expectRefused({ CRM_API_KEY: 'sandbox-crm-key' });
    expectRefused({ CRM_API_KEY: secret(), CRM_API_KEY_PREVIOUS: 'the-former-key' }, 'CRM_API_KEY_PREVIOUS');
    expectRefused({ CRM_API_KEY: DEPLOYED.JWT_SECRET }, 'JWT_SECRET');
    expectRefused({ CRM_URL: 'https://crm.example/events' }, 'CRM_SECRET');
    expectRefused({ CRM_URL: 'https://crm.example/events', CRM_SECRET: 'croupier-crm-2026' }, 'CRM_SECRET');
    for (const name of ['CRM_API_KEY', 'CRM_API_KEY_PREVIOUS']) {
      const both = secret();
      const keys = { CRM_API_KEY: secret(), [name]: both };
      expectRefused({ ...keys, CRM_SECRET: both, CRM_URL: 'https://crm.example/events' }, 'CRM_SECRET');
    }
    for (const url of ['ftp://crm.example', 'crm.example', 'javascript:alert(1)'])
      expectRefused({ CRM_URL: url, CRM_SECRET: secret() });
    const keys = { CRM_API_KEY: secret(), CRM_API_KEY_PREVIOUS: secret() };
    expectAccepted({ ...keys, CRM_URL: 'https://crm.example/events', CRM_SECRET: secret() });
    expectAccepted({ CRM_URL: 'http://crm.internal', CRM_SECRET: secret(), PLAINTEXT_HOSTS: 'crm.internal' });
    expectAccepted({});
  });

  test('rejects a secret that serves two purposes', () => {
    expectRefused({ SEED_SECRET: DEPLOYED.JWT_SECRET }, 'JWT_SECRET');
    expectRefused({ JWT_SECRET_PREVIOUS: DEPLOYED.SEED_SECRET });
    expectAccepted({ JWT_SECRET_PREVIOUS: secret() });
    expectRefused({ METRICS_TOKEN: DEPLOYED.DATA_SECRET }, 'DATA_SECRET');
    expectRefused({ CAPTCHA_SECRET: DEPLOYED.JWT_SECRET }, 'JWT_SECRET');
  });

  test('rejects example passwords and captcha test keys', () => {
    expectRefused({ DATABASE_URL: 'postgres://croupier:change-me@127.0.0.1:5432/casino' });
    expectRefused({ SMTP_URL: 'smtps://user:password@mail.casino.example' });
    for (const key of [
      '1x0000000000000000000000000000000AA',
      '0x0000000000000000000000000000000000000000',
      '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe',
    ])
      expectRefused({ CAPTCHA_SECRET: key });
  });

  test('accepts known secrets for a payment sandbox in staging but not in production', () => {
    const sandbox = { NOWPAYMENTS_API_URL: 'https://api-sandbox.nowpayments.io' };
    expect(problemsOf({ ...DEPLOYED, ...sandbox, APP_ENV: 'staging' })).toEqual([]);
    expect(problemsOf({ ...DEPLOYED, ...sandbox, APP_ENV: 'production' })).toEqual([
      expect.stringMatching(/^NOWPAYMENTS_API_URL\b/),
    ]);
  });
});

describe('reports', () => {
  test('lists malformed, conflicting and unsafe settings together in plain words', () => {
    const problems = problemsOf({
      ...DEPLOYED,
      APP_ENV: 'production',
      PORT: 'http',
      LOG_LEVEL: 'loud',
      SMTP_URL: 'smtp://mail.example',
      JWT_SECRET: 'short',
      SITE_ORIGINS: 'https://play.example/',
      PUBLIC_API_URL: 'nowhere',
      IDP_A_SEGMENT: 'steam',
      RATE_LIMIT_AUTH: '-1',
      DATABASE_POOL_SIZE: '1.5',
    });
    const names = problems.map((problem) => problem.split(' ')[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names)).toEqual(
      new Set([
        'PORT',
        'LOG_LEVEL',
        'SMTP_URL',
        'JWT_SECRET',
        'SITE_ORIGINS',
        'PUBLIC_API_URL',
        'IDP_A_SEGMENT',
        'RATE_LIMIT_AUTH',
        'DATABASE_POOL_SIZE',
      ]),
    );
    expect(problems.join('\n')).not.toMatch(/invalid|expected|received|undefined|NaN|zod/i);
    for (const problem of problems) expect(problem).toMatch(/^[A-Z0-9_]+ .*needs?\b/);
  });

  test('reports no unsafe settings in local or test', () => {
    for (const APP_ENV of ['local', 'test'])
      expect(problemsOf({ APP_ENV, SMTP_URL: 'smtp://mail.example', JWT_SECRET: 'x'.repeat(32) })).toEqual(
        [],
      );
  });
});
