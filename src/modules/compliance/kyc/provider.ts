import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { toAlpha2 } from '../../../platform/countries/codes.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { type Outbound, Unanswered } from '../../../platform/net/outbound.ts';
import { readReport } from '../../base/webhooks/report.ts';
import { signatureOf, signedBy } from '../../base/webhooks/signature.ts';
import { CHECK_RESULTS, type Check, type KycMessage, type Tier } from './rules.ts';
import { KycWebhook, type Person, ReportedKyc } from './schemas.ts';

/** A company that verifies documents. Its requests throw NotSent or Unanswered (platform/net/outbound.ts). */
export type KycProvider = {
  /** The path segment of the provider in its webhook URL. */
  id: string;
  /** The names that the provider uses for its levels. */
  levels: Readonly<Record<DocumentTier, string>>;
  /** Returns the provider's id for a player. Creates an applicant if the player has none. Safe to repeat. */
  ensureApplicant(request: ApplicantRequest): Promise<string>;
  /** Creates a token that allows the player's browser to submit documents to the provider. */
  createToken(request: TokenRequest): Promise<{ accessToken: string; expiresAt: Date }>;
  /** Returns true if the provider has signed exactly these bytes. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /**
   * Returns the alpha-2 code of the country that issued a player's identity document, or null if the provider does not know one.
   * Implemented only for providers whose webhooks do not contain the country.
   */
  findDocumentCountry?(applicantId: string): Promise<string | null>;
  /** Known field names of the provider's webhooks. Unknown names are counted in a metric. */
  fields: ReadonlySet<string>;
  /** Reads a signed webhook. Throws 400 VALIDATION_FAILED. */
  read(raw: Buffer): KycMessage;
};

export type ProviderDeps = Pick<KycProvider, 'levels'> & { config: Config; clock: Clock; outbound: Outbound };

export type DocumentTier = Exclude<Tier, 'BASIC'>;
/**
 * `applicantId` is the player's id at the provider, if known. `person` is the identity that the player stated, or null if only staff
 * entered data.
 */
export type ApplicantRequest = {
  userId: number;
  applicantId: string | null;
  levelName: string;
  person: Person | null;
};
export type TokenRequest = {
  userId: number;
  applicantId: string;
  levelName: string;
  language: string | undefined;
};

/**
 * Parses a provider's response. Throws Unanswered if the response is not as expected, because the effect of the request is then unknown.
 */
export function readAnswer<S extends z.ZodType>(
  { status, text }: { status: number; text: string },
  schema: S,
): z.output<S> {
  // The response may contain personal data, so only its status is logged.
  if (status >= 400) throw new Unanswered(`returned status ${status}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Unanswered('returned an unexpected response');
  }
}

const Applicant = z.object({ applicantId: z.string().min(1).max(64) });
const Token = z.object({ token: z.string().min(1).max(4000), expiresAt: z.iso.datetime({ offset: true }) });
const TOKEN_SECONDS = 1800;

/**
 * The platform's own protocol, which the sandbox implements. Requests contain the key in x-api-key and are signed in x-signature, like
 * webhooks.
 */
export function createSandboxProvider({ config, clock, outbound, levels }: ProviderDeps): KycProvider {
  const ask = async <S extends z.ZodType>(path: string, request: object, schema: S): Promise<z.output<S>> => {
    const body = JSON.stringify(request);
    const headers = {
      'content-type': 'application/json',
      'x-api-key': config.KYC_API_KEY,
      'x-signature': signatureOf(body, config.KYC_API_SECRET, Math.floor(clock.now() / 1000)),
    };
    return readAnswer(await outbound.ask({ method: 'POST', path, headers, body }), schema);
  };
  return {
    id: 'sandbox',
    levels,

    async ensureApplicant({ userId, levelName, person }) {
      return (await ask('/applicants', { userId, levelName, person }, Applicant)).applicantId;
    },

    async createToken({ applicantId, levelName, language }) {
      const request = { applicantId, levelName, language, ttlSeconds: TOKEN_SECONDS };
      const { token, expiresAt } = await ask('/access-tokens', request, Token);
      return { accessToken: token, expiresAt: new Date(expiresAt) };
    },

    isSigned: signedBy(config.KYC_WEBHOOK_SECRETS, { config, clock }),

    fields: new Set(Object.keys(ReportedKyc.shape)),
    read,
  };
}

/** Treats an unknown status or tier as missing, and a check with an unknown result as pending, so that staff notice it. */
function read(raw: Buffer): KycMessage {
  const said = readReport(raw, ReportedKyc);
  const { eventId, applicantId, userId, rejectLabels = [] } = said;
  const [status, tier] = [
    KycWebhook.shape.status.safeParse(said.status.toUpperCase()),
    KycWebhook.shape.tier.safeParse(said.tier.toUpperCase()),
  ];
  if (!status.success) throw commonErrors.VALIDATION_FAILED({ unknownType: said.status });
  const results = (said.checks ?? []).map(({ result }) => result.toUpperCase());
  const checks = (said.checks ?? []).map(({ name, detail = null }, n) => ({
    name,
    detail,
    result: isResult(results[n]!) ? results[n] : ('PENDING' as const),
  }));
  return {
    report: {
      eventId,
      applicantId,
      userId,
      rejectLabels,
      checks,
      status: status.data,
      tier: tier.success ? tier.data : null,
      documentCountry: toAlpha2(said.documentCountry ?? ''),
      rejectType: said.rejectType ?? null,
      moderationComment: said.moderationComment ?? null,
      clientComment: said.clientComment ?? null,
      expiresAt: said.expiresAt ? new Date(said.expiresAt) : null,
      at: new Date(said.occurredAt),
    },
    unknownTypes: [...results.filter((result) => !isResult(result)), ...(tier.success ? [] : [said.tier])],
  };
}

const isResult = (result: string): result is Check['result'] =>
  CHECK_RESULTS.some((known) => known === result);
