import type { Tx } from '../../../../platform/database/db.ts';
import { AppError } from '../../../../platform/errors.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { WebhookEvent } from '../../../base/webhooks/service.ts';
import { applyReport } from '../deposits/apply.ts';
import type { PayoutDeps } from '../deps.ts';
import type { PaymentProvider, PayoutReport } from '../provider.ts';
import { unreadable } from '../providers/unreadable.ts';
import { isReturn } from '../reviews/rules.ts';
import { applyReturnReport } from '../reviews/send-return.ts';
import type { ApplyStatus } from './provider-status.ts';
import { findWithdrawal } from './queries.ts';
import { idIn } from './rules.ts';
import { lockWithdrawal } from './transition.ts';

type WebhookDeps = PayoutDeps & { applyStatus: ApplyStatus };

/** Returns the receiver of payout webhooks. It throws 404 PROVIDER_NOT_FOUND and 401 SIGNATURE_INVALID. */
export function createPayoutWebhooks(deps: WebhookDeps) {
  const { webhooks, providers } = deps;
  webhooks.on('withdrawal', (tx, event) => applyWebhook(tx, deps, event));
  return webhooks.receiver('withdrawal', providers.get);
}

async function applyWebhook(tx: Tx, deps: WebhookDeps, { provider, raw }: WebhookEvent): Promise<void> {
  const { providers, applyStatus, log, partnerReports } = deps;
  const updates = readPayouts(providers.get(provider), raw);
  if (!updates) {
    const report = unreadable(raw, 'PAYOUT_REPORT_UNREADABLE');
    await applyReport(tx, deps, { providerId: provider, report });
    return;
  }
  const ours = [];
  for (const update of updates) {
    if (update.unknownType !== undefined) partnerReports.countType(provider, update.unknownType);
    if (isReturn(update.reference) && (await applyReturnReport(tx, deps, provider, update))) continue;
    const id = idIn(update.reference);
    const row = id === undefined ? undefined : await findWithdrawal(tx, id);
    // A new attempt has no provider yet, so the report is about the previous attempt.
    if (row && (row.provider_id ?? provider) === provider) ours.push({ row, update });
    else log.warn({ provider, reference: update.reference }, 'webhook about an unknown payout ignored');
  }
  await lockPlayers(
    tx,
    ours.map(({ row }) => row.user_id),
  );
  for (const { row, update } of ours) await applyStatus(tx, await lockWithdrawal(tx, row.id), update);
}

/** Returns the payouts in a signed webhook, or undefined if it cannot be read. */
function readPayouts(provider: PaymentProvider, raw: Buffer): PayoutReport[] | undefined {
  try {
    return provider.readPayouts(raw);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return undefined;
  }
}
