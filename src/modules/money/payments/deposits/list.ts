import type { z } from 'zod';
import { type Page, pageOf } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Sight, shortUsers } from '../../../base/users/service.ts';
import { paymentErrors } from '../errors.ts';
import type { DepositFilter, DepositOrder, DepositRow } from './queries.ts';
import * as queries from './queries.ts';
import type { Deposit, DepositQuery, PlayerDeposit, PlayerDepositQuery } from './schemas.ts';

type Shown = z.input<typeof Deposit>;

/** Totals and pages end here, so that the cost of a list does not grow with the years. */
const COUNTED = 10_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What players and staff see of deposits. */
export function createLists(db: Db) {
  const listed = async <T>(
    filter: DepositFilter,
    query: DepositOrder & { page: number; take: number },
    show: (rows: DepositRow[]) => T[] | Promise<T[]>,
  ): Promise<Page<T>> => {
    const total = await queries.countDeposits(db, filter, COUNTED);
    return pageOf(query, total, async (offset) => {
      const limit = Math.min(query.take, total - offset);
      return show(await queries.listDeposits(db, filter, { ...query, limit, offset }));
    });
  };
  return {
    mine(
      userId: number,
      { status, currencyId, ...query }: z.output<typeof PlayerDepositQuery>,
    ): Promise<Page<z.input<typeof PlayerDeposit>>> {
      return listed({ userId, statuses: status && [status], currencyId }, query, (rows) =>
        rows.map(toPlayerDeposit),
      );
    },

    list({ status, userId, ...query }: z.output<typeof DepositQuery>, sight: Sight): Promise<Page<Shown>> {
      return listed({ userId, statuses: status && [status] }, query, (rows) => toDeposits(db, rows, sight));
    },

    /** Throws 404 DEPOSIT_NOT_FOUND. */
    async get(id: string, sight: Sight): Promise<Shown> {
      const row = UUID.test(id) ? await queries.readDeposit(db, id) : undefined;
      if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND({ id });
      return (await toDeposits(db, [row], sight))[0]!;
    },
  };
}

/** What players and staff both see. */
const shown = (row: DepositRow) => ({
  id: row.id,
  status: row.status,
  amount: formatUnits(row.amount),
  currencyId: row.currency_id,
  usdAmount: formatUnits(row.usd_amount),
  networkId: row.network_id,
  depositBonus: row.deposit_bonus === null ? null : formatUnits(row.deposit_bonus),
  payAddress: row.pay_address,
  payMemo: row.pay_memo,
  txHash: row.tx_hash,
  transactionId: row.entry_id === null ? null : String(row.entry_id),
  createdAt: iso(row.created_at),
});

const toPlayerDeposit = (row: DepositRow): z.input<typeof PlayerDeposit> => ({
  ...shown(row),
  confirmations: row.confirmations,
  requiredConfirmations: row.required_confirmations,
  statusHistory: row.status_history,
});

/** As staff sees them, with their players. */
export async function toDeposits(db: DbOrTx, rows: readonly DepositRow[], sight: Sight): Promise<Shown[]> {
  const owners = rows.map((row) => row.user_id);
  const users = await shortUsers(db, owners, sight);
  return rows.map((row) => ({
    ...shown(row),
    affiliateAmount: formatUnits(row.affiliate_amount),
    userId: row.user_id,
    user: users.get(row.user_id ?? 0),
    affiliateCodeId: row.affiliate_code,
    externalId: row.external_id,
    providerId: row.provider_id,
  }));
}
