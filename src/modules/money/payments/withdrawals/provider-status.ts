import type { Tx } from '../../../../platform/database/db.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { PayoutDeps } from '../deps.ts';
import type { PayoutState } from '../provider.ts';
import type { Changes, WithdrawalRow } from './queries.ts';
import { nextStatus } from './rules.ts';
import { move, updateWithdrawal } from './transition.ts';

export type ApplyStatus = ReturnType<typeof createApplyStatus>;

/** A provider's report about an attempt. `at` is undefined for a response to our own request. */
type Reported = PayoutState & { reference: string; at?: Date };

/** Applies a provider's report about a payout, from a webhook or from a response. */
export function createApplyStatus({ currencies, log, referred }: PayoutDeps) {
  /**
   * Applies one report under the locks of `lockWithdrawal` and returns the row. The status only moves forward. Repeated reports and reports
   * about earlier attempts change nothing.
   */
  return async (tx: Tx, row: WithdrawalRow, reported: Reported): Promise<WithdrawalRow> => {
    const facts = {
      withdrawalId: row.id,
      status: row.status,
      reference: reported.reference,
      reported: reported.status,
    };
    const claimsPayment = reported.status === 'SENT' || reported.status === 'COMPLETED';
    if (row.reference !== reported.reference) {
      const message = 'report about another withdrawal attempt ignored';
      // The payout may have been sent twice, so staff must investigate.
      if (claimsPayment) log.error(facts, message);
      else log.warn(facts, message);
      return row;
    }
    const at = reported.at ?? (await transactionTime(tx));
    // Webhooks may arrive out of order: this failure is older than the report of the sent payout.
    if (row.status === 'SENT' && reported.status === 'FAILED' && row.told_at && at < row.told_at) return row;
    const to = nextStatus(row.status, reported, requiredOf(currencies, row));
    if (to === 'contradiction') {
      log.error(facts, 'provider report contradicts an earlier one and was ignored');
      return row;
    }
    const updates = updatesFrom(row, reported, at);
    if (to === undefined) return hasChanges(row, updates) ? updateWithdrawal(tx, row, updates) : row;
    const reason = to === 'FAILED' ? (reported.failedReason ?? 'rejected by the provider') : null;
    if (row.status === 'SENT' && to === 'FAILED') log.warn(facts, 'sent withdrawal failed');
    const next = await move(tx, row, { ...updates, ...(reason && { failed_reason: reason }), to, reason });
    if (to === 'COMPLETED')
      await referred.withdrawn(tx, { userId: row.user_id, usdAmount: row.usd_amount, at: next.updated_at });
    return next;
  };
}

/** A report never clears a stored value. */
function updatesFrom(row: WithdrawalRow, reported: Reported, at: Date): Changes {
  return {
    external_id: reported.externalId ?? row.external_id,
    tx_hash: reported.txHash ?? row.tx_hash,
    confirmations: Math.max(reported.confirmations, row.confirmations),
    told_at: row.told_at && row.told_at > at ? row.told_at : at,
  };
}

const hasChanges = (row: WithdrawalRow, updates: Changes): boolean =>
  row.told_at === null ||
  (['external_id', 'tx_hash', 'confirmations'] as const).some((field) => updates[field] !== row[field]);

const requiredOf = (currencies: PayoutDeps['currencies'], row: WithdrawalRow): number =>
  currencies.find(row.currency_id)?.networks.find(({ id }) => id === row.network_id)?.confirmations ??
  Number.MAX_SAFE_INTEGER;
