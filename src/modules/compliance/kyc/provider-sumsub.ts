import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { isSameSecret } from '../../../platform/encryption.ts';
import type { OutboundAnswer, OutboundRequest } from '../../../platform/outbound.ts';
import { type DocumentTier, type KycProvider, type ProviderDeps, readAnswer } from './provider.ts';
import type { KycReport, ReportStatus } from './rules.ts';
import type { Person } from './schemas.ts';

const TOKEN_SECONDS = 1800;
const Applicant = z.object({ id: z.string().min(1).max(64) });
const Token = z.object({ token: z.string().min(1).max(4000) });

/** Sumsub, as https://docs.sumsub.com describes it: one applicant for each player, a level for each tier. */
export function createSumsubProvider({ config, clock, outbound, levels }: ProviderDeps): KycProvider {
  const send = (method: OutboundRequest['method'], path: string, input?: object): Promise<OutboundAnswer> => {
    const body = input === undefined ? undefined : JSON.stringify(input);
    const at = String(Math.floor(clock.now() / 1000));
    const signature = createHmac('sha256', config.KYC_API_SECRET)
      .update(`${at}${method}${path}${body ?? ''}`)
      .digest('hex');
    const headers = {
      'x-app-token': config.KYC_API_KEY,
      'x-app-access-ts': at,
      'x-app-access-sig': signature,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return outbound.ask({ method, path, headers, ...(body === undefined ? {} : { body }) });
  };

  /** A known player keeps their applicant id; their new statement replaces the earlier one. */
  const renew = async (id: string, person: Person | null): Promise<string> => {
    if (person)
      readAnswer(await send('PATCH', `/resources/applicants/${id}/fixedInfo`, infoOf(person)), z.object({}));
    return id;
  };

  return {
    id: 'sumsub',
    levels,

    async ensureApplicant({ userId, applicantId, levelName, person }) {
      if (applicantId) return renew(applicantId, person);
      const made = await send('POST', `/resources/applicants?levelName=${encodeURIComponent(levelName)}`, {
        externalUserId: String(userId),
        ...(person ? { fixedInfo: infoOf(person) } : {}),
      });
      if (made.status !== 409) return readAnswer(made, Applicant).id;
      const path = `/resources/applicants/-;externalUserId=${userId}/one`;
      return renew(readAnswer(await send('GET', path), Applicant).id, person);
    },

    async createToken({ userId, levelName }) {
      const asked = clock.now();
      const request = { userId: String(userId), levelName, ttlInSecs: TOKEN_SECONDS };
      const { token } = readAnswer(await send('POST', '/resources/accessTokens/sdk', request), Token);
      return { accessToken: token, expiresAt: new Date(asked + TOKEN_SECONDS * 1000) };
    },

    isSigned: (raw, headers) => isDigest(raw, headers, config.KYC_WEBHOOK_SECRETS),
    read: (raw) => reportOf(readNotice(raw, Webhook), levels),
  };
}

/** What documents are compared with. */
const infoOf = ({ firstName, lastName, birthDate }: Person) => ({ firstName, lastName, dob: birthDate });

const ALGORITHMS: Readonly<Record<string, string>> = {
  HMAC_SHA256_HEX: 'sha256',
  HMAC_SHA512_HEX: 'sha512',
};

/** Neither header may come twice: Node joins them, and that is no digest. The digest has no time: a webhook that is sent again is a known event. */
function isDigest(raw: Buffer, headers: IncomingHttpHeaders, secrets: readonly string[]): boolean {
  const { 'x-payload-digest': digest, 'x-payload-digest-alg': name } = headers;
  if (typeof digest !== 'string' || typeof name !== 'string' || !Object.hasOwn(ALGORITHMS, name))
    return false;
  const checks = secrets.map((secret) =>
    isSameSecret(createHmac(ALGORITHMS[name]!, secret).update(raw).digest('hex'), digest),
  );
  return checks.includes(true);
}

/** There are many kinds of webhooks with many fields, and more to come: unknown fields are ignored. */
const Webhook = z.object({
  type: z.string().max(100),
  applicantId: z.string().min(1).max(64),
  externalUserId: z.string().max(200).nullish(),
  levelName: z.string().max(200).nullish(),
  correlationId: z.string().min(1).max(200).nullish(),
  eventId: z.string().min(1).max(200).nullish(),
  createdAtMs: z.union([z.string().max(40), z.number()]).transform((given, context): Date => {
    const at = timeOf(String(given));
    if (Number.isNaN(at.getTime())) context.addIssue({ code: 'custom', message: 'is no time' });
    return at;
  }),
  reviewResult: z
    .object({
      reviewAnswer: z.string().max(20),
      rejectLabels: z.array(z.string().max(100)).max(100).nullish(),
      reviewRejectType: z.string().max(20).nullish(),
      moderationComment: z.string().max(5000).nullish(),
      clientComment: z.string().max(5000).nullish(),
    })
    .nullish(),
});
type Webhook = z.output<typeof Webhook>;

function reportOf(said: Webhook, levels: Readonly<Record<DocumentTier, string>>): KycReport | undefined {
  const status = statusOf(said);
  if (!status) return undefined;
  const at = said.createdAtMs;
  const { rejectLabels, reviewRejectType, moderationComment, clientComment } = said.reviewResult ?? {};
  const tier = (Object.keys(levels) as DocumentTier[]).find((name) => levels[name] === said.levelName);
  const isRejected = status === 'REJECTED';
  return {
    // Older accounts send a correlation id alone, which several webhooks about the same thing share.
    eventId: said.eventId ?? [said.correlationId ?? said.applicantId, said.type, at.getTime()].join(':'),
    applicantId: said.applicantId,
    userId: said.externalUserId == null ? null : userIdOf(said.externalUserId),
    tier: tier ?? null,
    status,
    at,
    expiresAt: null,
    checks: status === 'RESET' ? [] : [{ name: 'review', result: RESULTS[status], detail: null }],
    rejectType: isRejected ? (reviewRejectType === 'FINAL' ? 'FINAL' : 'RETRY') : null,
    rejectLabels: rejectLabels ?? [],
    moderationComment: moderationComment ?? null,
    clientComment: clientComment ?? null,
  };
}

/** The user that the provider means; 0, the id of nobody, for a text that is no id. */
function userIdOf(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id <= 2_147_483_647 ? id : 0;
}

const RESULTS = {
  ...({ PENDING: 'PENDING', ON_HOLD: 'PENDING', APPROVED: 'PASSED' } as const),
  ...({ REJECTED: 'FAILED', EXPIRED: 'FAILED' } as const),
};

/** `applicantCreated` only says that the player has begun. */
function statusOf({ type, reviewResult }: Webhook): ReportStatus | undefined {
  switch (type) {
    case 'applicantPending':
      return 'PENDING';
    case 'applicantOnHold':
      return 'ON_HOLD';
    case 'applicantReset':
      return 'RESET';
    case 'applicantReviewed':
      if (reviewResult?.reviewAnswer === 'GREEN') return 'APPROVED';
      return reviewResult?.reviewAnswer === 'RED' ? 'REJECTED' : 'ON_HOLD';
    default:
      return undefined;
  }
}

/** Milliseconds, or `2026-11-21 09:30:00.123` in UTC. */
function timeOf(text: string): Date {
  if (/^\d{1,15}$/.test(text)) return new Date(Number(text));
  return new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
}
