import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { Log } from '../../../platform/log.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import type { KycProvider } from './provider.ts';
import { createSandboxProvider } from './provider-sandbox.ts';
import { createSumsubProvider } from './provider-sumsub.ts';

/** A session takes two requests or three, and a player waits for it. */
const TIMEOUT_MS = 3000;

/** The provider of the configuration; undefined where staff alone decides. */
export function createProvider({
  config,
  log,
  clock,
}: {
  config: Config;
  log: Log;
  clock: Clock;
}): KycProvider | undefined {
  const { KYC_PROVIDER: id, KYC_API_URL: baseUrl } = config;
  if (!id || !baseUrl) return undefined;
  const outbound = createOutbound({ name: `kyc ${id}`, baseUrl, log, timeoutMs: TIMEOUT_MS });
  const [IDENTITY = '', ADDRESS = '', SOURCE_OF_FUNDS = ''] = config.KYC_LEVELS;
  const shared = {
    outbound,
    clock,
    secret: config.KYC_API_SECRET,
    webhookSecrets: config.KYC_WEBHOOK_SECRETS,
    levels: { IDENTITY, ADDRESS, SOURCE_OF_FUNDS },
  };
  return id === 'sumsub'
    ? createSumsubProvider({ ...shared, appToken: config.KYC_API_KEY })
    : createSandboxProvider({
        ...shared,
        key: config.KYC_API_KEY,
        toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
      });
}
