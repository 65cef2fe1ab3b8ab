import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { addJob, JobHopeless } from '../../../platform/queue/queue.ts';
import type { PartnerReports } from '../../base/findings/service.ts';
import { isErased } from '../../base/users/rules.ts';
import { UserId } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import { webhookErrors } from '../../base/webhooks/schemas.ts';
import type { WebhookEvent } from '../../base/webhooks/service.ts';
import { changeTiers, lockStanding, type OnApproved, tierIn } from './level.ts';
import type { KycProvider } from './provider.ts';
import {
  deleteApplicant,
  findApplicant,
  findApplicantUser,
  findPerson,
  storeDocumentCountry,
  storeEvent,
} from './queries.ts';
import {
  afterNotice,
  afterReport,
  isApproved,
  type KycNotice,
  type KycReport,
  type Outcome,
  type Tier,
} from './rules.ts';
import { KycTierName } from './schemas.ts';

type Deps = {
  provider: KycProvider | undefined;
  log: Log;
  partnerReports: PartnerReports;
  onApproved: OnApproved;
};

/**
 * Returns the configured provider. Throws 404 PROVIDER_NOT_FOUND if a different provider is configured, which is possible after a
 * configuration change.
 */
export function providerNamed({ provider }: Pick<Deps, 'provider'>, id: string): KycProvider {
  if (provider?.id !== id) throw webhookErrors.PROVIDER_NOT_FOUND();
  return provider;
}

/** Processes a stored webhook. */
export async function processWebhook(deps: Deps, tx: Tx, event: WebhookEvent): Promise<void> {
  const provider = providerNamed(deps, event.provider);
  const { report, notice, unknownTypes = [] } = provider.read(event.raw);
  for (const type of unknownTypes) deps.partnerReports.countType(provider.id, type);
  const said = report ?? (notice && { ...notice, tier: null });
  if (!said) return;
  const { applicantId, tier, eventId } = said;
  const owner = await findApplicantUser(tx, provider.id, applicantId);
  const isOurs = owner !== undefined && (said.userId === null || said.userId === owner.user_id);
  if (isOurs && notice) return applyNotice(tx, provider, owner.user_id, notice);
  if (isOurs && report && tier)
    return applyReport(tx, { ...deps, provider }, owner.user_id, { ...report, tier });
  const outcome = !owner ? 'UNKNOWN_APPLICANT' : isOurs ? 'UNKNOWN_LEVEL' : 'WRONG_USER';
  if (!(await storeEvent(tx, { ...said, provider: provider.id, outcome }))) return;
  deps.log.warn(
    { provider: provider.id, eventId, applicantId, outcome },
    'KYC webhook stored without effect',
  );
  // Several sites may share one account at a provider, so the applicant may belong to another site.
  if (!owner) return;
  await deps.partnerReports.store(
    tx,
    { slug: provider.id },
    {
      reason: 'UNBOOKABLE',
      type: outcome,
      subject: `kyc:${provider.id}:${eventId}`,
      userId: owner.user_id,
      raw: event.raw,
      isPersonal: true,
    },
  );
}

/** Locks the player, so that reports about one player are applied one at a time. A repeated report has no effect. */
async function applyReport(
  tx: Tx,
  { provider, onApproved }: Pick<Deps, 'onApproved'> & { provider: KycProvider },
  userId: number,
  report: KycReport & { tier: Tier },
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const providerReport = { ...report, provider: provider.id };
  const { outcome, next } = afterReport(tierIn(standing, report.tier), providerReport, standing.now);
  if (!(await storeEvent(tx, { ...providerReport, outcome }))) return;
  await recordDocumentCountry(tx, provider, userId, { ...report, outcome });
  if (outcome !== 'APPLIED') return;
  await changeTiers(tx, standing, [next], { reason: provider.id });
  if (isApproved(next)) await onApproved(tx, userId, report.tier);
}

/**
 * Puts all tiers with documents on hold that are approved or in review, because the provider has one record for all of them. After a
 * deletion, the player's next session creates another record. Locks the player.
 */
async function applyNotice(
  tx: Tx,
  { id: provider }: KycProvider,
  userId: number,
  notice: KycNotice,
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const isGone = isErased(await getUser(tx, userId));
  const changes = DocumentTierName.options.map((tier) =>
    afterNotice(tierIn(standing, tier), { ...notice, provider }, standing.now),
  );
  const applied = changes.filter(({ outcome }) => outcome === 'APPLIED').map(({ next }) => next);
  // The provider may delete its record because the player was erased.
  const outcome = isGone ? 'ERASED' : applied.length > 0 ? 'APPLIED' : changes[0]!.outcome;
  if (!(await storeEvent(tx, { ...notice, provider, tier: null, outcome }))) return;
  if (notice.status === 'DELETED') await deleteApplicant(tx, provider, notice.applicantId);
  if (outcome === 'APPLIED') await changeTiers(tx, standing, applied, { reason: provider });
}

/** The job that fetches the country of a player's identity document from a provider whose webhooks do not contain it. */
export const DOCUMENT_COUNTRY = 'kyc.document-country';

const DocumentTierName = KycTierName.exclude(['BASIC']);
const Job = z.object({ provider: z.string(), userId: UserId, tier: DocumentTierName });
type Job = z.output<typeof Job>;

/**
 * Stores the country of the identity document after a new APPROVED report, or queues the job that fetches it. This also happens after an
 * earlier approval by staff, because the provider has now verified the document. Reports about tiers other than IDENTITY do not replace a
 * stored country, because they may refer to the proof of address. The player must be locked.
 */
async function recordDocumentCountry(
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

/**
 * Returns the handler of the job. The handler fetches the country before its transaction starts, and discards it if the approval was
 * withdrawn in the meantime.
 */
export const createDocumentCountryJob =
  ({ db, provider }: { db: Db; provider: KycProvider | undefined }) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('does not name a player and a tier');
    const { userId, tier } = job.data;
    // Another provider may have been configured after the job was queued.
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
