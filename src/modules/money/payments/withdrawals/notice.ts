import type { Notice } from '../../../../http/route.ts';
import type { Tx } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { webhookErrors } from '../../../base/webhooks/errors.ts';
import type { WebhookEvent, Webhooks } from '../../../base/webhooks/service.ts';
import type { PaymentProviders } from '../providers/registry.ts';
import type { Progress } from './progress.ts';
import { findWithdrawal } from './queries.ts';
import { idIn } from './rules.ts';
import { lockWithdrawal } from './transition.ts';

type Deps = { webhooks: Webhooks; providers: Pick<PaymentProviders, 'get'>; progress: Progress; log: Log };

/** Notices of providers about payouts. */
export function createNotices({ webhooks, providers, progress, log }: Deps) {
  const take = async (tx: Tx, { provider, raw }: WebhookEvent): Promise<void> => {
    const meant = [];
    for (const notice of providers.get(provider).readPayouts(raw)) {
      const id = idIn(notice.reference);
      const row = id === undefined ? undefined : await findWithdrawal(tx, id);
      // While a new attempt waits for its provider, what is said is about the one before.
      if (row && (row.provider_id ?? provider) === provider) meant.push({ row, notice });
      else
        log.warn({ provider, reference: notice.reference }, 'a notice about a payout that is none of ours');
    }
    await lockPlayers(
      tx,
      meant.map(({ row }) => row.user_id),
    );
    for (const { row, notice } of meant) await progress(tx, await lockWithdrawal(tx, row.id), notice);
  };
  webhooks.on('withdrawal', take);

  /** Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 VALIDATION_FAILED. */
  return async (providerId: string, { raw, headers }: Notice): Promise<{ success: true }> => {
    const provider = providers.get(providerId);
    if (!provider.isSigned(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
    // What cannot be read is not worth keeping.
    provider.readPayouts(raw);
    await webhooks.receive('withdrawal', { provider: providerId, raw });
    return { success: true };
  };
}
