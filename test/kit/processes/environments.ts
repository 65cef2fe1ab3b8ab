import { createPartApp, type PartName } from '../../../src/app/apps.ts';
import { createServices } from '../../../src/app/services.ts';
import { type Config, loadConfig } from '../../../src/platform/config/config.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { type CallOptions, callAt, type TestApp } from '../app.ts';
import { assertNothingLeaked, keepSecret, seeLine } from '../http/canaries.ts';

const DEPLOYED = {
  SITE_ORIGINS: 'https://croupier.example',
  CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
  CAPTCHA_SECRET: 'the secret of a deployed service',
  PUBLIC_API_URL: 'https://api.croupier.example',
  SMTP_URL: 'smtps://mail.croupier.example',
  MAIL_FROM: 'Play <no-reply@play.example>',
};

export type Elsewhere = Awaited<ReturnType<typeof startElsewhere>>;

/**
 * Starts a part in an environment other than `test`, with every setting that this environment requires. It uses the database and secrets of
 * a running test app. Only the check of the database's durability is skipped.
 */
export async function startElsewhere(
  { database, config: { JWT_SECRET, SEED_SECRET, DATA_SECRET } }: TestApp,
  environment: Config['APP_ENV'],
  { part = 'api', env = {} }: { part?: PartName; env?: Record<string, string> } = {},
) {
  const isDeployed = environment === 'staging' || environment === 'production';
  const config: Config = {
    ...loadConfig({
      APP_ENV: environment,
      DATABASE_URL: database.url,
      JWT_SECRET,
      SEED_SECRET,
      DATA_SECRET,
      DATABASE_POOL_SIZE: '4',
      ...(isDeployed ? DEPLOYED : {}),
      ...env,
    }),
    ALLOW_UNSAFE_DATABASE: true,
  };
  keepSecret(config, database.url);
  const log = createLog({ level: 'info', service: part, destination: { write: seeLine } });
  const services = await createServices({ config, log, name: part, databaseUrl: database.url });
  const app = await createPartApp(part, services);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    app,
    services,
    config,
    call: (method: string, path: string, options: CallOptions = {}) => callAt(url, method, path, options),
    async stop() {
      await app.close();
      await services.close();
      assertNothingLeaked();
    },
  };
}
