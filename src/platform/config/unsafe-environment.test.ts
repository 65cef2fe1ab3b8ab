import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';

const secret = () => randomBytes(32).toString('hex');
const DATABASE = 'postgres://croupier:pa55@db.example/casino';
const DEPLOYED = {
  DATABASE_URL: `${DATABASE}?sslmode=verify-full`,
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

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('  - '));
  }
}

test.each([
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
  ['NODE_OPTIONS', '--max-old-space-size=512 --insecure-http-parser'],
  ['NODE_OPTIONS', '--inspect=0.0.0.0:9229'],
  ['NODE_OPTIONS', '--tls-keylog=/tmp/keys'],
  ['SMTP_URL', 'smtp://mail.example?requireTLS=true&ignoreTLS=true'],
  ['SMTP_URL', 'smtps://mail.example?secure=false'],
  ['SMTP_URL', 'smtps://mail.example?tls.rejectUnauthorized=false'],
  ['SMTP_URL', 'smtp://mail.example?requireTLS=true&requiretls=true'],
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-full&sslmode=disable`],
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-full&SSLMODE=disable`],
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-full&host=db.example&host=evil.example`],
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-full&ssl=0`],
  ['DATABASE_READ_URL', `${DATABASE}?sslmode=require&uselibpqcompat=true`],
  ['CAPTCHA_SECRET', 'change-me'],
  ['S3_SECRET_ACCESS_KEY', 'your-secret-key'],
  ['SKINS_WEBHOOK_SECRETS', 'replace-with-a-secret'],
  ['KYC_API_SECRET', 'xxxxxxxxxxxxxxxx'],
  ['OIDC_CLIENT_SECRET', '<client secret>'],
])('rejects %s=%s in staging and production, and accepts it in local', (name, value) => {
  for (const APP_ENV of ['staging', 'production'])
    expect(problemsOf({ ...DEPLOYED, [name]: value, APP_ENV })).toEqual([
      expect.stringMatching(new RegExp(`^ {2}- ${name}\\b`)),
    ]);
  expect(problemsOf({ [name]: value, APP_ENV: 'local' })).toEqual([]);
});

test('rejects STAFF_MFA_REQUIRED=false in production only', () => {
  const problems = (APP_ENV: string) => problemsOf({ ...DEPLOYED, STAFF_MFA_REQUIRED: 'false', APP_ENV });
  expect(problems('production')).toEqual([expect.stringContaining('STAFF_MFA_REQUIRED')]);
  expect(problems('staging')).toEqual([]);
});

test.each([
  ['DATABASE_URL', `${DATABASE}?sslmode=verify-full&sslrootcert=/etc/ssl/rds.pem&application_name=x`],
  ['DATABASE_URL', 'postgres://croupier@/casino?host=/run/postgresql'],
  ['SMTP_URL', 'smtp://mail.example?requireTLS=true&pool=true'],
  ['NODE_OPTIONS', '--max-old-space-size=512'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
  ['S3_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1'],
])('accepts %s=%s in production', (name, value) => {
  expect(problemsOf({ ...DEPLOYED, [name]: value, APP_ENV: 'production' })).toEqual([]);
});
