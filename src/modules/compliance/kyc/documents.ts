import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import { isErased } from '../../base/users/rules.ts';
import { UserId } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import { lockStanding } from './level.ts';
import type { KycProvider } from './provider.ts';
import { findApplicant, findPerson, storeDocumentCountry } from './queries.ts';
import { isApproved, type KycReport, type Outcome } from './rules.ts';
import { KycTierName } from './schemas.ts';

/** The job that fetches the country of a player's identity document from a provider whose webhooks do not contain it. */
export const DOCUMENT_COUNTRY = 'kyc.document-country';

const DocumentTierName = KycTierName.exclude(['BASIC']);
const Job = z.object({ provider: z.string(), userId: UserId, tier: DocumentTierName });
type Job = z.output<typeof Job>;

/**
 * Stores the country of the identity document after a new APPROVED report, or queues the job that fetches it. An earlier approval by staff
 * does not prevent this, because the provider has now verified the document. Reports about other tiers than IDENTITY do not replace a known
 * country: they may refer to the proof of address. The player must be locked.
 */
export async function recordDocumentCountry(
  tx: Tx,
  provider: KycProvider,
  userId: number,
  { status, tier, documentCountry, outcome }: KycReport & { outcome: Outcome },
): Promise<void> {
  const document = DocumentTierName.safeParse(tier);
  const isVerified = status === 'APPROVED' && (outcome === 'APPLIED' || outcome === 'STAFF_DECIDED');
  if (!document.success || !isVerified) return;
  if (documentCountry) {
    const isKnown = tier !== 'IDENTITY' && (await findPerson(tx, userId))?.document_country;
    return isKnown ? undefined : storeUnlessErased(tx, userId, documentCountry);
  }
  if (!provider.findDocumentCountry) return;
  const job: Job = { provider: provider.id, userId, tier: document.data };
  await addJob(tx, DOCUMENT_COUNTRY, job, { key: `${DOCUMENT_COUNTRY}:${userId}` });
}

/** Returns the handler of the job. It fetches the country before its transaction, and drops it if the approval was withdrawn meanwhile. */
export const createDocumentCountryJob =
  ({ db, provider }: { db: Db; provider: KycProvider | undefined }) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('does not name a player and a tier');
    const { userId, tier } = job.data;
    // Another provider may have been configured since.
    if (provider?.id !== job.data.provider) return;
    const applicant = await findApplicant(db, provider.id, userId);
    const country = applicant && (await provider.findDocumentCountry?.(applicant.applicant_id));
    if (!country) return;
    await transaction(db, async (tx) => {
      const { tiers } = await lockStanding(tx, userId);
      const isStillApproved = tiers.some((state) => state.tier === tier && isApproved(state));
      if (isStillApproved) await storeUnlessErased(tx, userId, country);
    });
  };

async function storeUnlessErased(tx: Tx, userId: number, country: string): Promise<void> {
  if (!isErased(await getUser(tx, userId))) await storeDocumentCountry(tx, userId, country);
}
