import type { Notice } from '../../../http/route.ts';
import type { Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import type { WebhookEvent, Webhooks } from '../../base/webhooks/service.ts';
import { changeTiers, lockStanding, tierIn } from './level.ts';
import type { KycProvider } from './provider.ts';
import { findApplicantUser, storeEvent } from './queries.ts';
import { afterReport, type KycReport, type Tier } from './rules.ts';

type Deps = { provider: KycProvider | undefined; webhooks: Webhooks; log: Log };

/**
 * Stores a webhook of the provider and processes it: each event once. Resolves once what follows is committed. Throws 404
 * PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 VALIDATION_FAILED.
 */
export async function receiveWebhook(
  { provider, webhooks }: Deps,
  id: string,
  { raw, headers }: Notice,
): Promise<{ success: boolean }> {
  if (provider?.id !== id) throw webhookErrors.PROVIDER_NOT_FOUND();
  if (!provider.isSigned(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
  await webhooks.receive('kyc', { provider: id, raw });
  return { success: true };
}

/** Processes a stored webhook. */
export async function processWebhook({ provider, log }: Deps, tx: Tx, event: WebhookEvent): Promise<void> {
  // Another provider may have been configured since it was received.
  if (provider?.id !== event.provider) throw webhookErrors.PROVIDER_NOT_FOUND();
  const report = provider.read(event.raw);
  if (!report) return;
  const { applicantId, tier, eventId } = report;
  const owner = await findApplicantUser(tx, provider.id, applicantId);
  const isOurs = owner !== undefined && (report.userId === null || report.userId === owner.user_id);
  if (isOurs && tier) return applyReport(tx, owner.user_id, { ...report, provider: provider.id, tier });
  const outcome = !owner ? 'UNKNOWN_APPLICANT' : isOurs ? 'UNKNOWN_LEVEL' : 'WRONG_USER';
  if (!(await storeEvent(tx, { ...report, provider: provider.id, outcome }))) return;
  log.warn(
    { provider: provider.id, eventId, applicantId, outcome },
    'a webhook about no player of ours was stored',
  );
}

/** Under the player's lock, so that of all reports about a player one at a time is applied. A known event changes nothing. */
async function applyReport(
  tx: Tx,
  userId: number,
  report: KycReport & { provider: string; tier: Tier },
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const { outcome, next } = afterReport(tierIn(standing, report.tier), report, standing.now);
  const isNew = await storeEvent(tx, { ...report, outcome });
  if (!isNew || outcome !== 'APPLIED') return;
  await changeTiers(tx, standing, [next], { reason: report.provider });
}
