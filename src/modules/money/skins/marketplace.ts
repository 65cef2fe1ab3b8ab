import type { z } from 'zod';
import type { Config } from '../../../platform/config.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { createOutbound, NotSent, Unanswered } from '../../../platform/outbound.ts';
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
  const outbound = createOutbound({ name: 'skins', baseUrl, log });
  return {
    /** Throws 503 SERVICE_UNAVAILABLE when it does not answer, or nothing that can be used: it may have opened one. */
    async open({ minUsdAmount, ...request }) {
      const body = {
        ...request,
        ...(minUsdAmount === null ? {} : { minAmountUsd: formatUnits(minUsdAmount) }),
      };
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      try {
        const answer = await outbound.ask({
          method: 'POST',
          path: '/v1/sessions',
          headers,
          body: JSON.stringify(body),
        });
        return read(answer);
      } catch (error) {
        if (!(error instanceof NotSent || error instanceof Unanswered)) throw error;
        log.warn(
          { reference: request.reference, error: error.message },
          'the skin marketplace opened no session',
        );
        throw commonErrors.SERVICE_UNAVAILABLE();
      }
    },
  };
}

function read({ status, text }: { status: number; text: string }): z.output<typeof Session> {
  if (status >= 300) throw new Unanswered(`answered ${status}`);
  try {
    return Session.parse(JSON.parse(text));
  } catch (error) {
    throw new Unanswered('answered nothing that can be read', { cause: error });
  }
}
