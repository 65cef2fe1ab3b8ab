import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { type Sight, shortUsers } from '../../../base/users/service.ts';
import type { DepositRow, StatusChange } from './queries.ts';
import { type ShownStatus, shownStatus } from './rules.ts';
import type { Deposit, PlayerDeposit } from './schemas.ts';

/** A coin or skin deposit as it appears in lists. A skin deposit has no network, address or transaction. */
export type ListedDeposit = Pick<
  DepositRow,
  'id' | 'user_id' | 'amount' | 'currency_id' | 'usd_amount' | 'deposit_bonus' | 'entry_id' | 'created_at'
> &
  Pick<DepositRow, 'confirmations' | 'required_confirmations' | 'affiliate_amount' | 'affiliate_code'> & {
    status: ShownStatus;
    network_id: string | null;
    pay_address: string | null;
    pay_memo: string | null;
    tx_hash: string | null;
    external_id: string | null;
    provider_id: string | null;
    status_history: { status: string; at: string; reason: string | null }[];
  };

/** A row of the queries below, with the stored status. */
export type ListedRow = ListedDeposit & { status: DepositRow['status'] };

/** Converts a coin deposit to the form that lists use. */
export const listedOf = (row: DepositRow): ListedDeposit => ({
  ...row,
  status: shownStatus(row.status),
  network_id: row.network_id || null,
  pay_address: row.pay_address || null,
  status_history: historyOf(row.status_history),
});

function historyOf(steps: readonly StatusChange[]): ListedDeposit['status_history'] {
  const shown = steps.map((step) => ({ ...step, status: shownStatus(step.status) }));
  return shown.filter(({ status }, i) => status !== shown[i - 1]?.status);
}

/** Columns of a coin deposit, in the order of SKIN_COLUMNS. */
export const COIN_COLUMNS = sql`id, user_id, status, amount, currency_id, usd_amount, nullif(network_id, '') as network_id, deposit_bonus,
  nullif(pay_address, '') as pay_address, pay_memo, tx_hash, entry_id, created_at, confirmations, required_confirmations, status_history,
  affiliate_amount, affiliate_code, external_id, provider_id`;

/** Maps the statuses of marketplaces to deposit statuses. An advance is credited before the hold ends. */
export const SKIN_STATUS = sql`case s.status when 'PENDING' then 'CREATED' when 'IN_HOLD' then 'CONFIRMING' when 'SUCCESS' then 'COMPLETED'
  when 'FAIL' then 'FAILED' when 'HOLD_RETURNED' then 'REVERSED' else case when s.credited_at is null then 'CONFIRMING' else 'COMPLETED' end end`;
export const SKIN_USD = sql`coalesce(s.credited_usd_amount, s.usd_amount, 0)`;
export const SKIN_COLUMNS = sql`s.id, s.user_id, ${SKIN_STATUS} as status, coalesce(s.credited_amount, 0) as amount, s.currency_id, ${SKIN_USD} as usd_amount,
  null::text as network_id, null::int8 as deposit_bonus, null::text as pay_address, null::text as pay_memo, null::text as tx_hash,
  c.entry_id, s.created_at, 0 as confirmations, 0::int2 as required_confirmations, jsonb_build_array(jsonb_build_object(
    'status', ${SKIN_STATUS}, 'at', to_char(s.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', s.fail_reason)) as status_history,
  coalesce(c.affiliate_usd, 0) as affiliate_amount, null::text as affiliate_code, s.transaction_id as external_id, 'skins' as provider_id`;
export const SKINS = sql`skin_deposits s left join payment_credits c on c.key = 'skins:' || s.id`;

export const asListed = (row: ListedRow): ListedDeposit => ({
  ...row,
  status: shownStatus(row.status),
  usd_amount: row.usd_amount as Units,
  status_history: historyOf(row.status_history as StatusChange[]),
});

/** Returns a coin or skin deposit. `id` must be a UUID. */
export async function findListedDeposit(db: DbOrTx, id: string): Promise<ListedDeposit | undefined> {
  const { rows } = await sql<ListedRow>`
    select ${COIN_COLUMNS} from deposits where id = ${id}::uuid
    union all select ${SKIN_COLUMNS} from ${SKINS} where s.id = ${id}::uuid`.execute(db);
  return rows.map(asListed)[0];
}

/** Fields that both players and staff see. */
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

/** Returns a deposit as its player sees it. */
export const toPlayerDeposit = (row: ListedDeposit): z.input<typeof PlayerDeposit> => ({
  ...commonFields(row),
  confirmations: row.confirmations,
  requiredConfirmations: row.required_confirmations,
  statusHistory: row.status_history,
});

/** Returns deposits with their players, as staff see them. */
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
