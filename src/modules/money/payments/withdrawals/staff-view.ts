import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { offsetOf, type Page, paginated } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import {
  findUserByUsername,
  getUser,
  type Sight,
  sightOf,
  toShortPrivateUser,
} from '../../../base/users/service.ts';
import { countByStatus, listWithdrawals, readPeople, type WithdrawalRow } from './queries.ts';
import { type Stats, statsOf } from './rules.ts';
import type { Withdrawal, WithdrawalQuery } from './schemas.ts';
import { getWithdrawal } from './transition.ts';

export type StaffView = z.input<typeof Withdrawal>;

/** One withdrawal as staff sees it. Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function viewOf(db: DbOrTx, by: StaffCall, id: string): Promise<StaffView> {
  const [view] = await toViews(db, [await getWithdrawal(db, id)], sightOf(by.user));
  return view!;
}

/** Lists and counters for staff. */
export const createStaffReads = ({ db }: { db: Db }) => ({
  get: (by: StaffCall, id: string) => viewOf(db, by, id),

  /** Counters of everybody are kept, those of one user counted: no list is scanned for its total. */
  async list(by: StaffCall, query: z.output<typeof WithdrawalQuery>): Promise<Page<StaffView>> {
    const { username, status, ...order } = query;
    const named = username === undefined ? undefined : await findUserByUsername(db, username);
    const isNobody =
      username !== undefined && (!named || (query.userId !== undefined && query.userId !== named.id));
    const userId = named?.id ?? query.userId;
    const counts = isNobody ? new Map() : await countByStatus(db, userId);
    const total = status ? (counts.get(status) ?? 0) : statsOf(counts).total;
    const offset = offsetOf(query, total);
    if (offset === undefined) return paginated<StaffView>([], query, total);
    const statuses = status && [status];
    const rows = await listWithdrawals(db, { userId, statuses }, { ...order, offset });
    return paginated(await toViews(db, rows, sightOf(by.user)), query, total);
  },

  stats: async (): Promise<Stats> => statsOf(await countByStatus(db)),

  /** Throws 404 USER_NOT_FOUND. */
  async statsOfUser(userId: number): Promise<Stats> {
    await getUser(db, userId);
    return statsOf(await countByStatus(db, userId));
  },
});

async function toViews(db: DbOrTx, rows: readonly WithdrawalRow[], sight: Sight): Promise<StaffView[]> {
  const people = await readPeople(
    db,
    rows.flatMap((row) => [row.user_id, row.confirmed_by ?? row.user_id]),
  );
  const personOf = (id: number) => toShortPrivateUser(people.get(id)!, sight);
  return rows.map((row) => ({
    amount: formatUnits(row.amount),
    currencyId: row.currency_id,
    status: row.status,
    usdAmount: formatUnits(row.usd_amount),
    networkId: row.network_id,
    providerId: row.provider_id,
    recipientAddress: row.recipient_address,
    recipientMemo: row.recipient_memo,
    confirmedAt: row.confirmed_at && iso(row.confirmed_at),
    confirmations: row.confirmations,
    rejectReason: row.reject_reason,
    updatedAt: iso(row.updated_at),
    transactionId: row.external_id,
    id: row.id,
    txHash: row.tx_hash,
    createdAt: iso(row.created_at),
    user: personOf(row.user_id),
    confirmedByUser: row.confirmed_by === null ? null : personOf(row.confirmed_by),
    failedReason: row.failed_reason,
    confirmedByUserId: row.confirmed_by,
  }));
}
