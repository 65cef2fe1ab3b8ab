import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { redact } from '../../observability/redact.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { SANDBOX_PRIVATE_KEY, SANDBOX_PUBLIC_KEY } from './sandbox-game-providers.ts';

const secret = () => randomBytes(32).toString('hex');
const DEPLOYED = {
  APP_ENV: 'production',
  DATABASE_URL: 'postgres://croupier:pa55@db.example/casino?sslmode=verify-full',
  JWT_SECRET: secret(),
  SEED_SECRET: secret(),
  DATA_SECRET: secret(),
  CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
  CAPTCHA_SECRET: 'the real one',
  SITE_ORIGINS: 'https://play.example',
  PUBLIC_API_URL: 'https://api.play.example',
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'Play <no-reply@play.example>',
};
const OWN = secret();
const provider = (change: object = {}) => ({
  slug: 'acme',
  name: 'Acme',
  dialect: 'softswiss',
  apiUrl: 'https://api.acme.example/v2/',
  operatorId: 'casino',
  secrets: [OWN],
  currencies: [{ ours: 'BTC', code: 'MBT', factor: '0.001', decimals: 5 }],
  launchOrigins: ['https://play.acme.example'],
  ...change,
});
const load = (given: unknown, env: object = {}) =>
  loadConfig({
    ...DEPLOYED,
    ...env,
    GAME_PROVIDERS: typeof given === 'string' ? given : JSON.stringify(given),
  });
/** Returns the lines of the error. */
function problemsOf(given: unknown, env: object = {}): string[] {
  try {
    load(given, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('  - '));
  }
  return [];
}

test('configures a sandbox provider in each dialect by default in development, and none elsewhere', () => {
  const { GAME_PROVIDERS } = loadConfig({ SANDBOX_PORT: '4001' });
  expect(GAME_PROVIDERS.map(({ slug, dialect, apiUrl }) => [slug, dialect, apiUrl])).toEqual([
    ['sandbox', 'generic', 'http://127.0.0.1:4001/games/generic'],
    ['sandbox-hub88', 'hub88', 'http://127.0.0.1:4001/games/hub88'],
    ['sandbox-softswiss', 'softswiss', 'http://127.0.0.1:4001/games/softswiss'],
    ['sandbox-pragmatic', 'pragmatic', 'http://127.0.0.1:4001/games/pragmatic'],
  ]);
  expect(loadConfig(DEPLOYED).GAME_PROVIDERS).toEqual([]);
  expect(load([]).GAME_PROVIDERS).toEqual([]);
});

test('fills in defaults for omitted fields', () => {
  expect(load([provider()]).GAME_PROVIDERS).toEqual([
    {
      ...provider(),
      apiUrl: 'https://api.acme.example/v2',
      publicKeys: [],
      blockedCountries: [],
      endRound: true,
      feePercent: '0',
    },
  ]);
  const plain = load([provider({ currencies: [{ ours: 'EUR', code: 'EUR', decimals: 2 }] })]);
  expect(plain.GAME_PROVIDERS[0]!.currencies[0]!.factor).toBe('1');
});

describe('reports of invalid values, which never show the value', () => {
  const currency = { ours: 'EUR', code: 'EUR', decimals: 2 };
  test.each([
    ['{', /needs to be JSON/],
    [{}, /expected array/],
    [[provider({ slug: 'Acme' })], /0\.slug: needs small letters/],
    [[provider({ slug: 'house' })], /0\.slug: is a name that is taken/],
    [[provider(), provider()], /needs each slug once/],
    [[provider({ dialect: 'other' })], /0\.dialect: /],
    [[provider({ apiUrl: 'ftp://x.example' })], /0\.apiUrl: /],
    [[provider({ secrets: [] })], /0\.secrets: needs at least one secret/],
    [[provider({ more: 1 })], /0: Unrecognized key/],
    [[provider({ currencies: [] })], /0\.currencies: /],
    [[provider({ currencies: [currency, currency] })], /0\.currencies: needs each `ours` once/],
    [
      [provider({ currencies: [{ ...currency, factor: '0' }] })],
      /0\.currencies\.0\.factor: needs a decimal number/,
    ],
    [[provider({ currencies: [{ ...currency, factor: '1e3' }] })], /0\.currencies\.0\.factor: needs/],
    [
      [provider({ dialect: 'pragmatic', currencies: [{ ...currency, decimals: 3 }] })],
      /needs at most 2 decimals/,
    ],
    [
      [
        provider({
          dialect: 'pragmatic',
          currencies: [currency, { ours: 'BTC', code: 'B', factor: '0.001', decimals: 2 }],
        }),
      ],
      /needs one factor for all/,
    ],
    [[provider({ launchOrigins: [] })], /0\.launchOrigins: /],
    [[provider({ launchOrigins: ['https://play.acme.example/x'] })], /0\.launchOrigins\.0: needs an origin/],
    [[provider({ blockedCountries: ['de'] })], /0\.blockedCountries\.0: needs codes/],
    [[provider({ dialect: 'hub88' })], /0\.publicKeys: needs the supplier's public key/],
    [[provider({ dialect: 'hub88', publicKeys: ['nonsense'] })], /0\.publicKeys\.0: needs an RSA public key/],
    [[provider({ dialect: 'hub88', privateKey: 'nonsense' })], /0\.privateKey: needs an RSA private key/],
  ])('%j', (given, problem) => {
    const problems = problemsOf(given);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^ {2}- GAME_PROVIDERS /);
    expect(problems[0]).toMatch(problem);
    expect(problems[0]).not.toContain(OWN);
  });
});

describe('settings in production', () => {
  test.each([
    [provider({ secrets: ['sandbox-games-secret'] }), /which everybody knows/],
    [
      provider({
        dialect: 'hub88',
        publicKeys: [SANDBOX_PUBLIC_KEY.trim()],
        privateKey: SANDBOX_PRIVATE_KEY,
      }),
      /which everybody knows/,
    ],
    [provider({ secrets: [OWN, 'short'] }), /at least 16 characters/],
    [
      provider({
        dialect: 'pragmatic',
        secrets: ['testKey'],
        currencies: [{ ours: 'A', code: 'A', decimals: 2 }],
      }),
      /at least 8/,
    ],
    [provider({ secrets: [DEPLOYED.JWT_SECRET] }), /one secret has one purpose/],
    [provider({ apiUrl: 'http://api.acme.example' }), /needs https outside/],
    [provider({ reportUrl: 'http://api.acme.example' }), /needs https outside/],
    [provider({ launchOrigins: ['http://play.acme.example'] }), /needs https in launchOrigins/],
  ])('rejects %j', (one, problem) => {
    const problems = problemsOf([one]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^ {2}- GAME_PROVIDERS: acme /);
    expect(problems[0]).toMatch(problem);
    expect(problemsOf([one], { APP_ENV: 'test' })).toEqual([]);
  });

  test('allows a provider on a private network without TLS', () => {
    const near = provider({ apiUrl: 'http://aggregator.internal' });
    expect(problemsOf([near], { PLAINTEXT_HOSTS: 'aggregator.internal' })).toEqual([]);
  });
});

test('never prints secrets or keys', () => {
  const printed = JSON.stringify(redact({ config: load([provider()]), sandbox: loadConfig({}) }));
  expect(printed).not.toContain(OWN);
  for (const known of ['sandbox-games-secret', 'MIIEvQIBADAN']) expect(printed).not.toContain(known);
});
