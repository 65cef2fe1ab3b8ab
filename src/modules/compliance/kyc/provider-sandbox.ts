import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { signatureOf, signedBy } from '../../base/webhooks/signature.ts';
import { type KycProvider, type ProviderDeps, readAnswer } from './provider.ts';
import { KycWebhook } from './schemas.ts';

const Applicant = z.object({ applicantId: z.string().min(1).max(64) });
const Token = z.object({ token: z.string().min(1).max(4000), expiresAt: z.iso.datetime({ offset: true }) });
const TOKEN_SECONDS = 1800;

/** Our own protocol, spoken by the sandbox: requests bear the key in x-api-key and are signed in x-signature as webhooks are. */
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

    read(raw) {
      const said = readNotice(raw, KycWebhook);
      const { eventId, applicantId, userId, tier, status, rejectLabels = [] } = said;
      return {
        eventId,
        applicantId,
        userId,
        tier,
        status,
        rejectLabels,
        checks: (said.checks ?? []).map((check) => ({ ...check, detail: check.detail ?? null })),
        rejectType: said.rejectType ?? null,
        moderationComment: said.moderationComment ?? null,
        clientComment: said.clientComment ?? null,
        expiresAt: said.expiresAt ? new Date(said.expiresAt) : null,
        at: new Date(said.occurredAt),
      };
    },
  };
}
