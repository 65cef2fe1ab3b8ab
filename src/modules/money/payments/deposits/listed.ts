import { sql } from 'kysely';
import type { Units } from '../../../../platform/money.ts';
import type { DepositRow, StatusChange } from './queries.ts';
import { type ShownStatus, shownStatus } from './rules.ts';

/** A coin or skin deposit as lists show it. A skin deposit has no network, address or transaction. */
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

/** A row of the queries below: its status is the stored one. */
export type ListedRow = ListedDeposit & { status: DepositRow['status'] };

/** A coin deposit as lists show it. */
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

/** Maps marketplace statuses to deposit statuses. An advance is credited before the hold ends. */
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
