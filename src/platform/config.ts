import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * Every setting of the platform: environment variable, form, default, meaning. `docs/configuration.md` is generated
 * from this list (`npm run docs`) and `loadConfig` reads nothing else.
 */
const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback);
const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((v) => v === 'true');
const secret = z.string().min(32, 'needs at least 32 characters').optional();
const list = z
  .string()
  .default('')
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter(Boolean),
  );

export const settings = {
  APP_ENV: setting(
    'Running',
    z.enum(['local', 'test', 'staging', 'production']).default('local'),
    'Where this runs. `local` binds every listener to 127.0.0.1; debug routes exist in `local` and `test` only.',
  ),
  HOST: setting(
    'Running',
    z.string().optional(),
    'Address to listen on. Default: 127.0.0.1 in `local` and `test`, else 0.0.0.0.',
  ),
  PORT: setting('Running', port(3000), 'Main API.'),
  BACKOFFICE_PORT: setting('Running', port(3001), 'Backoffice.'),
  REALTIME_PORT: setting('Running', port(3002), 'Realtime application.'),
  WORKER_PORT: setting('Running', port(3003), 'Health and metrics of the worker.'),
  SANDBOX_PORT: setting('Running', port(3900), 'Sandbox of outside services (`local` and `test` only).'),
  DATA_DIR: setting(
    'Running',
    z.string().default('.data'),
    'Where the embedded database and local secrets live.',
  ),
  LOG_LEVEL: setting(
    'Running',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'Least severe level that is logged.',
  ),
  SHUTDOWN_MS: setting('Running', count(8000), 'How long requests in flight may take after SIGTERM.'),
  COMMIT: setting(
    'Running',
    z.string().default('unknown'),
    'Commit that was deployed, shown by `GET /version`.',
  ),
  TRUSTED_PROXIES: setting(
    'Running',
    list,
    "Comma-separated addresses or CIDR ranges whose X-Forwarded-For is believed. Empty: nobody's.",
  ),
  METRICS_TOKEN: setting(
    'Running',
    z.string().min(16).optional(),
    'Bearer token that `GET /metrics` asks for. Without it metrics are answered to the loopback address only.',
    true,
  ),

  DATABASE_URL: setting(
    'Database',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'needs to start with postgres://')
      .optional(),
    'Any PostgreSQL 15 or newer. Absent: a real PostgreSQL from npm, with its data in DATA_DIR.',
    true,
  ),
  DATABASE_POOL_SIZE: setting('Database', count(16), 'Connections of the general pool of each process.'),
  DATABASE_CONNECT_TIMEOUT_MS: setting(
    'Database',
    count(2000),
    'Longest wait for a connection of the pool; then 503.',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: setting('Database', count(2500), 'Longest run of one statement; then 503.'),
  ALLOW_UNSAFE_DATABASE: setting(
    'Database',
    flag(false),
    'Start although fsync, full_page_writes or synchronous_commit is off. Refused outside `test`.',
  ),

  SITE_ORIGINS: setting(
    'Web',
    list,
    "Comma-separated origins of the front ends (`https://example.com`). Only they may send cookies. Empty in `local` and `test`: the services' own origins.",
  ),
  BODY_LIMIT_BYTES: setting('Web', count(64 * 1024), 'Largest JSON body.'),
  HEADERS_TIMEOUT_MS: setting('Web', count(5000), 'A client has this long to send its headers.'),
  REQUEST_TIMEOUT_MS: setting(
    'Web',
    count(9000),
    'A client has this long to send the whole request. Must be above HEADERS_TIMEOUT_MS.',
  ),
  RATE_LIMIT_AUTH: setting(
    'Web',
    count(30, 0),
    'Requests a minute and address to sign-up, sign-in and refresh. 0: no limit.',
  ),
  RATE_LIMIT_MONEY: setting('Web', count(1200, 0), 'Money-moving requests a minute and player. 0: no limit.'),
  RATE_LIMIT_READ: setting('Web', count(1200, 0), 'Other requests a minute and player. 0: no limit.'),
  RATE_LIMIT_PUBLIC: setting('Web', count(600, 0), 'Anonymous requests a minute and address. 0: no limit.'),

  JWT_SECRET: setting(
    'Accounts',
    secret,
    'Signs access and socket tokens. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  SEED_SECRET: setting(
    'Accounts',
    secret,
    'Encrypts server seeds that are not revealed yet. Absent in `local` and `test`: made once and kept in DATA_DIR.',
    true,
  ),
  ACCESS_TOKEN_SECONDS: setting('Accounts', count(900), 'Life of access and socket tokens.'),
  REFRESH_TOKEN_DAYS: setting('Accounts', count(30), 'Life of a session after its last refresh.'),
  REFRESH_GRACE_MS: setting(
    'Accounts',
    count(10_000),
    'A refresh token replayed within this time answers 409; later it ends the session.',
  ),
  PASSWORD_HASHES_AT_ONCE: setting('Accounts', count(2), 'Passwords hashed at the same time in one process.'),
  PASSWORD_HASH_QUEUE: setting('Accounts', count(64), 'Passwords waiting to be hashed; beyond it 503.'),
  CAPTCHA_LOCAL_TOKEN: setting(
    'Accounts',
    z.string().min(1).default('local-captcha'),
    'Accepted as x-captcha-token when APP_ENV is `local`, nowhere else.',
  ),
  CAPTCHA_VERIFY_URL: setting(
    'Accounts',
    z.url().optional(),
    'siteverify endpoint (reCAPTCHA, hCaptcha and Turnstile share the protocol). Default in `local` and `test`: the sandbox.',
  ),
  CAPTCHA_SECRET: setting(
    'Accounts',
    z.string().min(1).default('sandbox-captcha-secret'),
    'Secret sent to the captcha verifier.',
    true,
  ),
  DEBUG_TOKEN: setting(
    'Accounts',
    z.string().min(8).optional(),
    'Asked for by `GET /debug/me/give-admin`. Absent in `local`: `local-debug-token`.',
    true,
  ),

  RATE_SOURCE: setting(
    'Rates',
    z.enum(['fixed', 'coinbase']).default('fixed'),
    'Where exchange rates come from: a fixed table, or the public Coinbase rates.',
  ),
  RATE_SOURCE_URL: setting(
    'Rates',
    z.url().default('https://api.coinbase.com/v2/exchange-rates?currency=USD'),
    'Address of the HTTP source.',
  ),
  RATE_REFRESH_SECONDS: setting('Rates', count(30), 'How often the worker asks the source.'),
  RATE_MAX_AGE_SECONDS: setting(
    'Rates',
    count(300),
    'A rate older than this is stale: shown as such and refused for bets.',
  ),

  BET_LANES: setting(
    'Bets',
    count(1),
    'Database connections that settle bets, each with a queue of its own: fewer make larger batches, which cost less per bet.',
  ),
  // Each bet takes three of the 1024 ids that one transaction reserves.
  BET_BATCH: setting('Bets', count(256, 1, 341), 'Most bets settled in one transaction.'),
  BET_QUEUE: setting('Bets', count(4096), 'Most bets waiting in one lane; beyond it 503 with Retry-After.'),
  BET_DEADLINE_MS: setting(
    'Bets',
    count(2500),
    'A bet that has waited longer for its turn answers 503 and is not made.',
  ),
} satisfies Record<string, Setting>;

type Setting<S extends z.ZodType = z.ZodType> = {
  section: string;
  schema: S;
  meaning: string;
  secret: boolean;
};
function setting<S extends z.ZodType>(
  section: string,
  schema: S,
  meaning: string,
  isSecret = false,
): Setting<S> {
  return { section, schema, meaning, secret: isSecret };
}

type Values = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> };
export type Config = Readonly<
  Values & {
    HOST: string;
    JWT_SECRET: string;
    SEED_SECRET: string;
    isDevelopment: boolean;
    secureCookies: boolean;
  }
>;

/** What is wrong with the environment: one line per setting, naming it and never its value. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join('\n')}\nSee docs/configuration.md.`,
    );
  }
}

/**
 * Reads and checks the environment. `localSecret(name)` gives a secret for development where none is set; it is
 * never called in staging or production.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  localSecret: (name: string, dataDir: string) => string = () => randomBytes(32).toString('hex'),
): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(settings)) {
    // Blank is not set: a number would read white space as 0, which switches limits off.
    const given = env[name]?.trim() === '' ? undefined : env[name];
    const parsed = schema.safeParse(given);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return complete(values as Values, localSecret);
}

function complete(values: Values, localSecret: (name: string, dataDir: string) => string): Config {
  const isDevelopment = values.APP_ENV === 'local' || values.APP_ENV === 'test';
  const problems = conflicts(values, isDevelopment);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...values,
    HOST: values.HOST ?? (isDevelopment ? '127.0.0.1' : '0.0.0.0'),
    JWT_SECRET: values.JWT_SECRET ?? localSecret('jwt', values.DATA_DIR),
    SEED_SECRET: values.SEED_SECRET ?? localSecret('seed', values.DATA_DIR),
    DEBUG_TOKEN: values.DEBUG_TOKEN ?? (values.APP_ENV === 'local' ? 'local-debug-token' : undefined),
    CAPTCHA_VERIFY_URL:
      values.CAPTCHA_VERIFY_URL ?? `http://127.0.0.1:${values.SANDBOX_PORT}/captcha/siteverify`,
    isDevelopment,
    secureCookies: values.APP_ENV !== 'local',
  };
}

function conflicts(values: Values, isDevelopment: boolean): string[] {
  const problems: string[] = [];
  if (values.HEADERS_TIMEOUT_MS >= values.REQUEST_TIMEOUT_MS)
    problems.push('HEADERS_TIMEOUT_MS needs to be below REQUEST_TIMEOUT_MS');
  if (values.ALLOW_UNSAFE_DATABASE && values.APP_ENV !== 'test')
    problems.push('ALLOW_UNSAFE_DATABASE is for APP_ENV=test only');
  if (values.APP_ENV === 'local' && values.HOST && !['127.0.0.1', 'localhost', '::1'].includes(values.HOST)) {
    problems.push(
      'HOST needs to be 127.0.0.1 while APP_ENV is local: set APP_ENV before opening the services to a network',
    );
  }
  if (!values.SITE_ORIGINS.every(isOrigin))
    problems.push('SITE_ORIGINS needs origins such as https://example.com: no path, no wildcard');
  if (!values.TRUSTED_PROXIES.every(isNetwork))
    problems.push('TRUSTED_PROXIES needs addresses or CIDR ranges, and no range that holds everybody');
  if (isDevelopment) return problems;
  for (const name of ['JWT_SECRET', 'SEED_SECRET'] as const) {
    const value = values[name];
    if (value === undefined)
      problems.push(`${name} needs to be set outside local and test (for example: openssl rand -hex 32)`);
    else if (isGuessable(value)) problems.push(`${name} is too easy to guess`);
  }
  if (values.JWT_SECRET && values.JWT_SECRET === values.SEED_SECRET)
    problems.push('JWT_SECRET and SEED_SECRET need to differ');
  if (!values.CAPTCHA_VERIFY_URL) problems.push('CAPTCHA_VERIFY_URL needs to be set outside local and test');
  if (values.CAPTCHA_SECRET === 'sandbox-captcha-secret')
    problems.push('CAPTCHA_SECRET still has its default');
  if (values.DEBUG_TOKEN) problems.push('DEBUG_TOKEN is for local and test only');
  if (!values.DATABASE_URL) problems.push('DATABASE_URL needs to be set outside local and test');
  if (values.SITE_ORIGINS.length === 0)
    problems.push('SITE_ORIGINS needs at least one origin outside local and test');
  return problems;
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Few different characters, or a short piece over and over. */
function isGuessable(secret: string): boolean {
  return new Set(secret).size < 10 || /^(.{1,16}?)\1+.{0,15}$/.test(secret);
}
