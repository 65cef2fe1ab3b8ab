import type { Tx } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { PartnerReports } from '../../base/findings/reports.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import type { WebhookEvent } from '../../base/webhooks/service.ts';
import { recordDocumentCountry } from './documents.ts';
import { changeTiers, lockStanding, type OnApproved, tierIn } from './level.ts';
import type { KycProvider } from './provider.ts';
import { findApplicantUser, storeEvent } from './queries.ts';
import { afterReport, isApproved, type KycReport, type Tier } from './rules.ts';

type Deps = {
  provider: KycProvider | undefined;
  log: Log;
  partnerReports: PartnerReports;
  onApproved: OnApproved;
};

/** Returns the configured provider. Throws 404 PROVIDER_NOT_FOUND if it is another one, because the configuration may have changed. */
export function providerNamed({ provider }: Pick<Deps, 'provider'>, id: string): KycProvider {
  if (provider?.id !== id) throw webhookErrors.PROVIDER_NOT_FOUND();
  return provider;
}

/** Processes a stored webhook. */
export async function processWebhook(deps: Deps, tx: Tx, event: WebhookEvent): Promise<void> {
  const provider = providerNamed(deps, event.provider);
  const { report, unknownTypes = [] } = provider.read(event.raw);
  for (const type of unknownTypes) deps.partnerReports.countType(provider.id, type);
  if (!report) return;
  const { applicantId, tier, eventId } = report;
  const owner = await findApplicantUser(tx, provider.id, applicantId);
  const isOurs = owner !== undefined && (report.userId === null || report.userId === owner.user_id);
  if (isOurs && tier) return applyReport(tx, { ...deps, provider }, owner.user_id, { ...report, tier });
  const outcome = !owner ? 'UNKNOWN_APPLICANT' : isOurs ? 'UNKNOWN_LEVEL' : 'WRONG_USER';
  if (!(await storeEvent(tx, { ...report, provider: provider.id, outcome }))) return;
  deps.log.warn(
    { provider: provider.id, eventId, applicantId, outcome },
    'KYC webhook stored without effect',
  );
  // One account at a provider may serve several sites, so the applicant may belong to another site.
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

/** Locks the player, so that reports about one player are applied one at a time. A repeated event has no effect. */
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
