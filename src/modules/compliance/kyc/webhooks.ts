import type { Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import type { WebhookEvent } from '../../base/webhooks/service.ts';
import { changeTiers, lockStanding, type OnApproved, tierIn } from './level.ts';
import type { KycProvider } from './provider.ts';
import { findApplicantUser, storeEvent } from './queries.ts';
import { afterReport, isApproved, type KycReport, type Tier } from './rules.ts';

type Deps = { provider: KycProvider | undefined; log: Log; onApproved: OnApproved };

/** The configured provider. Throws 404 PROVIDER_NOT_FOUND unless it is this one: another may have been configured since. */
export function providerNamed({ provider }: Pick<Deps, 'provider'>, id: string): KycProvider {
  if (provider?.id !== id) throw webhookErrors.PROVIDER_NOT_FOUND();
  return provider;
}

/** Processes a stored webhook. */
export async function processWebhook(deps: Deps, tx: Tx, event: WebhookEvent): Promise<void> {
  const provider = providerNamed(deps, event.provider);
  const report = provider.read(event.raw);
  if (!report) return;
  const { applicantId, tier, eventId } = report;
  const owner = await findApplicantUser(tx, provider.id, applicantId);
  const isOurs = owner !== undefined && (report.userId === null || report.userId === owner.user_id);
  if (isOurs && tier) return applyReport(tx, deps, owner.user_id, { ...report, provider: provider.id, tier });
  const outcome = !owner ? 'UNKNOWN_APPLICANT' : isOurs ? 'UNKNOWN_LEVEL' : 'WRONG_USER';
  if (!(await storeEvent(tx, { ...report, provider: provider.id, outcome }))) return;
  deps.log.warn(
    { provider: provider.id, eventId, applicantId, outcome },
    'a webhook about no player of ours was stored',
  );
}

/** Under the player's lock, so that of all reports about a player one at a time is applied. A known event changes nothing. */
async function applyReport(
  tx: Tx,
  { onApproved }: Deps,
  userId: number,
  report: KycReport & { provider: string; tier: Tier },
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const { outcome, next } = afterReport(tierIn(standing, report.tier), report, standing.now);
  const isNew = await storeEvent(tx, { ...report, outcome });
  if (!isNew || outcome !== 'APPLIED') return;
  await changeTiers(tx, standing, [next], { reason: report.provider });
  if (isApproved(next)) await onApproved(tx, userId, report.tier);
}
