import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { createOutbound } from '../../../platform/net/outbound.ts';
import { WebUrl } from '../../../platform/net/schemas.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { readReport } from '../../base/webhooks/report.ts';
import { createClient, orUnavailable, resultOf } from '../payments/providers/client.ts';
import { readCut } from '../payments/providers/rules.ts';
import { Exact, Reason } from '../payments/providers/schemas.ts';
import { SKIN_STATUSES, type SkinStatus } from './rules.ts';

/** The fields of the marketplace's response that we use. */
const Session = z.object({
  transactionId: z.string().min(1).max(100),
  url: WebUrl.max(2000),
  expiresAt: z.iso.datetime({ offset: true }),
});
export type Session = z.output<typeof Session>;

export type Marketplace = { open(request: SessionRequest): Promise<Session> };

/** `reference` identifies the deposit at the marketplace. A repeated request with the same reference returns the same session. */
type SessionRequest = {
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
    /** Throws 503 SERVICE_UNAVAILABLE if the response is not usable. The marketplace may have created the session even then. */
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

const AnyTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

/** Parsing is lenient, because the items have already been sold. */
const ReportedSkin = z.object({
  transactionId: z.string().min(1).max(100),
  status: z.string().max(100),
  items: z
    .array(z.object({ name: z.string().max(200), priceUsd: Exact }))
    .max(500)
    .nullish(),
  usdAmount: Exact.nullish(),
  holdUntil: AnyTime.nullish().catch(null),
  userRisk: z.record(z.string(), z.unknown()).nullish().catch({}),
  failReason: Reason.nullish().catch(null),
  occurredAt: AnyTime,
});

/** A report about a trade. `rawUsdAmount`: the trade's value as received, if digits were removed. */
export type SkinReport = Omit<z.output<typeof ReportedSkin>, 'usdAmount' | 'items' | 'status'> & {
  status: SkinStatus;
  items: { name: string; priceUsd: string }[] | undefined;
  usdAmount: Units | null;
  rawUsdAmount: string | undefined;
};

/** The maximum plausible value of a trade, in US dollars. */
const MAX_USD = parseUnits('10000000')!;

/** Parses a webhook. Throws 400 VALIDATION_FAILED and AMOUNT_OUT_OF_RANGE. */
export function parseReport(raw: Buffer): SkinReport {
  const { items, usdAmount, status: name, ...report } = readReport(raw, ReportedSkin);
  const status = SKIN_STATUSES.find((one) => one === name.toUpperCase());
  if (!status) throw commonErrors.VALIDATION_FAILED({ unknownType: name });
  const value = usdAmount == null ? undefined : amountOf(usdAmount);
  return {
    ...report,
    status,
    items: items?.map((item) => ({ name: item.name, priceUsd: formatUnits(amountOf(item.priceUsd).amount) })),
    usdAmount: value?.amount ?? null,
    rawUsdAmount: value?.isCut ? (usdAmount ?? undefined) : undefined,
  };
}

function amountOf(text: string): { amount: Units; isCut: boolean } {
  const read = readCut(text);
  if (read === undefined || read.amount > MAX_USD) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return read;
}
