import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { Decimal, object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { formatUnits, units } from '../../../../platform/money.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../../base/users/service.ts';
import type { DepositRow } from '../deposits/queries.ts';
import { addressKey } from '../deposits/rules.ts';
import { Deposit } from '../deposits/schemas.ts';
import { listedOf, toDeposits } from '../deposits/view.ts';
import type { PaymentDeps } from '../deps.ts';
import { factsOf } from './facts.ts';
import { type ReturnRow, type ReviewRow, reviewsOf } from './queries.ts';
import { ACTIONS, actionsFor } from './rules.ts';

export const ReviewAction = z.enum(ACTIONS);

const DepositProposal = object('DepositProposal', {
  id: z.string(),
  action: ReviewAction,
  state: z.enum(['PROPOSED', 'DONE', 'REJECTED', 'LAPSED']),
  userId: z.number().int().nullable(),
  user: ShortPrivateUser.nullable().optional().meta({ description: 'The player who gets the deposit.' }),
  amount: Decimal.nullable(),
  address: z.string().nullable(),
  memo: z.string().nullable(),
  reason: z.string(),
  proposedBy: ShortPrivateUser.nullable(),
  decidedBy: ShortPrivateUser.nullable(),
  decidedAt: Timestamp.nullable().meta({ description: 'When it was decided, or when it expired.' }),
  decisionReason: z.string().nullable().meta({ description: 'Why the proposal was rejected.' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

const DepositReturn = object('DepositReturn', {
  reference: z.string(),
  status: z.enum(['QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED', 'FAILED']),
  amount: Decimal,
  fee: Decimal,
  address: z.string(),
  memo: z.string().nullable(),
  txHash: z.string().nullable(),
  failedReason: z.string().nullable(),
});

export const DepositReview = object('DepositReview', {
  ...Deposit.shape,
  reasons: z
    .array(z.string())
    .meta({ description: 'The reasons why the deposit is under review, earliest first.' }),
  confirmedAt: Timestamp.nullable().meta({
    description: 'When the coins were confirmed. Null if they are not confirmed yet.',
  }),
  creditedAt: Timestamp.nullable().meta({ description: 'When the deposit was credited to its owner.' }),
  suspended: Decimal.meta({ description: 'Amount in the suspense account.' }),
  reportedCurrency: z.string().nullable(),
  reportedAmount: z.string().nullable(),
  outcomeCurrencyId: z.string().nullable(),
  outcomeAmount: Decimal.nullable(),
  report: z
    .string()
    .nullable()
    .meta({ description: 'The raw text of the report, if it could not be parsed.' }),
  actions: z.array(ReviewAction).meta({ description: 'Actions that are currently possible.' }),
  candidates: z.array(ShortPrivateUser).meta({ description: 'Players who may own the deposit.' }),
  proposals: z.array(DepositProposal).meta({ description: 'Proposals and decisions, newest first.' }),
  returned: DepositReturn.nullable().meta({ description: 'The latest payout that returns the deposit.' }),
});

type View = z.input<typeof DepositReview>;
type Deps = Pick<PaymentDeps, 'currencies' | 'siteConfig'>;
type People = Awaited<ReturnType<typeof shortUsers>>;

export async function viewOf(db: DbOrTx, deps: Deps, by: StaffCall, row: DepositRow): Promise<View> {
  return (await viewsOf(db, deps, by, [row]))[0]!;
}

export async function viewsOf(
  db: DbOrTx,
  deps: Deps,
  by: StaffCall,
  rows: readonly DepositRow[],
): Promise<View[]> {
  const sight = sightOf(by.user);
  const ids = rows.map(({ id }) => id);
  const deposits = await toDeposits(db, rows.map(listedOf), sight);
  const reviews = await reviewsOf(db, ids);
  const returns = new Map((await returnsOf(db, ids)).map((one) => [one.deposit_id, one]));
  const candidates = new Map<string, number[]>();
  for (const row of rows)
    if (row.user_id === null && row.pay_address !== '')
      candidates.set(row.id, await candidatesFor(db, addressKey(row.pay_address)));
  const named = reviews.flatMap((review) => [review.user_id, review.proposed_by, review.decided_by]);
  const people = await shortUsers(db, [...named, ...[...candidates.values()].flat()], sight);
  const writeOffBelowUsd = units(deps.siteConfig.get('WITHDRAWALS').depositWriteOffBelowUsd);
  return rows.map((row, at) => ({
    ...deposits[at]!,
    reasons: row.review_reason?.split(',') ?? [],
    // A deposit that is credited without a review is confirmed at the same time.
    confirmedAt: isoOf(row.confirmed_at ?? row.completed_at),
    creditedAt: isoOf(row.completed_at),
    suspended: formatUnits(row.suspense_amount),
    reportedCurrency: row.reported_currency,
    reportedAmount: row.reported_amount,
    outcomeCurrencyId: row.outcome_currency,
    outcomeAmount: row.outcome_amount === null ? null : formatUnits(row.outcome_amount),
    report: row.report,
    actions: actionsFor(factsOf(deps, row), { writeOffBelowUsd }),
    candidates: (candidates.get(row.id) ?? []).flatMap((id) => people.get(id) ?? []),
    proposals: reviews.filter((one) => one.deposit_id === row.id).map((one) => toProposal(one, people)),
    returned: toReturn(returns.get(row.id)),
  }));
}

const isoOf = (at: Date | null): string | null => at && iso(at);

const toProposal = (row: ReviewRow, people: People) => ({
  id: row.id,
  action: row.action,
  state: row.state,
  userId: row.user_id,
  user: people.get(row.user_id ?? 0) ?? null,
  amount: row.amount === null ? null : formatUnits(row.amount),
  address: row.address,
  memo: row.memo,
  reason: row.reason,
  proposedBy: people.get(row.proposed_by) ?? null,
  decidedBy: people.get(row.decided_by ?? 0) ?? null,
  decidedAt: isoOf(row.decided_at),
  decisionReason: row.decision_reason,
  createdAt: iso(row.created_at),
  expiresAt: iso(row.expires_at),
});

const toReturn = (row: ReturnRow | undefined): View['returned'] =>
  row === undefined
    ? null
    : {
        reference: row.reference,
        status: row.status,
        amount: formatUnits(row.amount),
        fee: formatUnits(row.fee),
        address: row.address,
        memo: row.memo,
        txHash: row.tx_hash,
        failedReason: row.failed_reason,
      };

/** The fields of a deposit that are recorded in the audit log. */
export const auditOf = (row: DepositRow) => ({
  id: row.id,
  userId: row.user_id,
  status: row.status,
  currencyId: row.currency_id,
  amount: formatUnits(row.amount),
  version: row.version,
});

/** Returns the latest attempt to return each of these deposits. */
const returnsOf = async (db: DbOrTx, depositIds: readonly string[]): Promise<ReturnRow[]> =>
  (await db
    .selectFrom('deposit_returns')
    .selectAll()
    .distinctOn('deposit_id')
    .where('deposit_id', '=', sql<string>`any(${[...depositIds]}::uuid[])`)
    .orderBy('deposit_id')
    .orderBy('attempt', 'desc')
    .execute()) as ReturnRow[];

const MOST_CANDIDATES = 5;

/** Returns the players to whom this address was most recently issued, regardless of the memo. */
async function candidatesFor(db: DbOrTx, addressKey: string): Promise<number[]> {
  const rows = await db
    .selectFrom('deposit_addresses')
    .select('user_id')
    .where('address_key', '=', addressKey)
    .orderBy('issued_at', 'desc')
    .limit(MOST_CANDIDATES)
    .execute();
  return [...new Set(rows.map(({ user_id }) => user_id))];
}
