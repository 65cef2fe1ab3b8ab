import { type Clock, systemClock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import type { Log } from '../../../../platform/log.ts';
import { createOutbound } from '../../../../platform/outbound.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import type { PaymentProvider } from '../provider.ts';
import { createBtcpayProvider } from './btcpay.ts';
import { createNowpaymentsProvider } from './nowpayments.ts';
import { createSandboxProvider } from './sandbox.ts';

export type PaymentProviders = ReturnType<typeof createProviders>;

/**
 * The providers that are configured. One alone gives new addresses and pays out; the notices of all are taken, so that coins
 * still come in while one replaces the other.
 */
export function createProviders(parts: { config: Config; log: Log; clock?: Clock; timeoutMs?: number }) {
  const { config } = parts;
  const made = [sandboxOf(parts), nowpaymentsOf(parts), btcpayOf(parts)].filter(
    (provider) => provider !== undefined,
  );
  const providers = new Map(made.map((provider) => [provider.id, provider]));
  return {
    /** Who gives addresses and pays out. Undefined: nobody does. */
    active: config.PAYMENT_PROVIDER && providers.get(config.PAYMENT_PROVIDER),
    /** Throws 404 PROVIDER_NOT_FOUND. */
    get(id: string): PaymentProvider {
      const provider = providers.get(id);
      if (!provider) throw webhookErrors.PROVIDER_NOT_FOUND();
      return provider;
    },
  };
}

type Deps = Parameters<typeof createProviders>[0];

const clockOf = ({ clock = systemClock }: Deps): Clock => clock;

function partner(name: string, baseUrl: string, { log, timeoutMs }: Deps) {
  return createOutbound({ name, log, baseUrl: baseUrl.replace(/\/+$/, ''), ...(timeoutMs && { timeoutMs }) });
}

function sandboxOf(parts: Deps): PaymentProvider | undefined {
  const { config } = parts;
  if (!config.PAYMENT_API_URL) return undefined;
  return createSandboxProvider(partner('sandbox', config.PAYMENT_API_URL, parts), {
    key: config.PAYMENT_API_KEY,
    secrets: config.PAYMENT_WEBHOOK_SECRETS,
    toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
    clock: clockOf(parts),
  });
}

function nowpaymentsOf(parts: Deps): PaymentProvider | undefined {
  const { config } = parts;
  if (!config.NOWPAYMENTS_API_KEY) return undefined;
  return createNowpaymentsProvider(partner('nowpayments', config.NOWPAYMENTS_API_URL, parts), {
    key: config.NOWPAYMENTS_API_KEY,
    ipnSecrets: config.NOWPAYMENTS_IPN_SECRETS,
    email: config.NOWPAYMENTS_EMAIL,
    password: config.NOWPAYMENTS_PASSWORD,
    totpSecret: config.NOWPAYMENTS_TOTP_SECRET,
    clock: clockOf(parts),
    callbackUrl: `${config.PUBLIC_API_URL}/webhooks/payments/nowpayments`,
  });
}

function btcpayOf(parts: Deps): PaymentProvider | undefined {
  const { config } = parts;
  if (!config.BTCPAY_API_KEY || !config.BTCPAY_URL) return undefined;
  return createBtcpayProvider(partner('btcpay', config.BTCPAY_URL, parts), {
    key: config.BTCPAY_API_KEY,
    storeId: config.BTCPAY_STORE_ID,
    webhookSecrets: config.BTCPAY_WEBHOOK_SECRETS,
    clock: clockOf(parts),
  });
}
