import { systemClock } from '../../../../platform/clock.ts';
import { webhookErrors } from '../../../base/webhooks/schemas.ts';
import type { PaymentProvider } from '../provider.ts';
import { createBtcpayProvider } from './btcpay.ts';
import type { ProviderDeps } from './client.ts';
import { createNowpaymentsProvider } from './nowpayments.ts';
import { createSandboxProvider } from './sandbox.ts';

export type PaymentProviders = ReturnType<typeof createProviders>;

/**
 * The configured providers. Only one of them creates addresses and pays out. Webhooks of all providers are processed, so that deposits
 * still arrive while one provider replaces another.
 */
export function createProviders(deps: Omit<ProviderDeps, 'clock'> & Partial<ProviderDeps>) {
  const { PAYMENT_PROVIDER } = deps.config;
  const all = [createSandboxProvider, createNowpaymentsProvider, createBtcpayProvider].map((create) =>
    create({ clock: systemClock, ...deps }),
  );
  const providers = new Map(all.flatMap((provider) => (provider ? [[provider.id, provider]] : [])));
  return {
    /** The provider that creates addresses and pays out, if any. */
    active: PAYMENT_PROVIDER && providers.get(PAYMENT_PROVIDER),
    /** Throws 404 PROVIDER_NOT_FOUND. */
    get(id: string): PaymentProvider {
      const provider = providers.get(id);
      if (!provider) throw webhookErrors.PROVIDER_NOT_FOUND();
      return provider;
    },
  };
}
