import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { type Page, pageOf, paginated } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { findUserId, getUser, type Sight, shortUsers, sightOf } from '../../../base/users/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import { countByStatus, type HistoryStep, listWithdrawals, type WithdrawalRow } from './queries.ts';
import { HELD, type HoldReason, shownStatus, statusesShownAs, type WithdrawalStatus } from './rules.ts';
import type { PlayerWithdrawal, PlayerWithdrawalQuery, Withdrawal, WithdrawalQuery } from './schemas.ts';
import { getWithdrawal } from './transition.ts';

export type PlayerView = z.input<typeof PlayerWithdrawal>;

/** What players and staff both see. */
const shown = (row: WithdrawalRow) => ({
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

/** A withdrawal as its player sees it. */
export function toPlayerWithdrawal(row: WithdrawalRow, currencies: Currencies): PlayerView {
  const networks = currencies.find(row.currency_id)?.networks;
  const eta = networks?.find(({ id }) => id === row.network_id)?.etaMinutes;
  return {
    ...shown(row),
    status: shownStatus(row.status),
    fee: formatUnits(row.fee),
    receiveAmount: formatUnits(row.amount - row.fee),
    statusHistory: historyOf(row),
    etaMinutes: HELD.includes(row.status) || row.status === 'SENT' ? (eta ?? null) : null,
  };
}

/** Players are not told why staff reviews a withdrawal. */
const HIDDEN_REASONS: readonly (HoldReason | null)[] = ['RISK', 'UNPRICED'];

function historyOf({ status_history }: WithdrawalRow): HistoryStep[] {
  const shown = status_history.map(({ status, at, reason }) => ({
    status: shownStatus(status),
    at,
    reason: HIDDEN_REASONS.includes(reason as HoldReason) ? null : reason,
  }));
  return shown.filter(({ status }, i) => status !== shown[i - 1]?.status);
}

/** A player's own withdrawals. */
export const createPlayerList =
  ({ db, currencies }: { db: Db; currencies: Currencies }) =>
  async (userId: number, query: z.output<typeof PlayerWithdrawalQuery>): Promise<Page<PlayerView>> => {
    const { status } = query;
    const counts = await countByStatus(db, userId);
    const statuses = status ? statusesShownAs(status) : [...counts.keys()];
    const total = statuses.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
    return pageOf(query, total, async (offset) => {
      const rows = await listWithdrawals(db, { userId, statuses: status && statuses }, { ...query, offset });
      return rows.map((row) => toPlayerWithdrawal(row, currencies));
    });
  };

export type StaffView = z.input<typeof Withdrawal>;

/** One withdrawal as staff sees it. Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function viewOf(db: DbOrTx, by: StaffCall, id: string): Promise<StaffView> {
  const [view] = await toViews(db, [await getWithdrawal(db, id)], sightOf(by.user));
  return view!;
}

/** Lists and counters for staff. */
export const createStaffReads = ({ db }: { db: Db }) => ({
  get: (by: StaffCall, id: string) => viewOf(db, by, id),

  /** The total comes from the stored counters, or is counted for one user: no whole list is scanned for it. */
  async list(by: StaffCall, query: z.output<typeof WithdrawalQuery>): Promise<Page<StaffView>> {
    const { status } = query;
    const userId = await findUserId(db, query);
    if (userId === null) return paginated<StaffView>([], query, 0);
    const counts = await countByStatus(db, userId);
    const total = status ? (counts.get(status) ?? 0) : statsOf(counts).total;
    return pageOf(query, total, async (offset) => {
      const rows = await listWithdrawals(db, { userId, statuses: status && [status] }, { ...query, offset });
      return toViews(db, rows, sightOf(by.user));
    });
  },

  stats: async (): Promise<Stats> => statsOf(await countByStatus(db)),

  /** Throws 404 USER_NOT_FOUND. */
  async statsOfUser(userId: number): Promise<Stats> {
    await getUser(db, userId);
    return statsOf(await countByStatus(db, userId));
  },
});

async function toViews(db: DbOrTx, rows: readonly WithdrawalRow[], sight: Sight): Promise<StaffView[]> {
  const people = await shortUsers(
    db,
    rows.flatMap((row) => [row.user_id, row.confirmed_by]),
    sight,
  );
  return rows.map((row) => ({
    ...shown(row),
    status: row.status,
    providerId: row.provider_id,
    transactionId: row.external_id,
    user: people.get(row.user_id)!,
    confirmedByUser: people.get(row.confirmed_by ?? 0) ?? null,
    confirmedByUserId: row.confirmed_by,
  }));
}

export type Stats = Record<'total' | 'waitingForApproval' | 'approved' | 'rejected' | 'failed', number>;

const COUNTED_AS: Readonly<Record<WithdrawalStatus, Exclude<keyof Stats, 'total'>>> = {
  WAITING_FOR_APPROVAL: 'waitingForApproval',
  ON_HOLD: 'waitingForApproval',
  APPROVED: 'approved',
  PROCESSING: 'approved',
  UNKNOWN_OUTCOME: 'approved',
  SENT: 'approved',
  COMPLETED: 'approved',
  REJECTED: 'rejected',
  CANCELLED: 'rejected',
  FAILED: 'failed',
};

/** Sums up how many withdrawals there are in each status. */
export function statsOf(counts: ReadonlyMap<WithdrawalStatus, number>): Stats {
  const stats: Stats = { total: 0, waitingForApproval: 0, approved: 0, rejected: 0, failed: 0 };
  for (const [status, count] of counts) {
    stats.total += count;
    stats[COUNTED_AS[status]] += count;
  }
  return stats;
}
