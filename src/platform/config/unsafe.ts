import { isGuessable } from './guessable.ts';
import type { Values } from './sections.ts';
import { SANDBOX_PRIVATE_KEY, SANDBOX_PUBLIC_KEY } from './settings/sandbox-game-providers.ts';

const KEYS = ['JWT_SECRET', 'SEED_SECRET', 'DATA_SECRET'] as const;

/** Returns the settings whose defaults or guessable values must not be used with real money. */
export function unsafeIn(values: Values): string[] {
  const problems: string[] = [];
  for (const name of KEYS) {
    const value = values[name];
    if (value === undefined)
      problems.push(`${name} needs to be set outside local and test (for example: openssl rand -hex 32)`);
    else if (isGuessable(value))
      problems.push(`${name} is too easy to guess: set one from openssl rand -hex 32`);
  }
  if (values.JWT_SECRET_PREVIOUS !== undefined && isGuessable(values.JWT_SECRET_PREVIOUS))
    problems.push('JWT_SECRET_PREVIOUS is too easy to guess: leave it out, and sessions begin anew');
  if (
    values.JWT_SECRET_PREVIOUS !== undefined &&
    KEYS.some((name) => values[name] === values.JWT_SECRET_PREVIOUS)
  )
    problems.push('JWT_SECRET_PREVIOUS needs to be the previous JWT_SECRET, not one still in use');
  problems.push(...inForce(values));
  const secrets = KEYS.map((name) => values[name]).filter(Boolean);
  if (new Set(secrets).size < secrets.length)
    problems.push('JWT_SECRET, SEED_SECRET and DATA_SECRET need to differ');
  if (!values.CAPTCHA_VERIFY_URL) problems.push('CAPTCHA_VERIFY_URL needs to be set outside local and test');
  if (values.CAPTCHA_SECRET === 'sandbox-captcha-secret')
    problems.push('CAPTCHA_SECRET still has its default');
  if (values.DEBUG_TOKEN) problems.push('DEBUG_TOKEN is for local and test only');
  if (values.OIDC_ISSUER && values.OIDC_CLIENT_SECRET === 'sandbox-oidc-secret')
    problems.push('OIDC_CLIENT_SECRET still has its default');
  // Outside development the sandbox partners must not be used, and partner secrets must not have their default values.
  if (values.PAYMENT_PROVIDER === 'sandbox' || values.KYC_PROVIDER === 'sandbox')
    problems.push('PAYMENT_PROVIDER and KYC_PROVIDER: the sandbox is for local and test only');
  // Otherwise the platform would trust webhooks from the configured address.
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
  if (values.SPORTSBOOK_LOGIN !== undefined && isGuessable(values.SPORTSBOOK_PASSWORD))
    problems.push(
      'SPORTSBOOK_PASSWORD is its default or too easy to guess: set one from openssl rand -hex 32',
    );
  // A provider's response is trusted only because TLS authenticates the server.
  for (const name of ['OIDC_ISSUER', 'OPENID_ENDPOINT'] as const)
    if (values[name] && !values[name].startsWith('https://'))
      problems.push(`${name} needs to start with https:// outside local and test`);
  problems.push(...unsafeGameProviders(values), ...unsafeCrm(values), ...plainPages(values));
  if (/@croupier\.example>?$/.test(values.MAIL_FROM)) problems.push('MAIL_FROM still has its default');
  for (const name of ['SMTP_URL', 'PUBLIC_API_URL'] as const)
    if (!values[name]) problems.push(`${name} needs to be set outside local and test`);
  if (!values.DATABASE_URL) problems.push('DATABASE_URL needs to be set outside local and test');
  if (values.SITE_ORIGINS.length === 0)
    problems.push('SITE_ORIGINS needs at least one origin outside local and test');
  problems.push(...plainConnections(values), ...guessable(values), ...pretended(values));
  return problems;
}

/** Finds previous secrets that are also configured as current ones, which means that the secret was not rotated. */
function inForce(values: Values): string[] {
  const previous = { SEED_SECRET_PREVIOUS: 'SEED_SECRET', DATA_SECRET_PREVIOUS: 'DATA_SECRET' } as const;
  return Object.entries(previous).flatMap(([name, current]) => {
    const value = values[name as keyof typeof previous];
    const isInForce = value !== undefined && KEYS.some((key) => values[key] === value);
    return isInForce ? [`${name} needs to be the previous ${current}, not a secret still in use`] : [];
  });
}

/**
 * Checks the settings of game providers. Providers move money, so their secrets must be unknown to others, and TLS must authenticate them.
 */
function unsafeGameProviders(values: Values): string[] {
  const problems: string[] = [];
  const known = [SANDBOX_PUBLIC_KEY, SANDBOX_PRIVATE_KEY].map((pem) => pem.replace(/\s/g, ''));
  for (const provider of values.GAME_PROVIDERS ?? []) {
    const { slug, dialect, secrets, publicKeys, privateKey, apiUrl, reportUrl, launchOrigins } = provider;
    const keys = [...publicKeys, privateKey ?? ''].map((pem) => pem.replace(/\s/g, ''));
    if (secrets.some((one) => one.startsWith('sandbox-')) || keys.some((pem) => known.includes(pem)))
      problems.push(`GAME_PROVIDERS: ${slug} has a secret or a key of the sandbox, which everybody knows`);
    // Pragmatic Play generates its secret, which may be shorter.
    const least = dialect === 'pragmatic' ? 8 : 16;
    if (secrets.some((one) => one.length < least))
      problems.push(`GAME_PROVIDERS: ${slug} needs secrets of at least ${least} characters`);
    if (secrets.some((one) => KEYS.some((name) => values[name] === one)))
      problems.push(
        `GAME_PROVIDERS: ${slug} shares a secret with ${KEYS.join(', ')}: one secret has one purpose`,
      );
    if ([apiUrl, reportUrl].some((url) => url?.startsWith('http:') && !isNear(url, values)))
      problems.push(`GAME_PROVIDERS: ${slug} needs https outside local and test, ${ELSE}`);
    if (launchOrigins.some((origin) => origin.startsWith('http:')))
      problems.push(`GAME_PROVIDERS: ${slug} needs https in launchOrigins: players open them`);
  }
  return problems;
}

/** Checks the settings of the CRM, because it credits players and reads their personal data. */
function unsafeCrm(values: Values): string[] {
  const problems: string[] = [];
  const { CRM_API_KEY: key, CRM_API_KEY_PREVIOUS: previous, CRM_SECRET: secret, CRM_URL: url } = values;
  if (key !== undefined && isGuessable(key))
    problems.push('CRM_API_KEY is too easy to guess: set one from openssl rand -hex 32');
  if (previous !== undefined && isGuessable(previous))
    problems.push('CRM_API_KEY_PREVIOUS is too easy to guess: leave it out');
  if (url === undefined) return problems;
  if (isGuessable(secret))
    problems.push('CRM_SECRET is its default or too easy to guess: set one from openssl rand -hex 32');
  if (secret === key || secret === previous)
    problems.push('CRM_SECRET needs to differ from CRM_API_KEY: one secret has one purpose');
  return problems;
}

/** Secrets shared with partners. Our own keys must differ from them, because each secret has one purpose. */
const SHARED = [
  'METRICS_TOKEN',
  'CAPTCHA_SECRET',
  'OIDC_CLIENT_SECRET',
  'S3_SECRET_ACCESS_KEY',
  'NOWPAYMENTS_API_KEY',
  'NOWPAYMENTS_PASSWORD',
  'BTCPAY_API_KEY',
  'SKINS_API_KEY',
  'KYC_API_KEY',
  'KYC_API_SECRET',
  'NOWPAYMENTS_IPN_SECRETS',
  'BTCPAY_WEBHOOK_SECRETS',
  'SKINS_WEBHOOK_SECRETS',
  'KYC_WEBHOOK_SECRETS',
  'SPORTSBOOK_PASSWORD',
  'CRM_API_KEY',
  'CRM_API_KEY_PREVIOUS',
  'CRM_SECRET',
] as const satisfies (keyof Values)[];

function guessable(values: Values): string[] {
  const problems: string[] = [];
  if (values.METRICS_TOKEN && isGuessable(values.METRICS_TOKEN))
    problems.push('METRICS_TOKEN is too easy to guess: set one from openssl rand -hex 32');
  for (const key of KEYS)
    for (const name of SHARED)
      if (values[key] !== undefined && [values[name]].flat().includes(values[key]))
        problems.push(`${key} needs to differ from ${name}: one secret has one purpose`);
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'BROKER_URL', 'SMTP_URL'] as const)
    if (PLACEHOLDER.test(passwordIn(values[name])))
      problems.push(`${name} has a password from an example: set the real one`);
  return problems;
}

const PLACEHOLDER = /^(change-?me|password|secret|example|guest|…|\.\.\.)$/i;

/** Rejects test keys and sandbox addresses. With them, CAPTCHA checks would accept every caller and payments would not be real. */
function pretended(values: Values): string[] {
  const problems: string[] = [];
  if (/^([123]x0+AA|0x0{40}|6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe)$/.test(values.CAPTCHA_SECRET))
    problems.push('CAPTCHA_SECRET is a test key of its provider, which lets everybody in: set the real one');
  if (values.APP_ENV !== 'production') return problems;
  if (/sandbox/i.test(new URL(values.NOWPAYMENTS_API_URL).hostname))
    problems.push('NOWPAYMENTS_API_URL is a sandbox, whose money is none: leave it out in production');
  if (values.KYC_PROVIDER === 'sumsub' && values.KYC_API_KEY.startsWith('sbx:'))
    problems.push('KYC_API_KEY is a token of a sandbox: set one of production');
  return problems;
}

/** Checks the addresses of pages shown by browsers and of services called over the internet, because only TLS authenticates the server. */
function plainPages(values: Values): string[] {
  const problems: string[] = [];
  if (values.SITE_ORIGINS.some((origin) => origin.startsWith('http:')))
    problems.push(
      'SITE_ORIGINS needs https in each: what a page over http sends and shows can be changed on its way',
    );
  for (const name of [
    'SITE_URL',
    'PUBLIC_API_URL',
    'FILES_URL',
    'CAPTCHA_VERIFY_URL',
    'BREACHED_PASSWORDS_URL',
    'PUBLIC_CHAIN_URL',
  ] as const)
    if (values[name]?.startsWith('http:')) problems.push(`${name} needs https outside local and test`);
  for (const name of [
    'KYC_API_URL',
    'NOWPAYMENTS_API_URL',
    'BTCPAY_URL',
    'SKINS_API_URL',
    'CRM_URL',
    'S3_ENDPOINT',
  ] as const)
    if (values[name]?.startsWith('http:') && !isNear(values[name], values))
      problems.push(`${name} needs https outside local and test, ${ELSE}`);
  if (values.RATE_SOURCE === 'coinbase' && values.RATE_SOURCE_URL.startsWith('http:'))
    problems.push('RATE_SOURCE_URL needs https outside local and test: rates are money');
  return problems;
}

const ELSE = 'unless its host is named in PLAINTEXT_HOSTS (a network of your own)';

/** Returns the connections that would send passwords, emails or money data in plain text to another machine. */
function plainConnections(values: Values): string[] {
  const problems: string[] = [];
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'] as const)
    if (values[name] && !hasSslMode(values[name]) && !isNear(values[name], values))
      problems.push(`${name} needs TLS (append ?sslmode=verify-full), ${ELSE}`);
  for (const [name, plain, secure] of [
    ['REDIS_URL', 'redis:', 'rediss://'],
    ['BROKER_URL', 'amqp:', 'amqps://'],
  ] as const)
    if (values[name]?.startsWith(plain) && !isNear(values[name], values))
      problems.push(`${name} needs TLS (${secure}), ${ELSE}`);
  const { SMTP_URL: smtp } = values;
  if (smtp?.startsWith('smtp:') && !/[?&]requireTLS=true(&|$)/.test(smtp) && !isNear(smtp, values))
    problems.push(`SMTP_URL needs TLS (smtps://, or smtp:// with ?requireTLS=true), ${ELSE}`);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector } = values;
  if (collector?.startsWith('http:') && !isNear(collector, values))
    problems.push(`OTEL_EXPORTER_OTLP_ENDPOINT needs https, ${ELSE}`);
  return problems;
}

/**
 * Parses an address. `URL` rejects one without a host (`postgres://croupier@/casino?host=/run/postgresql`), so a placeholder host is
 * inserted.
 */
function urlOf(text: string): URL | undefined {
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/]*@)\//, '$1-/');
  return URL.canParse(whole) ? new URL(whole) : undefined;
}
const passwordIn = (text: string | undefined): string => {
  const password = text === undefined ? '' : (urlOf(text)?.password ?? '');
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
};

/** Returns true for SSL modes in which the client sends no data before TLS is established. */
const hasSslMode = (text: string): boolean =>
  ['require', 'verify-ca', 'verify-full'].includes(urlOf(text)?.searchParams.get('sslmode') ?? '');

/** Returns true if the host is this machine or listed in PLAINTEXT_HOSTS as a private network. Returns false for an unreadable address. */
function isNear(text: string, { PLAINTEXT_HOSTS }: Values): boolean {
  const url = urlOf(text);
  if (!url) return false;
  // PostgreSQL's `host` parameter overrides the address's host, or names the folder of a socket.
  const host = url.searchParams.get('host') ?? url.hostname;
  if (host.startsWith('/')) return true;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host) || PLAINTEXT_HOSTS.includes(host);
}
