import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { createOutbound } from '../../../platform/net/outbound.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { createClient, orUnavailable, resultOf } from '../payments/providers/client.ts';

/** The fields of the marketplace's response that we use. */
const Session = z.object({
  transactionId: z.string().min(1).max(100),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  expiresAt: z.iso.datetime({ offset: true }),
});
export type Session = z.output<typeof Session>;

export type Marketplace = { open(request: SessionRequest): Promise<Session> };

/** `reference` identifies the deposit at the marketplace. A repeated request with the same one returns the same session. */
export type SessionRequest = {
  reference: string;
  game: string;
  platformId: string;
  tradeLink: string;
  minUsdAmount: Units | null;
  successUrl: string;
  failUrl: string;
};

/** The marketplace where players sell skins to us, or undefined if none is configured. */
export function createMarketplace({ config, log }: { config: Config; log: Log }): Marketplace | undefined {
  const { SKINS_API_URL: baseUrl, SKINS_API_KEY: key } = config;
  if (!baseUrl) return undefined;
  const { post } = createClient(createOutbound({ name: 'skins', baseUrl, log }), {
    headers: () => ({ authorization: `Bearer ${key}` }),
  });
  return {
    /** Throws 503 SERVICE_UNAVAILABLE without a usable response. The session may exist nevertheless. */
    open: ({ minUsdAmount, ...request }) =>
      orUnavailable(
        async () => {
          const minimum = minUsdAmount === null ? {} : { minAmountUsd: formatUnits(minUsdAmount) };
          const response = await post('/v1/sessions', { ...request, ...minimum });
          return resultOf(response, Session, { statuses: [200, 201], parse: JSON.parse });
        },
        (error) => log.warn({ reference: request.reference, error }, 'skin marketplace opened no session'),
      ),
  };
}
