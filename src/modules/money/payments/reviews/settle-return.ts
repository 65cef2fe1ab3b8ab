import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { publishChange, reasonsOn } from '../deposits/advance.ts';
import {
  type DepositChanges,
  type DepositRow,
  lockDeposit,
  readDeposit,
  updateDeposit,
} from '../deposits/queries.ts';
import { REVERSED_WHILE_RETURNING } from '../deposits/reverse.ts';
import type { DepositStatus } from '../deposits/rules.ts';
import { leaveSuspense, postLegs } from '../deposits/suspense.ts';
import type { PaymentDeps } from '../deps.ts';
import type { PayoutState } from '../provider.ts';
import { type ReturnRow, updateReturn } from './queries.ts';
import { nextReturnStatus } from './rules.ts';

type Deps = Pick<PaymentDeps, 'log' | 'metrics'>;
type Locked = { row: DepositRow; payout: ReturnRow };

/** Locks the player, the deposit and the payout with this reference. Undefined if it does not exist. */
export async function lockPayout(tx: Tx, reference: string): Promise<Locked | undefined> {
  const seen = await findReturn(tx, reference);
  const deposit = seen && (await readDeposit(tx, seen.deposit_id));
  if (!seen || !deposit) return undefined;
  await lockPlayers(tx, deposit.user_id === null ? [] : [deposit.user_id]);
  const row = await lockDeposit(tx, deposit.id);
  return { row, payout: await lockReturn(tx, reference) };
}

/**
 * Applies a provider's report to a locked payout. The status moves forward or stays the same. A sent payout removes the coins from
 * suspense; a failed one puts the deposit back under review.
 */
export async function applyState(
  tx: Tx,
  deps: Deps,
  locked: Locked,
  reported: PayoutState,
): Promise<ReturnRow> {
  const { row, payout } = locked;
  const to = nextReturnStatus(payout.status, reported.status);
  const facts = {
    depositId: row.id,
    reference: payout.reference,
    status: payout.status,
    reported: reported.status,
  };
  if (to === 'contradiction') {
    deps.log.error(facts, 'the provider contradicts its earlier report about a returned deposit');
    await changeDeposit(tx, row, reasonsOn(deps, row, ['RETURN_CONTRADICTED']));
    return payout;
  }
  const learnt = {
    external_id: reported.externalId ?? payout.external_id,
    tx_hash: reported.txHash ?? payout.tx_hash,
  };
  const next = await updateReturn(tx, payout.reference, {
    ...learnt,
    ...(to && { status: to, failed_reason: to === 'FAILED' ? reported.failedReason : null }),
  });
  const wasSent = payout.status === 'SENT';
  if ((to === 'SENT' || to === 'COMPLETED') && !wasSent) await settle(tx, locked);
  if (to === 'FAILED') await giveBack(tx, deps, locked, wasSent);
  return next;
}

/** Posts suspense → treasury and fees, because the coins have left. */
async function settle(tx: Tx, { row, payout }: Locked): Promise<void> {
  const { amount, fee, attempt } = payout;
  await postLegs(tx, row, `return:${attempt}`, [
    { kind: 'deposit.return', debit: 'suspense', credit: 'treasury', amount: amount - fee },
    { kind: 'deposit.return.fee', debit: 'suspense', credit: 'fees', amount: fee },
  ]);
  await moveDeposit(tx, row, 'RETURNED', { suspense_amount: 0n });
}

/** Handles a payout that has certainly failed: the deposit goes back to review, or is reversed if its coins have since vanished. */
async function giveBack(tx: Tx, deps: Deps, { row, payout }: Locked, wasSent: boolean): Promise<void> {
  const { amount, fee, attempt } = payout;
  if (wasSent)
    await postLegs(tx, row, `return:${attempt}:back`, [
      { kind: 'deposit.return.reversal', debit: 'treasury', credit: 'suspense', amount: amount - fee },
      { kind: 'deposit.return.fee.reversal', debit: 'fees', credit: 'suspense', amount: fee },
    ]);
  const held = { ...row, suspense_amount: amount };
  if (row.review_reason?.split(',').includes(REVERSED_WHILE_RETURNING)) {
    await leaveSuspense(tx, held);
    await moveDeposit(tx, row, 'REVERSED', { suspense_amount: 0n });
    return;
  }
  const reasons = reasonsOn(deps, row, ['RETURN_FAILED']);
  await moveDeposit(tx, row, 'UNDER_REVIEW', { suspense_amount: amount, ...reasons });
}

async function moveDeposit(tx: Tx, row: DepositRow, status: DepositStatus, changes: DepositChanges) {
  const at = (await transactionTime(tx)).toISOString();
  await changeDeposit(tx, row, { ...changes, change: { status, at, reason: null } });
}

async function changeDeposit(tx: Tx, row: DepositRow, changes: Parameters<typeof updateDeposit>[2]) {
  await publishChange(tx, row, await updateDeposit(tx, row.id, changes));
}

const findReturn = async (db: DbOrTx, reference: string): Promise<ReturnRow | undefined> =>
  (await db
    .selectFrom('deposit_returns')
    .selectAll()
    .where('reference', '=', reference)
    .executeTakeFirst()) as ReturnRow | undefined;

/** The deposit of the payout must be locked. */
const lockReturn = async (tx: Tx, reference: string): Promise<ReturnRow> =>
  (await tx
    .selectFrom('deposit_returns')
    .selectAll()
    .where('reference', '=', reference)
    .forUpdate()
    .executeTakeFirstOrThrow()) as ReturnRow;
