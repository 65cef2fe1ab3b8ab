import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { toAlpha2 } from '../../../platform/countries/codes.ts';
import type { OutboundAnswer, OutboundRequest } from '../../../platform/net/outbound.ts';
import { isSameSecret } from '../../../platform/secrets/encryption.ts';
import { readReport } from '../../base/webhooks/report.ts';
import { type DocumentTier, type KycProvider, type ProviderDeps, readAnswer } from './provider.ts';
import type { KycMessage, KycNotice, KycReport, ReportStatus } from './rules.ts';
import type { Person } from './schemas.ts';

const TOKEN_SECONDS = 1800;
const Applicant = z.object({ id: z.string().min(1).max(64) });
const Token = z.object({ token: z.string().min(1).max(4000) });

/** The provider Sumsub, following https://docs.sumsub.com. There is one applicant for each player, and one level for each tier. */
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

  /** Keeps the existing applicant and replaces the applicant's personal data. */
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

    async findDocumentCountry(applicantId) {
      const answer = await send('GET', `/resources/applicants/${encodeURIComponent(applicantId)}/one`);
      // Status 404 means that the applicant was deleted at the provider.
      return answer.status === 404 ? null : countryOfDocuments(readAnswer(answer, SumsubDocuments));
    },

    isSigned: (raw, headers) => isDigest(raw, headers, config.KYC_WEBHOOK_SECRETS),
    fields: FIELDS,
    read: (raw) => messageOf(readReport(raw, Webhook), levels),
  };
}

/** Returns the personal data that the provider compares with the documents. The provider rejects empty names. */
const infoOf = ({ firstName, lastName, birthDate }: Person) => ({
  ...(firstName && { firstName }),
  ...(lastName && { lastName }),
  dob: birthDate,
});

const ALGORITHMS: Readonly<Record<string, string>> = {
  HMAC_SHA256_HEX: 'sha256',
  HMAC_SHA512_HEX: 'sha512',
};

/**
 * Returns true if the digest header is valid. Node joins repeated headers, so a repeated header makes the digest invalid. The digest
 * includes no timestamp, so a webhook that is sent again is recognized by its event id.
 */
function isDigest(raw: Buffer, headers: IncomingHttpHeaders, secrets: readonly string[]): boolean {
  const { 'x-payload-digest': digest, 'x-payload-digest-alg': name } = headers;
  if (typeof digest !== 'string' || typeof name !== 'string' || !Object.hasOwn(ALGORITHMS, name))
    return false;
  const checks = secrets.map((secret) =>
    isSameSecret(createHmac(ALGORITHMS[name]!, secret).update(raw).digest('hex'), digest),
  );
  return checks.includes(true);
}

/** Unknown fields are ignored, because Sumsub has many webhook types and fields and keeps adding more. */
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

/** Documented top-level fields of Sumsub's webhooks. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    ...Object.keys(Webhook.shape),
    'inspectionId',
    'applicantType',
    'reviewStatus',
    'createdAt',
    'clientId',
  ],
  ...[
    'sandboxMode',
    'externalUserIdType',
    'applicantMemberOf',
    'applicantActionId',
    'externalApplicantActionId',
  ],
  ...['videoIdentReviewStatus', 'previousLevelName', 'reviewMode', 'eventDetails', 'tenantId'],
]);
/** Webhook types that change nothing here. */
const UNUSED_TYPES: ReadonlySet<string> = new Set(
  ['Created', 'Prechecked', 'PersonalInfoChanged', 'TagsChanged', 'Activated', 'LevelChanged']
    .concat(['PersonalDataDeleted', 'WorkflowCompleted', 'WorkflowFailed', 'ActionPending'])
    .concat(['ActionReviewed', 'ActionOnHold', 'AwaitingUser', 'AwaitingService', 'StatusChanged'])
    .map((name) => `applicant${name}`.toLowerCase()),
);

/** Webhook types that report the end of the provider's record of a person. */
const NOTICES: ReadonlyMap<string, KycNotice['status']> = new Map([
  ['applicantdeactivated', 'DEACTIVATED'],
  ['applicantdeleted', 'DELETED'],
]);

function messageOf(said: Webhook, levels: Readonly<Record<DocumentTier, string>>): KycMessage {
  const type = said.type.toLowerCase();
  const ended = NOTICES.get(type);
  if (ended) return { notice: { ...subjectOf(said), status: ended } };
  const status = statusOf(said);
  const { reviewAnswer } = said.reviewResult ?? {};
  if (!status) return UNUSED_TYPES.has(type) ? {} : { unknownTypes: [said.type] };
  const isKnown = reviewAnswer === undefined || ANSWERS.has(reviewAnswer.toUpperCase());
  return { report: reportOf(said, status, levels), unknownTypes: isKnown ? [] : [reviewAnswer] };
}

/** The applicant to whom a webhook refers. */
function subjectOf({ type, applicantId, externalUserId, correlationId, eventId, createdAtMs: at }: Webhook) {
  return {
    // Older Sumsub accounts send only a correlation id, which is the same in several webhooks about one case.
    eventId: eventId ?? [correlationId ?? applicantId, type, at.getTime()].join(':'),
    applicantId,
    userId: externalUserId == null ? null : userIdOf(externalUserId),
    at,
  };
}

function reportOf(
  said: Webhook,
  status: ReportStatus,
  levels: Readonly<Record<DocumentTier, string>>,
): KycReport {
  const { rejectLabels, reviewRejectType, moderationComment, clientComment } = said.reviewResult ?? {};
  const tier = (Object.keys(levels) as DocumentTier[]).find((name) => levels[name] === said.levelName);
  const isRejected = status === 'REJECTED';
  return {
    ...subjectOf(said),
    tier: tier ?? null,
    documentCountry: null,
    status,
    expiresAt: null,
    checks: status === 'RESET' ? [] : [{ name: 'review', result: RESULTS[status], detail: null }],
    rejectType: isRejected ? (reviewRejectType?.toUpperCase() === 'FINAL' ? 'FINAL' : 'RETRY') : null,
    rejectLabels: rejectLabels ?? [],
    moderationComment: moderationComment ?? null,
    clientComment: clientComment ?? null,
  };
}

/** Returns the user id that the provider sent, or 0, which no user has, if the text is not a valid id. */
function userIdOf(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id <= 2_147_483_647 ? id : 0;
}

const RESULTS = {
  ...({ PENDING: 'PENDING', ON_HOLD: 'PENDING', APPROVED: 'PASSED' } as const),
  ...({ REJECTED: 'FAILED', EXPIRED: 'FAILED' } as const),
};

const ANSWERS: ReadonlySet<string> = new Set(['GREEN', 'RED']);

/** Returns the status that a webhook reports for a tier. `applicantCreated` only means that the player has started the verification. */
function statusOf({ type, reviewResult }: Webhook): ReportStatus | undefined {
  const answer = reviewResult?.reviewAnswer.toUpperCase();
  switch (type.toLowerCase()) {
    case 'applicantpending':
      return 'PENDING';
    case 'applicantonhold':
      return 'ON_HOLD';
    case 'applicantreset':
      return 'RESET';
    case 'applicantreviewed':
      if (answer === 'GREEN') return 'APPROVED';
      return answer === 'RED' ? 'REJECTED' : 'ON_HOLD';
    default:
      return undefined;
  }
}

/** Parses a time given in milliseconds or as `2026-11-21 09:30:00.123` in UTC. */
function timeOf(text: string): Date {
  if (/^\d{1,15}$/.test(text)) return new Date(Number(text));
  return new Date(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
}

const IdDoc = z.object({
  idDocType: z.string(),
  /** The alpha-3 code of the country that issued the document. */
  country: z.string(),
  /** YYYY-MM-DD */
  issuedDate: z.string().nullish().catch(null),
});

/** An applicant at Sumsub, with the documents that Sumsub has read. A document whose type or country cannot be read is null. */
const SumsubDocuments = z.object({
  info: z
    .object({ idDocs: z.array(IdDoc.nullable().catch(null)) })
    .nullish()
    .catch(null),
});

/** All other types, such as UTILITY_BILL, prove an address or an income but not an identity. */
const IDENTITY_TYPES: ReadonlySet<string> = new Set(['PASSPORT', 'ID_CARD', 'RESIDENCE_PERMIT', 'DRIVERS']);

/**
 * Returns the country of the identity document with the latest issue date, or of the first one if none has a date. Returns null if there is
 * no identity document.
 */
function countryOfDocuments({ info }: z.output<typeof SumsubDocuments>): string | null {
  const found = (info?.idDocs ?? []).flatMap((document) => {
    if (!document || !IDENTITY_TYPES.has(document.idDocType.toUpperCase())) return [];
    const country = toAlpha2(document.country);
    return country ? [{ country, issued: document.issuedDate ?? '' }] : [];
  });
  const newest = found.map(({ issued }) => issued).reduce((a, b) => (b > a ? b : a), '');
  return found.find(({ issued }) => issued === newest)?.country ?? null;
}
