import type { Values } from './sections.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds unsafe options outside the settings: Node's variables, options in connection strings, placeholders. */
export const unsafeEnvironment = (values: Values, env: Environment): string[] => [
  ...nodeOptions(env),
  ...(values.APP_ENV === 'production' && values.STAFF_MFA_REQUIRED === 'false'
    ? ['STAFF_MFA_REQUIRED needs to be true in production: otherwise a stolen staff password would be enough']
    : []),
  ...connectionOptions(values),
  ...placeholders(values),
];

/** Finds options with which Node would accept any certificate, log TLS keys, read malformed requests, or let a debugger attach. */
function nodeOptions(env: Environment): string[] {
  const problems: string[] = [];
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED turns off certificate checks: remove it, and set NODE_EXTRA_CA_CERTS for a private authority',
    );
  const options =
    /--(?:insecure-http-parser|tls-keylog|tls-min-v1\.[01]|inspect(?:-brk|-wait)?)(?=[\s=]|$)/.exec(
      env.NODE_OPTIONS ?? '',
    );
  if (options) problems.push(`NODE_OPTIONS contains ${options[0]}, which is only for development: remove it`);
  return problems;
}

/**
 * Finds unsafe or repeated parameters of connection strings. A driver may read the last of two parameters with the same name, while a check
 * reads the first.
 */
function connectionOptions(values: Values): string[] {
  const problems: string[] = [];
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'BROKER_URL', 'SMTP_URL'] as const) {
    const names = [...parametersOf(values[name]).keys()].map((one) => one.toLowerCase());
    const twice = names.find((one, i) => names.indexOf(one) !== i);
    if (twice !== undefined)
      problems.push(
        `${name} has the parameter ${twice} twice: remove one, because programs differ in which one they use`,
      );
  }
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'] as const) {
    const parameters = parametersOf(values[name]);
    if (parameters.has('uselibpqcompat') && !parameters.has('sslrootcert'))
      problems.push(
        `${name} has uselibpqcompat without sslrootcert, which accepts any certificate: remove it`,
      );
    if (/^(?:false|0|no-verify)$/i.test(parameters.get('ssl') ?? ''))
      problems.push(`${name} has ssl=${parameters.get('ssl')}, which overrides sslmode: remove it`);
  }
  for (const [key, value] of parametersOf(values.SMTP_URL))
    if (WEAK_SMTP.test(`${key}=${value}`))
      problems.push(`SMTP_URL has ${key}=${value}, which turns off TLS or certificate checks: remove it`);
  return problems;
}

/** Unsafe nodemailer options that can appear in its URL. */
const WEAK_SMTP =
  /^(?:ignoreTLS=(?!false)|opportunisticTLS=(?!false)|secure=false|requireTLS=false|tls\.(?:rejectUnauthorized=false|minVersion=TLSv1(?:\.1)?$|ciphers=|checkServerIdentity))/i;

/** Parses the parameters separately, because `URL` cannot parse addresses without a host, such as postgres://user@/name?host=/run. */
const parametersOf = (text: string | undefined) =>
  new URLSearchParams(text?.split('?', 2)[1]?.split('#', 1)[0] ?? '');

/** Secrets shared with partners, set by the partner or the operator. An example value that was never replaced is not a secret. */
const OF_PARTNERS = [
  'CAPTCHA_SECRET',
  'OIDC_CLIENT_SECRET',
  'S3_SECRET_ACCESS_KEY',
  'NOWPAYMENTS_API_KEY',
  'NOWPAYMENTS_PASSWORD',
  'NOWPAYMENTS_IPN_SECRETS',
  'BTCPAY_API_KEY',
  'BTCPAY_WEBHOOK_SECRETS',
  'SKINS_API_KEY',
  'SKINS_WEBHOOK_SECRETS',
  'KYC_API_KEY',
  'KYC_API_SECRET',
  'KYC_WEBHOOK_SECRETS',
] as const satisfies (keyof Values)[];

const PLACEHOLDER =
  /change[-_ ]?(?:me|this|it)|placeholder|example|replace[-_ ]|insert[-_ ]|your[-_ ]|to[-_ ]?do|<[^>]*>|^(.)\1+$|^x{3,}|\.\.\.|…/i;

function placeholders(values: Values): string[] {
  return OF_PARTNERS.filter((name) =>
    [values[name]].flat().some((value) => value !== undefined && PLACEHOLDER.test(value)),
  ).map((name) => `${name} is still an example value: set the real one`);
}
