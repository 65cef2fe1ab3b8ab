import { openRabbit } from '../../../platform/broker/open.ts';
import type { Config } from '../../../platform/config/config.ts';
import { messageOf } from '../../../platform/errors.ts';
import { createFiles } from '../../../platform/files/files.ts';
import { within } from '../../../platform/jobs/timers.ts';
import { createOutbound, Unanswered } from '../../../platform/net/outbound.ts';
import { createRedis } from '../../../platform/net/redis.ts';
import { createMailer } from '../../../platform/net/smtp.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** An external service: the settings that configure it, and a probe that throws unless the service responds. */
type Endpoint = { check: string; settings: readonly string[]; probe: (config: Config) => Promise<unknown> };

const TIMEOUT_MS = 5000;

/** Partners with an HTTP API, by the setting of their address. */
const PARTNERS = [
  { check: 'payment provider', setting: 'PAYMENT_API_URL', isUsed: ['PAYMENT_API_URL'] },
  { check: 'payment provider nowpayments', setting: 'NOWPAYMENTS_API_URL', isUsed: ['NOWPAYMENTS_API_KEY'] },
  { check: 'payment provider btcpay', setting: 'BTCPAY_URL', isUsed: ['BTCPAY_URL'] },
  { check: 'skin marketplace', setting: 'SKINS_API_URL', isUsed: ['SKINS_API_URL'] },
  { check: 'KYC provider', setting: 'KYC_API_URL', isUsed: ['KYC_PROVIDER', 'KYC_API_URL'] },
] as const;

const ENDPOINTS: readonly Endpoint[] = [
  { check: 'mail server', settings: ['SMTP_URL'], probe: probeMail },
  ...PARTNERS.map(({ check, setting, isUsed }) => ({
    check,
    settings: isUsed,
    probe: (config: Config) => probeHttp(check, config[setting]!),
  })),
  { check: 'object storage', settings: ['S3_BUCKET'], probe: probeBucket },
  { check: 'Redis', settings: ['REDIS_URL'], probe: probeRedis },
  { check: 'RabbitMQ', settings: ['BROKER_URL'], probe: probeBroker },
];

/** Checks that the configured external services respond. `given` contains the names of the settings in the environment. */
export async function checkEndpoints(config: Config, given: ReadonlySet<string>): Promise<Finding[]> {
  const configured = ENDPOINTS.filter(({ settings }) => settings.some((name) => given.has(name)));
  return Promise.all(
    configured.map(async ({ check, settings, probe }): Promise<Finding> => {
      const remedy = `check ${settings.join(' and ')}, the network and the service itself`;
      try {
        await probe(config);
        return ok(check, 'responds');
      } catch (error) {
        const message = messageOf(error);
        return isRefusal(error) ? warning(check, message, remedy) : problem(check, message, remedy);
      }
    }),
  );
}

/** The service responds, but not with success. */
const isRefusal = (error: unknown) => error instanceof Unanswered && /^answered \d/.test(error.message);

/** Any response shows that the partner can be reached. Only the origin is requested. */
async function probeHttp(name: string, url: string): Promise<void> {
  const partner = createOutbound({
    name,
    baseUrl: new URL(url).origin,
    log: silentLog,
    timeoutMs: TIMEOUT_MS,
  });
  await partner.ask({ method: 'GET', path: '/' }).catch((error: unknown) => {
    if (error instanceof Unanswered && /^answered 3\d\d$/.test(error.message)) return;
    throw error;
  });
}

async function probeMail(config: Config): Promise<void> {
  const mailer = createMailer(config, silentLog);
  await mailer.verify().finally(mailer.close);
}

/** Looks for a file that does not exist, which needs the bucket and its keys. */
async function probeBucket(config: Config): Promise<void> {
  const read = createFiles({ config, log: silentLog }).private.read('doctor');
  await read.catch((error: unknown) => {
    // The message of the library may contain the key id.
    const { cause = error } = error as { cause?: unknown };
    const { name, $metadata, code } = cause as {
      name?: string;
      code?: string;
      $metadata?: { httpStatusCode?: number };
    };
    const status = $metadata?.httpStatusCode;
    if (status === undefined) throw new Error(`does not respond (${code ?? name})`);
    throw new Unanswered(`answered ${status} (${name}): the keys may not read or list the bucket`);
  });
}

async function probeRedis({ REDIS_URL }: Config): Promise<void> {
  const client = createRedis(REDIS_URL!, silentLog);
  let reason = 'it does not respond in time';
  client.on('error', (error: Error & { code?: string }) => {
    reason = error.code ?? error.name;
  });
  const pong = await within(
    TIMEOUT_MS,
    client.connect().then(() => client.ping()),
  ).finally(() => client.destroy());
  if (pong === undefined) throw new Error(`cannot be used (${reason})`);
}

async function probeBroker({ BROKER_URL: brokerUrl = '' }: Config): Promise<void> {
  const broker = await openRabbit({ brokerUrl, name: 'doctor', log: silentLog });
  await broker.check().finally(broker.close);
}
