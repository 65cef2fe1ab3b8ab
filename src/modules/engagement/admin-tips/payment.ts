import { sql } from 'kysely';
import { z } from 'zod';
import { Amount, CurrencyId, line, SuccessResponse, text } from '../../../http/schemas.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { commonErrors, errors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, parseUnits, type Units, units } from '../../../platform/money.ts';
import { lockPeople, sumOfPerson } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { staffValueErrors } from '../../base/staff-value/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { post } from '../../money/ledger/post.ts';
import type { Rollover } from '../../money/payments/rollover/service.ts';
import { countGiven, type Given } from '../../money/rewards/pay.ts';
import { limitExceeded } from './rules.ts';

export const adminTipErrors = errors({
  ADMIN_TIP_LIMIT: [
    403,
    'The amount exceeds your limit per call or per day; see details. Ask a superadmin to make the payment.',
  ],
  TURNOVER_NOT_ENDABLE: [
    409,
    'The player is not self-excluded, or has no open turnover from promotional cash or tips.',
  ],
});

export type AdminTipDeps = {
  db: Db;
  /** Database for the staff list. It may be a replica that lags behind. */
  reads: Db;
  gate: Gate;
  siteConfig: Pick<SiteConfig, 'get' | 'lowestOfDay'>;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  rollover: Rollover;
};

export const Payment = z.strictObject({
  recipientUserId: UserId.meta({ example: 2_000_000_000 }),
  currencyId: CurrencyId,
  amount: Amount,
  notes: text(1000).trim().min(1).meta({
    description: 'The reason, which is visible only to staff and stored in the audit log.',
    example: 'Sorry for the wait.',
  }),
  tag: line(50)
    .optional()
    .meta({ description: 'The player sees this tag with the tip.', example: 'goodwill' }),
});
export type Payment = z.output<typeof Payment>;

export const payment = {
  method: 'POST',
  tag: 'Admin Tips',
  access: { permission: 'tip.pay' },
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  status: 200,
  response: SuccessResponse,
} as const;

export const paymentErrors = [
  userErrors.USER_NOT_FOUND,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  currencyErrors.RATE_STALE,
  adminTipErrors.ADMIN_TIP_LIMIT,
  staffValueErrors.APPROVAL_NEEDED,
  staffValueErrors.STAFF_VALUE_LIMIT,
] as const;

/** Included in the description of every operation that moves money. */
export const LIMITS =
  'COMMON.adminTips limits the total that a staff member may give and deduct, per call and per UTC day. Superadmins are exempt. ' +
  'From WITHDRAWALS.adjustmentApprovalUsd upwards, a second person must repeat the call within 24 hours.';

/** Returns an amount and its USD value. Throws 404 CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE or 409 RATE_STALE. */
export function priceOf(
  { currencies }: AdminTipDeps,
  { currencyId, amount: text }: Pick<Payment, 'currencyId' | 'amount'>,
): { amount: Units; usdAmount: Units } {
  const currency = currencies.get(currencyId);
  const { decimals } = currency;
  const amount = parseUnits(text, decimals);
  if (amount === undefined || amount === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return { amount, usdAmount: currencyToUsdDown(amount, currencies.freshRate(currency)) };
}

type Movement = { senderId: number; isSuperAdmin: boolean; usdAmount: Units };

/** Throws 403 ADMIN_TIP_LIMIT if the amount exceeds a limit of the staff member. Superadmins have no limits. */
export async function assertWithinLimits(
  tx: Tx,
  { siteConfig }: AdminTipDeps,
  { senderId, isSuperAdmin, usdAmount }: Movement,
): Promise<void> {
  if (isSuperAdmin) return;
  const { maxUsd, dailyMaxUsd } = siteConfig.get('COMMON').adminTips;
  await lockPeople(tx, [senderId]);
  const todayUsd = await sumOfPerson(tx, senderId, await readToday(tx));
  const limits = { maxUsd: units(maxUsd), dailyMaxUsd: units(dailyMaxUsd) };
  const exceeded = limitExceeded({ usdAmount, todayUsd }, limits);
  if (exceeded)
    throw adminTipErrors.ADMIN_TIP_LIMIT({
      [exceeded]: formatUnits(limits[exceeded]),
      todayUsd: formatUnits(todayUsd),
    });
}

/** Returns the USD value that each staff member has given and deducted since the start of the transaction's UTC day. */
async function readToday(tx: Tx): Promise<{ id: number; usd: Units }[]> {
  const { rows } = await sql<{ id: number; usd: string }>`
    select sender_id as id, sum(usd_amount)::text as usd from admin_tips
    where created_at >= date_trunc('day', now(), 'UTC') group by sender_id`.execute(tx);
  return rows.map(({ id, usd }) => ({ id, usd: BigInt(usd) }));
}

export type AdminTipKind = 'TIP' | 'DEDUCTION';
type NewAdminTip = { kind: AdminTipKind; senderId: number; given: Given; notes: string; tag: string | null };

/** Stores a tip or deduction and returns its id. */
export async function insertAdminTip(
  tx: Tx,
  { kind, senderId, given, notes, tag }: NewAdminTip,
): Promise<number> {
  const { id } = await tx
    .insertInto('admin_tips')
    .values({
      kind,
      sender_id: senderId,
      recipient_id: given.userId,
      currency_id: given.currencyId,
      amount: given.amount,
      usd_amount: given.usdAmount,
      notes,
      tag,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function cashOf(
  tx: Tx,
  { userId, currencyId }: Pick<Given, 'userId' | 'currencyId'>,
): Promise<Units> {
  return (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
}

export type Entry = { key: string; actorId: number; memo: string; given: Given };

/** Books a deduction from the player's cash. */
export async function deduct(tx: Tx, { given, ...entry }: Entry): Promise<void> {
  const { userId, currencyId, amount } = given;
  const kind = 'admin.deduction';
  const posting = { userId, currencyId, kind, debit: 'cash', credit: 'tips', amount } as const;
  await post(tx, [{ ...entry, kind, postings: [posting] }]);
  await countGiven(tx, kind, given);
}
