import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { NotSent, Unanswered } from '../../../platform/outbound.ts';
import { transactionTime } from '../gate/service.ts';
import { kycErrors } from './errors.ts';
import type { Persons } from './persons.ts';
import type { KycProvider } from './provider.ts';
import { findApplicant, findPerson, readTiers, storeApplicant } from './queries.ts';
import { asOfNow, isApproved, isClosed } from './rules.ts';
import type { KycSession, NewKycSession } from './schemas.ts';

type Deps = { db: Db; provider: KycProvider | undefined; persons: Persons; log: Log };

/** `Retry-After` when the provider does not answer. */
const RETRY_SECONDS = 5;

/**
 * Lets a player show documents for a tier: creates their applicant at the provider and a token for their browser. The tier does not
 * become pending. Throws 409 KYC_BASIC_REQUIRED, KYC_ALREADY_APPROVED, KYC_FINALLY_REJECTED, KYC_PROVIDER_MISSING, 503
 * SERVICE_UNAVAILABLE when the provider does not answer.
 */
export async function openSession(
  deps: Deps,
  userId: number,
  { tier, language }: z.output<typeof NewKycSession>,
): Promise<z.input<typeof KycSession>> {
  const { db, provider, log } = deps;
  const now = await transactionTime(db);
  const tiers = (await readTiers(db, userId)).map((state) => asOfNow(state, now));
  const [basic, wanted] = [tiers[0]!, tiers.find((state) => state.tier === tier)!];
  if (!isApproved(basic)) throw kycErrors.KYC_BASIC_REQUIRED();
  if (isApproved(wanted)) throw kycErrors.KYC_ALREADY_APPROVED();
  if (isClosed(wanted)) throw kycErrors.KYC_FINALLY_REJECTED();
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
    log.warn({ provider: provider.id, userId, error: error.message }, 'no session at the provider');
    throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: RETRY_SECONDS });
  }
}

async function ensureApplicant(
  { db, persons }: Deps,
  provider: KycProvider,
  { userId, levelName }: { userId: number; levelName: string },
): Promise<string> {
  const stated = await findPerson(db, userId);
  const known = await findApplicant(db, provider.id, userId);
  const applicantId = await provider.ensureApplicant({
    userId,
    levelName,
    applicantId: known?.applicant_id ?? null,
    person: stated?.sealed ? persons.open(stated.sealed) : null,
  });
  if (applicantId === known?.applicant_id) return applicantId;
  await storeApplicant(db, { provider: provider.id, applicantId, userId });
  const stored = await findApplicant(db, provider.id, userId);
  // A provider that answers another player's applicant would let one player decide about another.
  if (stored?.applicant_id !== applicantId) throw new Unanswered('answered the applicant of another player');
  return applicantId;
}
