import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { z } from 'zod';
import { settings } from './settings.ts';

type Values = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> };
export type Config = Readonly<
  Omit<Values, 'STAFF_MFA_REQUIRED'> & {
    HOST: string;
    JWT_SECRET: string;
    SEED_SECRET: string;
    DATA_SECRET: string;
    SITE_URL: string;
    PUBLIC_API_URL: string;
    SMTP_URL: string;
    FILES_URL: string;
    STAFF_MFA_REQUIRED: boolean;
    /** Origins that may send cookies: SITE_ORIGINS, in development that of SITE_URL. */
    siteOrigins: readonly string[];
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
  const sandbox = isDevelopment ? `http://127.0.0.1:${values.SANDBOX_PORT}` : undefined;
  const siteUrl = withoutSlash(values.SITE_URL ?? values.SITE_ORIGINS[0] ?? `${sandbox}/site`);
  const apiUrl = withoutSlash(values.PUBLIC_API_URL ?? `http://127.0.0.1:${values.PORT}`);
  return {
    ...values,
    KYC_API_URL: kycAddress(values),
    PUBLIC_CHAIN_URL: values.PUBLIC_CHAIN_URL && withoutSlash(values.PUBLIC_CHAIN_URL),
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
    STAFF_MFA_REQUIRED:
      values.STAFF_MFA_REQUIRED === undefined ? !isDevelopment : values.STAFF_MFA_REQUIRED === 'true',
    siteOrigins: values.SITE_ORIGINS.length > 0 ? values.SITE_ORIGINS : [new URL(siteUrl).origin],
    isDevelopment,
    secureCookies: values.APP_ENV !== 'local',
  };
}

/** In development the sandbox stands in for every outside service that is not named. */
function outsideOf(sandbox: string, values: Values) {
  return {
    CAPTCHA_VERIFY_URL: values.CAPTCHA_VERIFY_URL ?? `${sandbox}/captcha/siteverify`,
    OIDC_ISSUER: values.OIDC_ISSUER ?? `${sandbox}/oidc`,
    OPENID_ENDPOINT: values.OPENID_ENDPOINT ?? `${sandbox}/openid/login`,
    OPENID_CLAIMED_ID: values.OPENID_CLAIMED_ID ?? `${sandbox}/openid/id/`,
    PAYMENT_PROVIDER: values.PAYMENT_PROVIDER ?? ('sandbox' as const),
    PAYMENT_API_URL: values.PAYMENT_API_URL ?? `${sandbox}/payments`,
    SKINS_API_URL: values.SKINS_API_URL ?? `${sandbox}/skins`,
    KYC_PROVIDER: values.KYC_PROVIDER ?? ('sandbox' as const),
    KYC_API_URL: withoutSlash(values.KYC_API_URL ?? `${sandbox}/kyc`),
    PUBLIC_CHAIN_URL: withoutSlash(values.PUBLIC_CHAIN_URL ?? `${sandbox}/chain`),
  };
}

/** There is one Sumsub for everybody. */
const kycAddress = ({ KYC_API_URL: url, KYC_PROVIDER: provider }: Values) =>
  url === undefined ? (provider === 'sumsub' ? 'https://api.sumsub.com' : undefined) : withoutSlash(url);

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

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
  if (values.SITE_URL && !isPage(values.SITE_URL))
    problems.push('SITE_URL needs an http(s) address without query and fragment: links are built on it');
  else if (
    values.SITE_URL &&
    values.SITE_ORIGINS.length > 0 &&
    !isAmong(values.SITE_ORIGINS, values.SITE_URL)
  )
    problems.push('SITE_URL needs to be on one of SITE_ORIGINS: else its pages may not call the API');
  if (values.PUBLIC_API_URL && !isOrigin(withoutSlash(values.PUBLIC_API_URL)))
    problems.push(
      'PUBLIC_API_URL needs an origin such as https://api.example.com: cookies are bound to paths from its root',
    );
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
  return [...problems, ...unsafe(values)];
}

/** Who pays out needs all that it signs in with; whose notices are taken needs an address. */
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

/** What is left to its default, or easy to guess, and must not be where real money is. */
function unsafe(values: Values): string[] {
  const problems: string[] = [];
  for (const name of ['JWT_SECRET', 'SEED_SECRET', 'DATA_SECRET'] as const) {
    const value = values[name];
    if (value === undefined)
      problems.push(`${name} needs to be set outside local and test (for example: openssl rand -hex 32)`);
    else if (isGuessable(value)) problems.push(`${name} is too easy to guess`);
  }
  const secrets = [values.JWT_SECRET, values.SEED_SECRET, values.DATA_SECRET].filter(Boolean);
  if (new Set(secrets).size < secrets.length)
    problems.push('JWT_SECRET, SEED_SECRET and DATA_SECRET need to differ');
  if (!values.CAPTCHA_VERIFY_URL) problems.push('CAPTCHA_VERIFY_URL needs to be set outside local and test');
  if (values.CAPTCHA_SECRET === 'sandbox-captcha-secret')
    problems.push('CAPTCHA_SECRET still has its default');
  if (values.DEBUG_TOKEN) problems.push('DEBUG_TOKEN is for local and test only');
  if (values.OIDC_ISSUER && values.OIDC_CLIENT_SECRET === 'sandbox-oidc-secret')
    problems.push('OIDC_CLIENT_SECRET still has its default');
  // Outside development nobody but the real parties may be asked, and none of their defaults holds.
  if (values.PAYMENT_PROVIDER === 'sandbox' || values.KYC_PROVIDER === 'sandbox')
    problems.push('PAYMENT_PROVIDER and KYC_PROVIDER: the sandbox is for local and test only');
  // Its notices would be believed.
  if (values.PAYMENT_API_URL) problems.push('PAYMENT_API_URL is for local and test only');
  for (const [name, isUsed] of [
    ['NOWPAYMENTS_IPN_SECRETS', values.NOWPAYMENTS_API_KEY !== undefined],
    ['BTCPAY_WEBHOOK_SECRETS', values.BTCPAY_API_KEY !== undefined],
    ['SKINS_WEBHOOK_SECRETS', values.SKINS_API_URL !== undefined],
    ['KYC_WEBHOOK_SECRETS', values.KYC_PROVIDER !== undefined],
  ] as const)
    if (isUsed && values[name].some((value) => value.startsWith('sandbox-')))
      problems.push(`${name} still has its default`);
  for (const name of ['KYC_API_KEY', 'KYC_API_SECRET'] as const)
    if (values.KYC_PROVIDER !== undefined && values[name].startsWith('sandbox-'))
      problems.push(`${name} still has its default`);
  // What a provider says is believed because of the connection it comes over.
  for (const name of ['OIDC_ISSUER', 'OPENID_ENDPOINT'] as const)
    if (values[name] && !values[name].startsWith('https://'))
      problems.push(`${name} needs to start with https:// outside local and test`);
  for (const name of [
    'PUBLIC_API_URL',
    'CAPTCHA_VERIFY_URL',
    'KYC_API_URL',
    'NOWPAYMENTS_API_URL',
    'BTCPAY_URL',
    'PUBLIC_CHAIN_URL',
  ] as const)
    if (values[name]?.startsWith('http:')) problems.push(`${name} needs https outside local and test`);
  if (/@croupier\.example>?$/.test(values.MAIL_FROM)) problems.push('MAIL_FROM still has its default');
  for (const name of ['SMTP_URL', 'PUBLIC_API_URL'] as const)
    if (!values[name]) problems.push(`${name} needs to be set outside local and test`);
  if (!values.DATABASE_URL) problems.push('DATABASE_URL needs to be set outside local and test');
  if (values.SITE_ORIGINS.length === 0)
    problems.push('SITE_ORIGINS needs at least one origin outside local and test');
  return problems;
}

const isPage = (url: string) => /^https?:[^?#]+$/.test(url);
const isAmong = (origins: readonly string[], url: string) => origins.includes(new URL(url).origin);

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
