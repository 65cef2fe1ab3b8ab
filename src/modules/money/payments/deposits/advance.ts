import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { baseEvents } from '../../../base/events/schemas.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { getUser } from '../../../base/users/service.ts';
import type { Kind } from '../../ledger/kinds.ts';
import { post } from '../../ledger/post.ts';
import type { SYSTEM_ACCOUNTS } from '../../ledger/rules.ts';
import type { PaymentDeps } from '../deps.ts';
import { withReasons } from '../may-deposit.ts';
import { paymentMessages } from '../messages.ts';
import type { DepositReport } from '../provider.ts';
import type { Owner } from './claim.ts';
import { type DepositChanges, type DepositRow, lockDeposit, updateDeposit } from './queries.ts';
import { canTransition, type DepositStatus, type ShownStatus, shownStatus, statusOf } from './rules.ts';
import { depositEvents } from './schemas.ts';

/** A report about a deposit, and the time of the transaction. The deposit and its player must be locked. */
export type Work = { deps: PaymentDeps; row: DepositRow; owner: Owner; report: DepositReport; at: Date };
export type Step = { status: DepositStatus; reasons?: readonly string[] } & DepositChanges;

export const networkOf = (
  { currencies }: Pick<PaymentDeps, 'currencies'>,
  { currencyId, networkId }: { currencyId: string; networkId: string },
) => currencies.networksOf(currencyId).find(({ id }) => id === networkId);

/** Moves a deposit to another status and stores the data of the report. */
export function advance(
  tx: Tx,
  { deps, row, report, at }: Work,
  { status, reasons = [], ...changes }: Step,
): Promise<DepositRow> {
  const isStopped = status === 'UNDER_REVIEW' || status === 'ON_HOLD';
  return updateDeposit(tx, row.id, {
    ...changes,
    ...seenIn(row, report),
    ...reasonsOn(deps, row, reasons),
    change: { status, at: at.toISOString(), reason: (isStopped && reasons[0]) || null },
  });
}

/** Keeps the status, because the report is late or repeated. If it is the first report that confirms the coins, they go to suspense. */
export async function stay(tx: Tx, work: Work, reasons: readonly string[] = []): Promise<DepositRow> {
  const { deps, row, report } = work;
  const suspended = row.status === 'UNDER_REVIEW' ? await suspend(tx, work) : {};
  return updateDeposit(tx, row.id, {
    ...suspended,
    ...seenIn(row, report),
    ...reasonsOn(deps, row, reasons),
  });
}

/** Puts a deposit under review if its status allows that. */
export async function stop(tx: Tx, work: Work, reasons: readonly string[]): Promise<DepositRow> {
  if (!canTransition(work.row.status, 'UNDER_REVIEW')) return stay(tx, work, reasons);
  return advance(tx, work, { status: 'UNDER_REVIEW', reasons, ...(await suspend(tx, work)) });
}

/**
 * Posts the coins that a report confirms to suspense, and returns the changes to the deposit. From then on the deposit's amount is the
 * amount that arrived. Coins that are not listed or that differ from the earlier report are not posted, only marked as confirmed.
 */
export async function suspend(tx: Tx, { deps, row, report, at }: Work): Promise<DepositChanges> {
  const isArrived = statusOf(report, row.required_confirmations) === 'COMPLETED';
  if (row.confirmed_at !== null || !isArrived) return {};
  const isSame = report.currencyId === row.currency_id && report.networkId === row.network_id;
  const { amount } = report;
  if (!isSame || amount === 0n || row.output_key === null || !networkOf(deps, report))
    return { confirmed_at: at };
  await enterSuspense(tx, row, amount);
  return { confirmed_at: at, amount, suspense_amount: amount };
}

const seenIn = (row: DepositRow, report: DepositReport) => ({
  confirmations: Math.max(row.confirmations, report.confirmations),
  noticed_at: report.at > row.noticed_at ? report.at : row.noticed_at,
});

/** Adds new reasons to those of the deposit. A new reason is a finding that staff must acknowledge. */
export function reasonsOn(
  deps: Pick<PaymentDeps, 'log' | 'metrics'>,
  row: Pick<DepositRow, 'id' | 'review_reason' | 'has_finding'>,
  reasons: readonly string[],
) {
  const review_reason = withReasons(deps, row, reasons);
  return { review_reason, has_finding: row.has_finding || review_reason !== row.review_reason };
}

/** The player is notified of changes to these statuses. */
const MESSAGES = {
  COMPLETED: paymentMessages['deposit.completed'],
  ON_HOLD: paymentMessages['deposit.held'],
  UNDER_REVIEW: paymentMessages['deposit.held'],
  REVERSED: paymentMessages['deposit.reversed'],
} as const satisfies Partial<Record<ShownStatus, object>>;

/**
 * Emits the new status to the player, notifies them, and alerts staff to a review or a finding. `before` is undefined for a new deposit.
 */
export async function publishChange(tx: Tx, before: DepositRow | undefined, row: DepositRow): Promise<void> {
  const { id, user_id: userId, currency_id: currencyId } = row;
  const isReview = row.status === 'UNDER_REVIEW' && before?.status !== row.status;
  const isFinding = row.has_finding && before?.review_reason !== row.review_reason;
  if (isReview || isFinding)
    await emitEvent(tx, { event: baseEvents['admin.alert'], data: { kind: 'DEPOSIT_UNDER_REVIEW', id } });
  const status = shownStatus(row.status);
  const isKnown = before && shownStatus(before.status) === status && before.user_id === userId;
  if (userId === null || isKnown) return;
  const data = { depositId: id, currencyId, amount: formatUnits(row.amount) };
  await emitEvent(tx, { event: depositEvents['deposit.status'], userId, data: { ...data, status } });
  if (Object.hasOwn(MESSAGES, status))
    await notify(tx, userId, MESSAGES[status as keyof typeof MESSAGES], data);
}

type Account = keyof typeof SYSTEM_ACCOUNTS;
type Leg = { kind: Kind; debit: Account; credit: Account; amount: Units };
type Keyed = Pick<DepositRow, 'output_key' | 'currency_id'>;

/** Posts the given legs between platform accounts, once per step of a deposit. Zero amounts are skipped. */
export async function postLegs(tx: Tx, row: Keyed, step: string, legs: readonly Leg[]): Promise<void> {
  const postings = legs
    .filter(({ amount }) => amount > 0n)
    .map((leg) => ({ userId: 0, currencyId: row.currency_id, ...leg }));
  if (postings.length === 0) return;
  await post(tx, [{ key: `deposit:${row.output_key}:${step}`, kind: postings[0]!.kind, postings }]);
}

/** Posts coins that are confirmed but not credited from treasury to suspense, once per output. */
export const enterSuspense = (tx: Tx, row: Keyed, amount: Units): Promise<void> =>
  postLegs(tx, row, 'suspense', [
    { kind: 'deposit.suspense', debit: 'treasury', credit: 'suspense', amount },
  ]);

/** Moves suspended coins back to treasury before they are credited or reversed. */
export const leaveSuspense = (tx: Tx, row: DepositRow): Promise<void> =>
  postLegs(tx, row, 'suspense:back', [
    { kind: 'deposit.suspense.return', debit: 'suspense', credit: 'treasury', amount: row.suspense_amount },
  ]);

/** Moves suspended coins to fees. */
export const writeOff = (tx: Tx, row: DepositRow): Promise<void> =>
  postLegs(tx, row, 'suspense:back', [
    { kind: 'deposit.written-off', debit: 'suspense', credit: 'fees', amount: row.suspense_amount },
  ]);

/** Reverses the write-off of coins that have since disappeared from the chain. */
export const undoWriteOff = (tx: Tx, row: Keyed, amount: Units): Promise<void> =>
  postLegs(tx, row, 'suspense:reversal', [
    { kind: 'deposit.written-off.reversal', debit: 'fees', credit: 'treasury', amount },
  ]);

type Credit = { userId: number; currencyId: string; amount: Units; usdAmount: Units; at: Date };

/**
 * Credits a deposit and returns its next state. Automatic credits and credits by staff use the same key, which identifies the output. A
 * banned player also gets the money, but the deposit stays ON_HOLD until the ban is lifted.
 */
export async function creditDeposit(
  tx: Tx,
  { credits, depositGate }: Pick<PaymentDeps, 'credits' | 'depositGate'>,
  row: DepositRow,
  { userId, currencyId, amount, usdAmount, at }: Credit,
): Promise<Step> {
  await leaveSuspense(tx, row);
  const reasons = await depositGate.findings(tx, { userId, usdAmount });
  const key = `deposit:${row.output_key}`;
  const credit = { userId, currencyId, amount, usdAmount, key, kind: 'deposit', at } as const;
  const { entryId, bonus = null, affiliateUsd } = await credits.credit(tx, credit);
  const { affiliate_code } = await getUser(tx, userId);
  return {
    status: reasons.includes('USER_BANNED') ? 'ON_HOLD' : 'COMPLETED',
    reasons,
    amount,
    usd_amount: usdAmount,
    deposit_bonus: bonus,
    completed_at: at,
    affiliate_code,
    affiliate_amount: affiliateUsd,
    credit_key: key,
    entry_id: entryId,
    suspense_amount: 0n,
  };
}

const BATCH = 100;

/** Completes deposits that were put on hold while their players were banned. Their money is already credited. */
export async function releaseDeposits(db: Db): Promise<void> {
  for (const held of await readHeld(db)) await transaction(db, (tx) => releaseOne(tx, held));
}

type Held = { id: string; userId: number };

async function releaseOne(tx: Tx, { id, userId }: Held): Promise<void> {
  const player = (await lockPlayers(tx, [userId])).get(userId);
  const row = await lockDeposit(tx, id);
  if (player?.isBanned || row.status !== 'ON_HOLD') return;
  const at = new Date().toISOString();
  const released = await updateDeposit(tx, id, { change: { status: 'COMPLETED', at, reason: null } });
  await publishChange(tx, row, released);
}

/** Returns deposits on hold whose players are no longer banned. */
const readHeld = (db: Db): Promise<Held[]> =>
  db
    .selectFrom('deposits')
    .innerJoin('players', 'players.user_id', 'deposits.user_id')
    .select(['deposits.id', 'players.user_id as userId'])
    .where('deposits.status', '=', 'ON_HOLD')
    .where('players.is_banned', '=', false)
    .orderBy('deposits.id')
    .limit(BATCH)
    .execute();
