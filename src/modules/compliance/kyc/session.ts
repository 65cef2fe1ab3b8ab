import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { NotSent, Unanswered } from '../../../platform/net/outbound.ts';
import { Language } from '../../base/users/schemas.ts';
import { transactionTime } from '../gate/service.ts';
import type { KycProvider } from './provider.ts';
import { findApplicant, findPerson, readTiers, storeApplicant } from './queries.ts';
import { asOfNow, isApproved, isClosed } from './rules.ts';
import { KycTierName } from './schemas.ts';
import { type KycDeps, kycErrors } from './service.ts';

const NewKycSession = z.strictObject({
  tier: KycTierName.exclude(['BASIC']),
  language: Language.optional(),
});

const KycSession = object('KycSession', {
  provider: z.string(),
  accessToken: z.string(),
  applicantId: z.string(),
  levelName: z.string(),
  expiresAt: Timestamp,
});

/** The value of `Retry-After` if the provider does not respond. */
const RETRY_SECONDS = 5;

export const openKycSession = operation({
  method: 'POST',
  path: '/kyc/session',
  tag: 'KYC',
  access: 'auth',
  gate: 'none',
  summary: 'Start a verification session for one tier',
  description:
    "Creates an applicant at the identity provider and a token for the player's browser. The tier becomes PENDING once the provider " +
    'reports documents.',
  body: NewKycSession,
  response: KycSession,
  errors: [
    kycErrors.KYC_BASIC_REQUIRED,
    kycErrors.KYC_ALREADY_APPROVED,
    kycErrors.KYC_FINALLY_REJECTED,
    kycErrors.KYC_PROVIDER_MISSING,
    commonErrors.SERVICE_UNAVAILABLE,
  ],
  handler: (deps: KycDeps, { user, body }) => open(deps, user.id, body),
});

async function open(
  deps: KycDeps,
  userId: number,
  { tier, language }: z.output<typeof NewKycSession>,
): Promise<z.input<typeof KycSession>> {
  const { db, log, kyc } = deps;
  const { provider } = kyc;
  const now = await transactionTime(db);
  const tiers = (await readTiers(db, userId)).map((state) => asOfNow(state, now));
  const [basic, requested] = [tiers[0]!, tiers.find((state) => state.tier === tier)!];
  if (!isApproved(basic)) throw kycErrors.KYC_BASIC_REQUIRED();
  if (isApproved(requested)) throw kycErrors.KYC_ALREADY_APPROVED();
  if (isClosed(requested)) throw kycErrors.KYC_FINALLY_REJECTED();
  if (!provider) throw kycErrors.KYC_PROVIDER_MISSING();
  const levelName = provider.levels[tier];
  try {
    const applicantId = await ensureApplicant(deps, provider, { userId, levelName });
    const { accessToken, expiresAt } = await provider.createToken({
      userId,
      applicantId,
      levelName,
      language,
    });
    return { provider: provider.id, accessToken, applicantId, levelName, expiresAt: iso(expiresAt) };
  } catch (error) {
    if (!(error instanceof NotSent || error instanceof Unanswered)) throw error;
    log
      .named('kyc')
      .warn({ provider: provider.id, userId, error: error.message }, 'KYC session could not be created');
    throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: RETRY_SECONDS });
  }
}

async function ensureApplicant(
  { db, kyc: { persons } }: KycDeps,
  provider: KycProvider,
  { userId, levelName }: { userId: number; levelName: string },
): Promise<string> {
  const stated = await findPerson(db, userId);
  const applicant = await findApplicant(db, provider.id, userId);
  const applicantId = await provider.ensureApplicant({
    userId,
    levelName,
    applicantId: applicant?.applicant_id ?? null,
    person: stated?.sealed ? persons.open(stated.sealed) : null,
  });
  if (applicantId === applicant?.applicant_id) return applicantId;
  await storeApplicant(db, { provider: provider.id, applicantId, userId });
  const stored = await findApplicant(db, provider.id, userId);
  // Without this check, reports about one player could change another player's tiers.
  if (stored?.applicant_id !== applicantId) throw new Unanswered('returned the applicant of another player');
  return applicantId;
}
