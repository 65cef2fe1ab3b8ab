import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Outbound, Unanswered } from '../../../platform/outbound.ts';
import { isSigned, signatureOf } from '../../base/webhooks/signature.ts';
import type { DocumentTier, KycProvider } from './provider.ts';
import { KycWebhook } from './schemas.ts';

const Applicant = z.object({ applicantId: z.string().min(1).max(64) });
const Token = z.object({ token: z.string().min(1).max(4000), expiresAt: z.iso.datetime({ offset: true }) });
const TOKEN_SECONDS = 1800;

/**
 * The dialect of our own protocol, spoken by the sandbox: requests bear the key in x-api-key and are signed in x-signature as
 * notices are.
 */
export function createSandboxProvider(parts: {
  outbound: Outbound;
  key: string;
  secret: string;
  webhookSecrets: readonly string[];
  toleranceSeconds: number;
  clock: Clock;
  levels: Readonly<Record<DocumentTier, string>>;
}): KycProvider {
  const { outbound, key, secret, webhookSecrets, toleranceSeconds, clock, levels } = parts;
  const ask = async <S extends z.ZodType>(path: string, request: object, schema: S): Promise<z.output<S>> => {
    const body = JSON.stringify(request);
    const signature = signatureOf(body, secret, Math.floor(clock.now() / 1000));
    const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-signature': signature };
    const { status, text } = await outbound.ask({ method: 'POST', path, headers, body });
    return readAnswer(status, text, schema);
  };
  return {
    id: 'sandbox',
    levelOf: (tier) => levels[tier],

    async ensureApplicant({ userId, levelName, person }) {
      return (await ask('/applicants', { userId, levelName, person }, Applicant)).applicantId;
    },

    async createToken({ applicantId, levelName, language }) {
      const request = { applicantId, levelName, language, ttlSeconds: TOKEN_SECONDS };
      const { token, expiresAt } = await ask('/access-tokens', request, Token);
      return { accessToken: token, expiresAt: new Date(expiresAt) };
    },

    isSigned: (raw, headers) =>
      isSigned(raw, headers['x-signature'], { secrets: webhookSecrets, now: clock.now(), toleranceSeconds }),

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

/** What a provider has answered. Throws Unanswered for what is not what was asked for: nobody can say what it did. */
export function readAnswer<S extends z.ZodType>(status: number, text: string, schema: S): z.output<S> {
  // The answer may speak of a person: only its status is for the log.
  if (status >= 400) throw new Unanswered(`answered ${status}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Unanswered('answered something that is not what was asked for');
  }
}
