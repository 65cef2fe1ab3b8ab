import { z } from 'zod';
import { toAlpha2 } from '../../../platform/countries/codes.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { readReport } from '../../base/webhooks/report.ts';
import { signatureOf, signedBy } from '../../base/webhooks/signature.ts';
import { type KycProvider, type ProviderDeps, readAnswer } from './provider.ts';
import { CHECK_RESULTS, type Check, type KycMessage } from './rules.ts';
import { KycWebhook, ReportedKyc } from './schemas.ts';

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

/** Treats an unknown status or tier as missing, and a check with an unknown result as pending, so that staff see it. */
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
