import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { redact } from '../observability/redact.ts';
import { ConfigError, loadConfig } from './config.ts';
import { settings } from './sections.ts';

const JWT = '8f1d0c5b7a6e4932b1c0d9e8f7a6b5c4d3e2f1a0';
const SEED = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5';
/** All settings that staging and production require. */
const DEPLOYED = {
  APP_ENV: 'production',
  DATABASE_URL: 'postgres://croupier:pa55@db.example/croupier?sslmode=verify-full',
  JWT_SECRET: JWT,
  SEED_SECRET: SEED,
  CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
  CAPTCHA_SECRET: 'the real one',
  SITE_ORIGINS: 'https://play.example, https://admin.example:8443',
  DATA_SECRET: 'c4d5e6f708192a3b4c5d1a2b3c4d5e6f708192a3b',
  PUBLIC_API_URL: 'https://api.play.example/',
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'Play <no-reply@play.example>',
};
type Env = Record<string, string | undefined>;

/** Returns the lines of the error. Fails if the environment is accepted. */
function problemsOf(env: Env): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('  - '));
  }
  throw new Error('was accepted');
}

/** Expects exactly one problem, which begins with the setting's name and does not show its value. */
function expectRefused(env: Env, name: string): void {
  const problems = problemsOf(env);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^  - ${name}\\b`));
  const value = env[name];
  if (value && value.length > 4) expect(problems.join('\n')).not.toContain(value);
}

describe('settings for staging and production', () => {
  test.each(['staging', 'production'])('accepts complete settings in %s', (APP_ENV) => {
    const config = loadConfig({ ...DEPLOYED, APP_ENV }, () => {
      throw new Error('no secret is ever made up there');
    });
    expect(config).toMatchObject({
      HOST: '0.0.0.0',
      isDevelopment: false,
      secureCookies: true,
      JWT_SECRET: JWT,
    });
    expect(config.SITE_ORIGINS).toEqual(['https://play.example', 'https://admin.example:8443']);
    expect(config.DEBUG_TOKEN).toBeUndefined();
    expect(config).toMatchObject({
      STAFF_MFA_REQUIRED: true,
      BOT_ACTIVITY: 'off',
      SITE_URL: 'https://play.example',
      FILES_URL: 'https://api.play.example/files',
      API_REFERENCE: 'off',
      siteOrigins: [...config.SITE_ORIGINS, 'https://api.play.example'],
      OIDC_ISSUER: undefined,
      OPENID_ENDPOINT: undefined,
    });
  });

  test.each([
    'JWT_SECRET',
    'SEED_SECRET',
    'DATA_SECRET',
    'PUBLIC_API_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'CAPTCHA_VERIFY_URL',
    'CAPTCHA_SECRET',
    'DATABASE_URL',
    'SITE_ORIGINS',
  ])('requires %s in staging and production', (name) => {
    for (const APP_ENV of ['staging', 'production']) {
      for (const value of [undefined, '', ' ']) expectRefused({ ...DEPLOYED, APP_ENV, [name]: value }, name);
    }
  });

  test.each(
    `short ${JWT.slice(0, 31)} ${'x'.repeat(64)} ${'changeme'.repeat(6)} ${'ab'.repeat(20)} ${'0123456789abcdef'.repeat(3)}
    ${'0123456789abcdef'.repeat(2)}0123 ${'1234567890abcde'.repeat(2)}123456789 111111111122222222223333333333444`.split(
      /\s+/,
    ),
  )('reject a secret like %s', (value) => {
    expectRefused({ ...DEPLOYED, JWT_SECRET: value }, 'JWT_SECRET');
    expectRefused({ ...DEPLOYED, SEED_SECRET: value }, 'SEED_SECRET');
  });

  test('accepts a random secret, whatever its prefix', () => {
    for (let i = 0; i < 2000; i++) {
      const JWT_SECRET = randomBytes(i % 2 ? 32 : 24).toString(i % 3 ? 'hex' : 'base64url');
      if (JWT_SECRET.length >= 32)
        expect(loadConfig({ ...DEPLOYED, JWT_SECRET }).JWT_SECRET).toBe(JWT_SECRET);
    }
  });

  test('rejects shared secrets, the default captcha and a debug token', () => {
    expectRefused({ ...DEPLOYED, SEED_SECRET: JWT }, 'JWT_SECRET');
    expectRefused({ ...DEPLOYED, DATA_SECRET: SEED }, 'JWT_SECRET');
    expectRefused({ ...DEPLOYED, OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_SECRET');
    const client = { OIDC_CLIENT_SECRET: 'a secret of the provider' };
    expectRefused({ ...DEPLOYED, ...client, OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER');
    const platform = {
      OPENID_ENDPOINT: 'http://play.example',
      OPENID_CLAIMED_ID: 'https://play.example/id/',
    };
    expectRefused({ ...DEPLOYED, ...platform }, 'OPENID_ENDPOINT');
    const usual = settings.CAPTCHA_SECRET.parse(undefined);
    expectRefused({ ...DEPLOYED, CAPTCHA_SECRET: usual }, 'CAPTCHA_SECRET');
    expectRefused({ ...DEPLOYED, DEBUG_TOKEN: 'a-debug-token' }, 'DEBUG_TOKEN');
    expectRefused({ ...DEPLOYED, ALLOW_UNSAFE_DATABASE: 'true' }, 'ALLOW_UNSAFE_DATABASE');
  });

  test('rejects addresses that browsers cannot reach', () => {
    for (const PUBLIC_API_URL of ['https://play.example/api', 'http://api.play.example'])
      expectRefused({ ...DEPLOYED, PUBLIC_API_URL }, 'PUBLIC_API_URL');
    for (const SITE_URL of ['ftp://play.example', 'https://play.example/?a=1'])
      expectRefused({ ...DEPLOYED, SITE_URL }, 'SITE_URL');
    expect(loadConfig({ ...DEPLOYED, SITE_URL: 'https://play.example/app/' }).SITE_URL).toBe(
      'https://play.example/app',
    );
    const local = loadConfig({ SITE_ORIGINS: 'http://localhost:5173' });
    expect(local.SITE_URL).toBe('http://localhost:5173');
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://localhost:3900'])
      expect(local.siteOrigins).toContain(origin);
  });

  test.each(['https:///site.example', 'https://user:word@site.example', 'https://\\site.example'])(
    'rejects the address %s in every setting that contains one',
    (address) => {
      for (const name of ['SITE_URL', 'KYC_API_URL', 'CAPTCHA_VERIFY_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
        expectRefused({ ...DEPLOYED, [name]: address }, name);
    },
  );

  test('reports all problems together', () => {
    const names = problemsOf({ APP_ENV: 'production', DEBUG_TOKEN: 'a-debug-token' }).map(
      (line) => line.split(' ')[3],
    );
    const secrets = ['JWT_SECRET', 'SEED_SECRET', 'DATA_SECRET', 'CAPTCHA_VERIFY_URL', 'CAPTCHA_SECRET'];
    const addresses = ['MAIL_FROM', 'SMTP_URL', 'PUBLIC_API_URL', 'DATABASE_URL', 'SITE_ORIGINS'];
    expect(names).toEqual([...secrets, 'DEBUG_TOKEN', ...addresses]);
  });
});

test('accepts only RabbitMQ as a broker, and never shows its password', () => {
  const url = 'amqps://croupier:br0ker-pa55@mq.example/casino';
  expect(loadConfig({ ...DEPLOYED, BROKER_URL: url }).BROKER_URL).toBe(url);
  expect(loadConfig(DEPLOYED).BROKER_URL).toBeUndefined();
  const [problem] = problemsOf({ ...DEPLOYED, BROKER_URL: 'http://croupier:br0ker-pa55@mq.example' });
  expect(problem).toContain('BROKER_URL');
  expect(problem).not.toContain('br0ker-pa55');
  expect(JSON.stringify(redact({ BROKER_URL: url, text: `connect ${url}` }))).not.toContain('br0ker-pa55');
});

describe('identity provider', () => {
  const SUMSUB = {
    KYC_PROVIDER: 'sumsub',
    KYC_API_KEY: 'app-token-of-sumsub',
    KYC_API_SECRET: 'secret-of-sumsub',
    KYC_WEBHOOK_SECRETS: 'secret-of-notices-0123',
  };

  test('accepts complete settings of an identity provider, including one at a custom address', () => {
    expect(loadConfig({ ...DEPLOYED, ...SUMSUB }).KYC_API_URL).toBe('https://api.sumsub.com');
    const proxied = { ...SUMSUB, KYC_API_URL: 'https://kyc-proxy.example/' };
    expect(loadConfig({ ...DEPLOYED, ...proxied }).KYC_API_URL).toBe('https://kyc-proxy.example');
    expect(loadConfig(DEPLOYED).KYC_API_URL).toBeUndefined();
    expect(loadConfig({}).KYC_API_URL).toBe('http://127.0.0.1:3900/kyc');
  });

  test.each([
    ['KYC_API_KEY', undefined],
    ['KYC_API_SECRET', undefined],
    ['KYC_WEBHOOK_SECRETS', undefined],
    ['KYC_WEBHOOK_SECRETS', 'secret-of-notices-0123,short'],
    ['KYC_API_URL', 'http://api.sumsub.com'],
    ['KYC_LEVELS', 'identity,address'],
    ['KYC_LEVELS', 'identity,address,identity'],
    ['KYC_PROVIDER', 'sandbox'],
  ])('rejects settings of an identity provider with %s = %s', (name, value) => {
    const problems = problemsOf({ ...DEPLOYED, ...SUMSUB, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
  });
});

describe('payment providers', () => {
  const NOWPAYMENTS = {
    PAYMENT_PROVIDER: 'nowpayments',
    NOWPAYMENTS_API_KEY: 'key-of-nowpayments',
    NOWPAYMENTS_EMAIL: 'money@play.example',
    NOWPAYMENTS_PASSWORD: 'password-of-nowpayments',
    NOWPAYMENTS_IPN_SECRETS: 'secret-of-notices-0123',
  };
  const BTCPAY = {
    PAYMENT_PROVIDER: 'btcpay',
    BTCPAY_API_KEY: 'key-of-btcpay',
    BTCPAY_URL: 'https://btcpay.example',
    BTCPAY_WEBHOOK_SECRETS: 'secret-of-notices-4567,secret-of-notices-89ab',
  };

  test('accepts complete settings of a payment provider, with two secrets during a rotation', () => {
    expect(loadConfig({ ...DEPLOYED, ...NOWPAYMENTS }).PAYMENT_API_URL).toBeUndefined();
    expect(loadConfig({ ...DEPLOYED, ...BTCPAY }).BTCPAY_WEBHOOK_SECRETS).toHaveLength(2);
    expect(loadConfig({ ...DEPLOYED, ...NOWPAYMENTS, ...BTCPAY }).PAYMENT_PROVIDER).toBe('btcpay');
  });

  test.each([
    [NOWPAYMENTS, 'NOWPAYMENTS_API_KEY', undefined],
    [NOWPAYMENTS, 'NOWPAYMENTS_EMAIL', undefined],
    [NOWPAYMENTS, 'NOWPAYMENTS_PASSWORD', undefined],
    [NOWPAYMENTS, 'NOWPAYMENTS_TOTP_SECRET', 'not base32!'],
    [NOWPAYMENTS, 'NOWPAYMENTS_IPN_SECRETS', undefined],
    [NOWPAYMENTS, 'NOWPAYMENTS_IPN_SECRETS', 'secret-of-notices-0123,short'],
    [NOWPAYMENTS, 'NOWPAYMENTS_API_URL', 'http://api.nowpayments.io'],
    [NOWPAYMENTS, 'BTCPAY_URL', 'https://btcpay.example'],
    [NOWPAYMENTS, 'PAYMENT_API_URL', 'https://elsewhere.example'],
    [BTCPAY, 'BTCPAY_API_KEY', undefined],
    [BTCPAY, 'BTCPAY_URL', undefined],
    [BTCPAY, 'BTCPAY_URL', 'http://btcpay.example'],
    [BTCPAY, 'BTCPAY_WEBHOOK_SECRETS', 'sandbox-btcpay-webhook-secret'],
    [BTCPAY, 'PAYMENT_PROVIDER', 'sandbox'],
  ])('rejects settings of the payment providers %o with %s = %s', (complete, name, value) => {
    const problems = problemsOf({ ...DEPLOYED, ...complete, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
    if (value && value.length > 8) expect(problems[0]).not.toContain(value);
  });

  test('accepts the sandbox address of a payment provider in development', () => {
    const BTCPAY_URL = 'http://127.0.0.1:3900/payments/btcpay';
    expect(loadConfig({ ...BTCPAY, BTCPAY_URL }).BTCPAY_URL).toBe(BTCPAY_URL);
    expect(problemsOf({ ...BTCPAY, BTCPAY_URL: '' })).toHaveLength(1);
  });
});

describe('settings that are invalid in every environment', () => {
  test.each(['prod', 'Production', 'dev', 'development', 'LOCAL', 'local ', 'null'])(
    'rejects the unknown APP_ENV %s',
    (APP_ENV) => {
      expect(problemsOf({ APP_ENV })).toEqual([expect.stringMatching(/^ {2}- APP_ENV .*"local"/)]);
      expect(problemsOf({ APP_ENV })[0]).not.toContain(`"${APP_ENV}"`);
    },
  );

  test.each(['0.0.0.0', '::', '192.168.1.7', 'example.com', '127.0.0.2'])(
    'rejects HOST %s in local',
    (HOST) => {
      expectRefused({ APP_ENV: 'local', HOST }, 'HOST');
      expectRefused({ HOST }, 'HOST');
    },
  );

  test('accepts ALLOW_UNSAFE_DATABASE only in tests', () => {
    expectRefused({ APP_ENV: 'local', ALLOW_UNSAFE_DATABASE: 'true' }, 'ALLOW_UNSAFE_DATABASE');
    expect(loadConfig({ APP_ENV: 'test', ALLOW_UNSAFE_DATABASE: 'true' }).ALLOW_UNSAFE_DATABASE).toBe(true);
  });

  const INVALID_ORIGINS =
    'null * https://*.example.com https://example.com/ example.org ftp://a.example https://a.example,* https://EXAMPLE.com https://a.example:443';
  test.each(INVALID_ORIGINS.split(' '))(
    'rejects SITE_ORIGINS %s, which matches no origin or every one',
    (SITE_ORIGINS) => {
      expectRefused({ APP_ENV: 'test', SITE_ORIGINS }, 'SITE_ORIGINS');
    },
  );

  const INVALID_PROXIES =
    '0.0.0.0/0 ::/0 true * proxy.example 10.0.0.0/33 ::/129 10.0.0/8 1/2/3 10.0.0.1/ 10.0.0.1,0.0.0.0/0';
  test.each(INVALID_PROXIES.split(' '))(
    'rejects TRUSTED_PROXIES %s, which trusts every address or is no network',
    (TRUSTED_PROXIES) => expectRefused({ APP_ENV: 'test', TRUSTED_PROXIES }, 'TRUSTED_PROXIES'),
  );

  test('accepts networks as trusted proxies', () => {
    const { TRUSTED_PROXIES } = loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1 ,2001:db8::/32,::1,' });
    expect(TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1']);
  });

  test.each(
    `PORT=70000 PORT=http PORT=-1 RATE_LIMIT_AUTH=off RATE_LIMIT_AUTH=-1 RATE_LIMIT_MONEY=1.5 DATABASE_POOL_SIZE=0
    DATABASE_URL=mysql://u:secret-word@h/db JWT_SECRET=a-short-secret-word ALLOW_UNSAFE_DATABASE=yes-please
    SMTP_URL=http://mail.example IDP_A_SEGMENT=steam IDP_B_SEGMENT=a/b S3_ENDPOINT=nowhere STAFF_MFA_REQUIRED=no
    LOG_LEVEL=verbose METRICS_TOKEN=tiny-token CAPTCHA_VERIFY_URL=not-a-url BOT_ACTIVITY=hidden`.split(/\s+/),
  )('rejects %s', (assignment) => {
    const [name, value] = assignment.split('=') as [string, string];
    expectRefused({ [name]: value }, name);
  });

  test('disables bot activity in staging and production unless it is disclosed', () => {
    const of = (env: Record<string, string>) => loadConfig(env).BOT_ACTIVITY;
    expect([of({}), of({ APP_ENV: 'test' }), of({ BOT_ACTIVITY: 'off' })]).toEqual([
      'disclosed',
      'disclosed',
      'off',
    ]);
    expect(of({ ...DEPLOYED, APP_ENV: 'production', BOT_ACTIVITY: 'disclosed' })).toBe('disclosed');
    expect(of({ ...DEPLOYED, APP_ENV: 'staging' })).toBe('off');
  });

  test('rejects a headers timeout that is not below the request timeout', () => {
    expectRefused({ HEADERS_TIMEOUT_MS: '9000', REQUEST_TIMEOUT_MS: '9000' }, 'HEADERS_TIMEOUT_MS');
    expect(loadConfig({ HEADERS_TIMEOUT_MS: '8999', REQUEST_TIMEOUT_MS: '9000' }).HEADERS_TIMEOUT_MS).toBe(
      8999,
    );
  });
});

describe('defaults', () => {
  test('uses the environment local, the loopback address and generated secrets by default', () => {
    const asked: string[] = [];
    const config = loadConfig({}, (name) => `${asked.push(name)} a secret that was made for ${name}`);
    expect(config).toMatchObject({
      APP_ENV: 'local',
      HOST: '127.0.0.1',
      isDevelopment: true,
      secureCookies: false,
    });
    expect(config.DEBUG_TOKEN).toBe('local-debug-token');
    expect(config.TRUSTED_PROXIES).toEqual([]);
    expect(asked).toEqual(['jwt', 'seed', 'data']);
    expect(config.JWT_SECRET).not.toBe(config.SEED_SECRET);
  });

  test('uses the default when a setting is blank, so that a space does not disable a limit', () => {
    for (const blank of ['', ' ', '\t', ' \n']) {
      const config = loadConfig({
        RATE_LIMIT_AUTH: blank,
        RATE_LIMIT_MONEY: blank,
        PORT: blank,
        APP_ENV: blank,
      });
      const { RATE_LIMIT_AUTH, RATE_LIMIT_MONEY, PORT, APP_ENV } = config;
      expect([RATE_LIMIT_AUTH, RATE_LIMIT_MONEY, PORT, APP_ENV]).toEqual([30, 1200, 3000, 'local']);
    }
  });

  test('sets no debug token by default outside local', () => {
    expect(loadConfig({ APP_ENV: 'test' }).DEBUG_TOKEN).toBeUndefined();
    expect(loadConfig({ APP_ENV: 'test', DEBUG_TOKEN: 'test-token' }).DEBUG_TOKEN).toBe('test-token');
  });

  test('marks every setting that is named like a secret as a secret', () => {
    const secrets = Object.entries<z.ZodType>(settings).filter(
      ([name]) => /SECRET|TOKEN$/.test(name) && !/LOCAL/.test(name),
    );
    const names =
      'METRICS_TOKEN JWT_SECRET JWT_SECRET_PREVIOUS SEED_SECRET SEED_SECRET_PREVIOUS CAPTCHA_SECRET DATA_SECRET DATA_SECRET_PREVIOUS DEBUG_TOKEN OIDC_CLIENT_SECRET S3_SECRET_ACCESS_KEY PAYMENT_WEBHOOK_SECRETS NOWPAYMENTS_IPN_SECRETS NOWPAYMENTS_TOTP_SECRET BTCPAY_WEBHOOK_SECRETS SKINS_WEBHOOK_SECRETS KYC_API_SECRET KYC_WEBHOOK_SECRETS CRM_SECRET';
    expect(secrets.map(([name]) => name).join(' ')).toBe(names);
    expect(secrets.every(([, schema]) => schema.meta()?.secret)).toBe(true);
  });
});
