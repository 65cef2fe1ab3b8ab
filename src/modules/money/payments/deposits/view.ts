import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Sight, shortUsers } from '../../../base/users/service.ts';
import type { ListedDeposit } from './listed.ts';
import type { Deposit, PlayerDeposit } from './schemas.ts';

/** Fields that players and staff both see. */
const commonFields = (row: ListedDeposit) => ({
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

/** A deposit as its player sees it. */
export const toPlayerDeposit = (row: ListedDeposit): z.input<typeof PlayerDeposit> => ({
  ...commonFields(row),
  confirmations: row.confirmations,
  requiredConfirmations: row.required_confirmations,
  statusHistory: row.status_history,
});

/** Deposits with their players, as staff see them. */
export async function toDeposits(
  db: DbOrTx,
  rows: readonly ListedDeposit[],
  sight: Sight,
): Promise<z.input<typeof Deposit>[]> {
  const owners = rows.map((row) => row.user_id);
  const users = await shortUsers(db, owners, sight);
  return rows.map((row) => ({
    ...commonFields(row),
    affiliateAmount: formatUnits(row.affiliate_amount),
    userId: row.user_id,
    user: users.get(row.user_id ?? 0),
    affiliateCodeId: row.affiliate_code,
    externalId: row.external_id,
    providerId: row.provider_id,
  }));
}
