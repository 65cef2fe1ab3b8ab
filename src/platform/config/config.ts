import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { z } from 'zod';
import { isUnder, misfitPasskeys, rpIdOf } from '../net/relying-party.ts';
import { settings, type Values } from './sections.ts';
import type { GameProviderSettings } from './settings/game-providers.ts';
import { sandboxProviders } from './settings/sandbox-game-providers.ts';
import { unsafeIn } from './unsafe.ts';
import { unsafeEnvironment } from './unsafe-environment.ts';

export type Config = Readonly<
  Omit<Values, 'STAFF_MFA_REQUIRED' | 'GAME_PROVIDERS' | 'BOT_ACTIVITY' | 'API_REFERENCE'> & {
    BOT_ACTIVITY: 'off' | 'disclosed';
    API_REFERENCE: 'on' | 'off';
    GAME_PROVIDERS: readonly GameProviderSettings[];
    HOST: string;
    JWT_SECRET: string;
    SEED_SECRET: string;
    DATA_SECRET: string;
    SITE_URL: string;
    PUBLIC_API_URL: string;
    SMTP_URL: string;
    FILES_URL: string;
    REALTIME_URL: string;
    STAFF_MFA_REQUIRED: boolean;
    PASSKEY_RP_ID: string;
    /** Origins of the site whose pages can use passkeys. */
    passkeyOrigins: readonly string[];
    /** Origins that may send cookies: SITE_ORIGINS, the origins of SITE_URL and PUBLIC_API_URL, and the sandbox in development. */
    siteOrigins: readonly string[];
    isDevelopment: boolean;
    secureCookies: boolean;
  }
>;

/**
 * Describes the problems with the environment variables, one line per setting. Each line contains the setting's name but never its value.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join('\n')}\nSee docs/reference/configuration.md.`,
    );
    this.problems = problems;
  }
}

/**
 * Reads and checks the environment. `localSecret(name)` supplies a missing secret in development. It is never called in staging or
 * production.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  localSecret: (name: string, dataDir: string) => string = () => randomBytes(32).toString('hex'),
): Config {
  const { values, refused } = readSettings(env);
  // If APP_ENV is invalid, the required settings are unknown, so they are not checked.
  const more = refused.has('APP_ENV') ? [] : conflicts(values, isDevelopmentIn(values), env);
  // For a rejected setting, `values` contains the default. Conflicts with that default are not reported.
  const others = more.filter((problem) => !refused.has(/^\w+/.exec(problem)?.[0] ?? ''));
  const problems = [...[...refused].map(([name, problem]) => `${name} ${problem}`), ...others];
  if (problems.length > 0) throw new ConfigError(problems);
  return complete(values, localSecret);
}

export type SettingsReport = {
  /** Settings whose values differ from their defaults. The value of a secret is `set`. */
  changed: { name: string; value: string }[];
  /** Settings that loadConfig would reject in production. */
  unsafe: string[];
};

/** Describes the environment without showing secrets, even if loadConfig rejects it. */
export function describeSettings(env: Record<string, string | undefined>): SettingsReport {
  const { values, refused } = readSettings(env);
  const changed = Object.entries<z.ZodType>(settings).flatMap(([name, schema]) => {
    const given = env[name]?.trim();
    const isDefault =
      JSON.stringify(schema.safeParse(undefined).data) === JSON.stringify(values[name as keyof Values]);
    if (!given || (isDefault && !refused.has(name))) return [];
    return [{ name, value: schema.meta()?.secret || refused.has(name) ? 'set' : withoutLogin(given) }];
  });
  return { changed, unsafe: [...unsafeIn(values), ...unsafeEnvironment(values, env)] };
}

/**
 * Replaces the user, the password and the query in addresses. A password that is not percent-encoded may contain `/` and `@`, so everything
 * before the last `@` is replaced.
 */
const withoutLogin = (text: string) => text.replace(/\/\/[^,\s]*@/g, '//…@').replace(/\?[^,\s]+/g, '?…');

/** Returns every setting's value or default. `refused` maps each invalid setting to its problem. */
function readSettings(env: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {};
  const refused = new Map<string, string>();
  for (const [name, schema] of Object.entries<z.ZodType>(settings)) {
    // A blank value is treated as unset. Parsed as a number it would be 0, which disables limits.
    const given = env[name]?.trim() === '' ? undefined : env[name];
    const parsed = schema.safeParse(given);
    if (!parsed.success) refused.set(name, parsed.error.issues.map(wordsFor).join('; '));
    values[name] = parsed.success ? parsed.data : schema.safeParse(undefined).data;
  }
  return { values: values as Values, refused };
}

const isDevelopmentIn = ({ APP_ENV }: Values) => APP_ENV === 'local' || APP_ENV === 'test';

/** Describes the expected value without showing the actual value. */
function wordsFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' || issue.expected === 'int'
        ? 'needs a whole number'
        : 'needs a text';
    case 'too_small':
      return issue.origin === 'string'
        ? issue.message.startsWith('needs')
          ? issue.message
          : `needs at least ${issue.minimum} characters`
        : `needs a number of at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `needs at most ${issue.maximum} characters`
        : `needs a number of at most ${issue.maximum}`;
    case 'invalid_value':
      return `needs to be one of ${issue.values.map((value) => `"${String(value)}"`).join(', ')}`;
    case 'invalid_format':
      if (issue.format === 'url') return 'needs an address such as https://host.example/path';
      return issue.message.startsWith('needs')
        ? issue.message
        : `needs a text of the form ${issue.pattern ?? issue.format}`;
    default:
      return issue.message;
  }
}

function complete(values: Values, localSecret: (name: string, dataDir: string) => string): Config {
  const isDevelopment = isDevelopmentIn(values);
  const sandbox = isDevelopment ? `http://127.0.0.1:${values.SANDBOX_PORT}` : undefined;
  const apiUrl = withoutSlash(values.PUBLIC_API_URL ?? `http://127.0.0.1:${values.PORT}`);
  const siteUrl = withoutSlash(values.SITE_URL ?? values.SITE_ORIGINS[0] ?? `${apiUrl}/play`);
  const own = [siteUrl, apiUrl].map(originOf);
  const siteOrigins = [...new Set([...values.SITE_ORIGINS, ...(sandbox ? namesOf([...own, sandbox]) : own)])];
  const rpId = values.PASSKEY_RP_ID ?? rpIdOf(siteUrl);
  return {
    ...values,
    PASSKEY_RP_ID: rpId,
    passkeyOrigins: siteOrigins.filter((origin) => isUnder(origin, rpId)),
    BREACHED_PASSWORDS_URL: breachedPasswordsUrl(values, sandbox),
    KYC_API_URL: kycAddress(values),
    PUBLIC_CHAIN_URL: values.PUBLIC_CHAIN_URL && withoutSlash(values.PUBLIC_CHAIN_URL),
    GAME_PROVIDERS: values.GAME_PROVIDERS ?? (sandbox ? sandboxProviders(sandbox) : []),
    ...(sandbox ? outsideOf(sandbox, values) : {}),
    HOST: values.HOST ?? (isDevelopment ? '127.0.0.1' : '0.0.0.0'),
    JWT_SECRET: values.JWT_SECRET ?? localSecret('jwt', values.DATA_DIR),
    SEED_SECRET: values.SEED_SECRET ?? localSecret('seed', values.DATA_DIR),
    DATA_SECRET: values.DATA_SECRET ?? localSecret('data', values.DATA_DIR),
    DEBUG_TOKEN: values.DEBUG_TOKEN ?? (values.APP_ENV === 'local' ? 'local-debug-token' : undefined),
    SITE_URL: siteUrl,
    PUBLIC_API_URL: apiUrl,
    SMTP_URL: values.SMTP_URL ?? `smtp://127.0.0.1:${values.SANDBOX_SMTP_PORT}`,
    FILES_URL: withoutSlash(values.FILES_URL ?? `${apiUrl}/files`),
    REALTIME_URL: originOf(
      values.REALTIME_URL ?? (isDevelopment ? `http://127.0.0.1:${values.REALTIME_PORT}` : apiUrl),
    ),
    API_REFERENCE: values.API_REFERENCE ?? (isDevelopment ? 'on' : 'off'),
    BOT_ACTIVITY: values.BOT_ACTIVITY ?? (isDevelopment ? 'disclosed' : 'off'),
    STAFF_MFA_REQUIRED:
      values.STAFF_MFA_REQUIRED === undefined ? !isDevelopment : values.STAFF_MFA_REQUIRED === 'true',
    siteOrigins,
    isDevelopment,
    secureCookies: values.APP_ENV !== 'local',
  };
}

/**
 * Adds the `localhost` name to each address, because browsers do not support passkeys on IP addresses. In development these origins are the
 * front end, the main API's pages and the sandbox.
 */
const namesOf = (origins: readonly string[]): readonly string[] => [
  ...new Set(origins.flatMap((origin) => [origin, origin.replace('//127.0.0.1', '//localhost')])),
];

/** Defaults to the sandbox in local development only. Tests configure the URL that they use. */
const breachedPasswordsUrl = ({ BREACHED_PASSWORDS_URL: url, APP_ENV }: Values, sandbox?: string) =>
  url === undefined ? (APP_ENV === 'local' ? `${sandbox}/breached-passwords` : undefined) : withoutSlash(url);

/** Returns the addresses of external services. In development the sandbox replaces every service without a configured address. */
function outsideOf(sandbox: string, values: Values) {
  return {
    CAPTCHA_VERIFY_URL: values.CAPTCHA_VERIFY_URL ?? `${sandbox}/captcha/siteverify`,
    OIDC_ISSUER: values.OIDC_ISSUER ?? `${sandbox}/oidc`,
    OPENID_ENDPOINT: values.OPENID_ENDPOINT ?? `${sandbox}/openid/login`,
    OPENID_CLAIMED_ID: values.OPENID_CLAIMED_ID ?? `${sandbox}/openid/id/`,
    PAYMENT_PROVIDER: values.PAYMENT_PROVIDER ?? ('sandbox' as const),
    PAYMENT_API_URL: values.PAYMENT_API_URL ?? `${sandbox}/payments`,
    ...nowpaymentsIn(sandbox, values),
    SKINS_API_URL: values.SKINS_API_URL ?? `${sandbox}/skins`,
    KYC_PROVIDER: values.KYC_PROVIDER ?? ('sandbox' as const),
    KYC_API_URL: withoutSlash(values.KYC_API_URL ?? `${sandbox}/kyc`),
    PUBLIC_CHAIN_URL: withoutSlash(values.PUBLIC_CHAIN_URL ?? `${sandbox}/chain`),
    SPORTSBOOK_LOGIN: values.SPORTSBOOK_LOGIN ?? 'sandbox',
    CRM_API_KEY: values.CRM_API_KEY ?? 'sandbox-crm-key',
    // In tests nothing listens at that address unless the test configures it.
    CRM_URL: values.CRM_URL ?? (values.APP_ENV === 'local' ? `${sandbox}/crm/events` : undefined),
  };
}

/**
 * Returns the NOWPayments settings for local development, because the sandbox supports this dialect too. Tests, and developers who have
 * their own key, configure the address.
 */
function nowpaymentsIn(sandbox: string, values: Values) {
  if (values.APP_ENV !== 'local' || values.NOWPAYMENTS_API_KEY !== undefined) return {};
  return {
    NOWPAYMENTS_API_URL: `${sandbox}/payments/nowpayments`,
    NOWPAYMENTS_API_KEY: 'sandbox-nowpayments-key',
    NOWPAYMENTS_EMAIL: values.NOWPAYMENTS_EMAIL ?? 'money@croupier.test',
    NOWPAYMENTS_PASSWORD: values.NOWPAYMENTS_PASSWORD ?? 'sandbox-nowpayments-password',
  };
}

/** Returns the KYC provider's address. Sumsub has one address for all customers. */
const kycAddress = ({ KYC_API_URL: url, KYC_PROVIDER: provider }: Values) =>
  url === undefined ? (provider === 'sumsub' ? 'https://api.sumsub.com' : undefined) : withoutSlash(url);

const originOf = (url: string) => new URL(url).origin;
const withoutSlash = (url: string) => url.replace(/\/+$/, '');

function conflicts(
  values: Values,
  isDevelopment: boolean,
  env: Record<string, string | undefined>,
): string[] {
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
  if (values.SITE_URL && !isPage(values.SITE_URL))
    problems.push('SITE_URL needs an http(s) address without query and fragment: links are built on it');
  if (values.PUBLIC_API_URL && !isOrigin(withoutSlash(values.PUBLIC_API_URL)))
    problems.push(
      'PUBLIC_API_URL needs an origin such as https://api.example.com: cookies are bound to paths from its root',
    );
  problems.push(...misfitPasskeys(values));
  if (values.IDP_A_SEGMENT === values.IDP_B_SEGMENT)
    problems.push('IDP_A_SEGMENT and IDP_B_SEGMENT need to differ');
  if ((values.OPENID_ENDPOINT === undefined) !== (values.OPENID_CLAIMED_ID === undefined))
    problems.push('OPENID_ENDPOINT and OPENID_CLAIMED_ID need to be set together');
  if (values.FILE_STORAGE === 's3' && !(values.S3_BUCKET && values.FILES_URL))
    problems.push('S3_BUCKET and FILES_URL need to be set with FILE_STORAGE=s3');
  if (new Set(values.KYC_LEVELS).size < values.KYC_LEVELS.length)
    problems.push('KYC_LEVELS needs three names that differ: notices name a level, and it tells the tier');
  problems.push(...incompletePayments(values));
  if (isDevelopment) return problems;
  return [...problems, ...unsafeIn(values), ...unsafeEnvironment(values, env)];
}

/**
 * Returns the problems with incomplete payment settings. The payout provider requires all its credentials, and BTCPay requires both its key
 * and its URL.
 */
function incompletePayments(values: Values): string[] {
  const needed = {
    nowpayments: ['NOWPAYMENTS_API_KEY', 'NOWPAYMENTS_EMAIL', 'NOWPAYMENTS_PASSWORD'],
    btcpay: ['BTCPAY_API_KEY', 'BTCPAY_URL'],
    sandbox: [],
  } as const;
  const missing = needed[values.PAYMENT_PROVIDER ?? 'sandbox'].filter((name) => !values[name]);
  const problems = missing.map(
    (name) => `${name} needs to be set with PAYMENT_PROVIDER=${values.PAYMENT_PROVIDER}`,
  );
  if (missing.length === 0 && (values.BTCPAY_API_KEY === undefined) !== (values.BTCPAY_URL === undefined))
    problems.push('BTCPAY_API_KEY and BTCPAY_URL need to be set together');
  return problems;
}

const isPage = (url: string) => /^https?:[^?#]+$/.test(url);

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
