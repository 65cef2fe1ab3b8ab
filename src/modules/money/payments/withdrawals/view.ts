import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Sight, shortUsers, sightOf } from '../../../base/users/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { HistoryStep, WithdrawalRow } from './queries.ts';
import { HELD, type HoldReason, playerStatusOf, pointsOf } from './rules.ts';
import type { PlayerWithdrawal, Withdrawal } from './schemas.ts';
import { getWithdrawal } from './transition.ts';

export type PlayerView = z.input<typeof PlayerWithdrawal>;

/** Fields that both players and staff see. */
const commonFields = (row: WithdrawalRow) => ({
  id: row.id,
  amount: formatUnits(row.amount),
  currencyId: row.currency_id,
  usdAmount: formatUnits(row.usd_amount),
  networkId: row.network_id,
  recipientAddress: row.recipient_address,
  recipientMemo: row.recipient_memo,
  txHash: row.tx_hash,
  confirmations: row.confirmations,
  rejectReason: row.reject_reason,
  failedReason: row.failed_reason,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  confirmedAt: row.confirmed_at && iso(row.confirmed_at),
});

/** Returns a withdrawal as its player sees it. */
export function toPlayerWithdrawal(row: WithdrawalRow, currencies: Currencies): PlayerView {
  const networks = currencies.find(row.currency_id)?.networks;
  const eta = networks?.find(({ id }) => id === row.network_id)?.etaMinutes;
  return {
    ...commonFields(row),
    status: playerStatusOf(row.status),
    fee: formatUnits(row.fee),
    receiveAmount: formatUnits(row.amount - row.fee),
    statusHistory: historyOf(row),
    etaMinutes: HELD.includes(row.status) || row.status === 'SENT' ? (eta ?? null) : null,
  };
}

/** Reasons that are hidden from players, who must not see why staff review a withdrawal. */
const HIDDEN_REASONS: readonly (HoldReason | null)[] = ['RISK', 'UNPRICED'];

function historyOf({ status_history }: WithdrawalRow): HistoryStep[] {
  const shown = status_history.map(({ status, at, reason }) => ({
    status: playerStatusOf(status),
    at,
    reason: HIDDEN_REASONS.includes(reason as HoldReason) ? null : reason,
  }));
  return shown.filter(({ status }, i) => status !== shown[i - 1]?.status);
}

export type StaffView = z.input<typeof Withdrawal>;

/** Returns a withdrawal as staff see it. Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function viewOf(db: DbOrTx, by: StaffCall, id: string): Promise<StaffView> {
  const [view] = await toViews(db, [await getWithdrawal(db, id)], sightOf(by.user));
  return view!;
}

export async function toViews(
  db: DbOrTx,
  rows: readonly WithdrawalRow[],
  sight: Sight,
): Promise<StaffView[]> {
  const people = await shortUsers(
    db,
    rows.flatMap((row) => [row.user_id, row.confirmed_by, row.first_approved_by]),
    sight,
  );
  return rows.map((row) => ({
    ...commonFields(row),
    status: row.status,
    providerId: row.provider_id,
    transactionId: row.external_id,
    user: people.get(row.user_id)!,
    confirmedByUser: people.get(row.confirmed_by ?? 0) ?? null,
    confirmedByUserId: row.confirmed_by,
    firstApprovedByUser: people.get(row.first_approved_by ?? 0) ?? null,
    riskScore: row.risk_score,
    riskReasons: row.risk_reasons,
    riskPoints: pointsOf(row.risk_reasons),
    holdReason: row.hold_reason,
    holdUntil: row.status === 'ON_HOLD' && row.check_at ? iso(row.check_at) : null,
  }));
}
