import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { HistoryStep, WithdrawalRow } from './queries.ts';
import { HELD, type HoldReason, type WithdrawalStatus } from './rules.ts';
import type { PlayerWithdrawal } from './schemas.ts';

export type PlayerView = z.input<typeof PlayerWithdrawal>;

/** That nobody knows what became of a payout is for staff: to its player it is under way. */
export const shownStatus = (status: WithdrawalStatus) =>
  status === 'UNKNOWN_OUTCOME' ? ('PROCESSING' as const) : status;

/** What its player sees. */
export function toPlayerWithdrawal(row: WithdrawalRow, currencies: Currencies): PlayerView {
  const networks = currencies.find(row.currency_id)?.networks;
  const eta = networks?.find(({ id }) => id === row.network_id)?.etaMinutes;
  return {
    id: row.id,
    status: shownStatus(row.status),
    amount: formatUnits(row.amount),
    fee: formatUnits(row.fee),
    receiveAmount: formatUnits(row.amount - row.fee),
    currencyId: row.currency_id,
    usdAmount: formatUnits(row.usd_amount),
    networkId: row.network_id,
    recipientAddress: row.recipient_address,
    recipientMemo: row.recipient_memo,
    txHash: row.tx_hash,
    confirmations: row.confirmations,
    rejectReason: row.reject_reason,
    failedReason: row.failed_reason,
    statusHistory: historyOf(row),
    etaMinutes: HELD.includes(row.status) || row.status === 'SENT' ? (eta ?? null) : null,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    confirmedAt: row.confirmed_at && iso(row.confirmed_at),
  };
}

/** What staff looks at is not said. */
const NOT_SAID: readonly (HoldReason | null)[] = ['RISK', 'UNPRICED'];

function historyOf({ status_history }: WithdrawalRow): HistoryStep[] {
  const shown = status_history.map(({ status, at, reason }) => ({
    status: shownStatus(status),
    at,
    reason: NOT_SAID.includes(reason as HoldReason) ? null : reason,
  }));
  return shown.filter(({ status }, i) => status !== shown[i - 1]?.status);
}
