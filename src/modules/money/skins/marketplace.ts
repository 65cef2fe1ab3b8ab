import type { z } from 'zod';
import type { Config } from '../../../platform/config.ts';
import type { Log } from '../../../platform/log.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import { createClient, orUnavailable, resultOf } from '../payments/providers/client.ts';
import { Session } from './schemas.ts';

export type Marketplace = { open(request: SessionRequest): Promise<z.output<typeof Session>> };

/** `reference` names the deposit there: the same one again opens nothing new and is answered alike. */
export type SessionRequest = {
  reference: string;
  game: string;
  platformId: string;
  tradeLink: string;
  minUsdAmount: Units | null;
  successUrl: string;
  failUrl: string;
};

/** The marketplace where players sell their skins to us; undefined where none is configured. */
export function createMarketplace({ config, log }: { config: Config; log: Log }): Marketplace | undefined {
  const { SKINS_API_URL: baseUrl, SKINS_API_KEY: key } = config;
  if (!baseUrl) return undefined;
  const { post } = createClient(createOutbound({ name: 'skins', baseUrl, log }), {
    headers: () => ({ authorization: `Bearer ${key}` }),
  });
  return {
    /** Throws 503 SERVICE_UNAVAILABLE when it does not answer, or nothing that can be used: it may have opened one. */
    open: ({ minUsdAmount, ...request }) =>
      orUnavailable(
        async () => {
          const minimum = minUsdAmount === null ? {} : { minAmountUsd: formatUnits(minUsdAmount) };
          const answer = await post('/v1/sessions', { ...request, ...minimum });
          return resultOf(answer, Session, { statuses: [200, 201], parse: JSON.parse });
        },
        (error) =>
          log.warn({ reference: request.reference, error }, 'the skin marketplace opened no session'),
      ),
  };
}
