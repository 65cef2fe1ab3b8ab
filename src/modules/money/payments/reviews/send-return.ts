import { z } from 'zod';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { NotSent } from '../../../../platform/net/outbound.ts';
import { JobHopeless } from '../../../../platform/queue/queue.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { leaveSuspense, postLegs, publishChange, reasonsOn } from '../deposits/advance.ts';
import { REVERSED_WHILE_RETURNING } from '../deposits/apply.ts';
import {
  type DepositChanges,
  type DepositRow,
  lockDeposit,
  readDeposit,
  updateDeposit,
} from '../deposits/queries.ts';
import type { DepositStatus } from '../deposits/rules.ts';
import type { PaymentDeps } from '../deps.ts';
import type { PayoutReport, PayoutState } from '../provider.ts';
import { checkAfterSeconds } from '../withdrawals/rules.ts';
import { queueReturn } from './execute.ts';
import { type ReturnRow, updateReturn } from './queries.ts';
import { nextReturnStatus } from './rules.ts';

type Deps = Pick<PaymentDeps, 'db' | 'providers' | 'log' | 'metrics'>;
const Job = z.object({ reference: z.string() });

/** The seconds before a retry of a payout that no provider has accepted yet. */
const RETRY_SECONDS = 30;

/**
 * Runs one step of a payout that returns a deposit: requests it under its reference, or polls its status. A reference is paid at most once,
 * however often this runs, because the provider is called outside transactions and only for committed rows.
 */
export async function runReturn(deps: Deps, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('the payload has no reference');
  const claimed = await claim(deps, job.data.reference);
  if (!claimed) return;
  const { payout, isNew } = claimed;
  await (isNew ? pay(deps, payout) : lookUp(deps, payout));
}

/**
 * Moves the payout from QUEUED to PROCESSING and commits before the provider is called. Returns undefined if the payout is final or no
 * provider can pay now.
 */
const claim = ({ db, providers }: Deps, reference: string) =>
  transaction(db, async (tx): Promise<{ payout: ReturnRow; isNew: boolean } | undefined> => {
    const locked = await lockPayout(tx, reference);
    if (!locked) throw new JobHopeless('the returned deposit does not exist');
    const { payout } = locked;
    if (payout.status === 'COMPLETED' || payout.status === 'FAILED') return undefined;
    if (payout.status !== 'QUEUED') return { payout, isNew: false };
    if (!providers.active) {
      await postpone(tx, payout, RETRY_SECONDS);
      return undefined;
    }
    const asked = { provider_id: providers.active.id, asked_at: await transactionTime(tx) };
    return { payout: await updateReturn(tx, reference, { status: 'PROCESSING', ...asked }), isNew: true };
  });

async function pay(deps: Deps, payout: ReturnRow): Promise<void> {
  const { reference, currency_id: currencyId, network_id: networkId, address, memo, amount, fee } = payout;
  const order = { reference, currencyId, networkId, address, memo, amount: amount - fee };
  let state: PayoutState;
  try {
    state = await deps.providers.get(payout.provider_id!).pay(order);
  } catch (error) {
    const facts = { reference, error: (error as Error).message };
    if (error instanceof NotSent) {
      deps.log.warn(facts, 'returned deposit not sent yet');
      return postponeAfterError(deps, payout, 'QUEUED');
    }
    deps.log.warn(facts, 'outcome of a returned deposit unknown');
    return postponeAfterError(deps, payout, 'UNKNOWN_OUTCOME');
  }
  await apply(deps, reference, state);
}

/**
 * Retries a payout that the provider definitely never received, provided that the retry cannot pay twice. Otherwise marks the payout as
 * failed.
 */
async function lookUp(deps: Deps, payout: ReturnRow): Promise<void> {
  const { reference, external_id: externalId, asked_at: sentAt, address, provider_id } = payout;
  let state: PayoutState | undefined;
  try {
    const provider = deps.providers.get(provider_id!);
    state = await provider.lookUp({ reference, externalId, sentAt: sentAt!, address });
    if (!state && payout.status === 'PROCESSING' && provider.repeatsSafely) return pay(deps, payout);
  } catch (error) {
    deps.log.warn({ reference, error: (error as Error).message }, 'look-up of a returned deposit failed');
    return postponeAfterError(
      deps,
      payout,
      payout.status === 'PROCESSING' ? 'UNKNOWN_OUTCOME' : payout.status,
    );
  }
  await apply(deps, reference, state ?? UNKNOWN_TO_PROVIDER);
}

const UNKNOWN_TO_PROVIDER: PayoutState = {
  status: 'FAILED',
  externalId: null,
  txHash: null,
  confirmations: 0,
  failedReason: 'the provider has never had it',
};

const apply = ({ db, ...deps }: Deps, reference: string, state: PayoutState): Promise<void> =>
  transaction(db, async (tx) => {
    const locked = await lockPayout(tx, reference);
    if (!locked) return;
    await schedule(tx, await applyState(tx, deps, locked, state));
  });

/** Postpones a payout to a later step, unless a report has changed the payout in the meantime. */
const postponeAfterError = ({ db }: Deps, seen: ReturnRow, status: ReturnRow['status']): Promise<void> =>
  transaction(db, async (tx) => {
    const locked = await lockPayout(tx, seen.reference);
    if (!locked) return;
    const { payout } = locked;
    const isUnreported = payout.status === seen.status && payout.checks === seen.checks;
    const next = isUnreported ? await updateReturn(tx, seen.reference, { status }) : payout;
    if (next.status === 'QUEUED') await postpone(tx, next, RETRY_SECONDS);
    else await schedule(tx, next);
  });

/** Queues the next poll, with a growing delay, until the payout is final. */
async function schedule(tx: Tx, payout: ReturnRow): Promise<void> {
  const { status } = payout;
  if (status === 'QUEUED' || status === 'COMPLETED' || status === 'FAILED') return;
  await postpone(tx, payout, checkAfterSeconds(status, payout.checks) ?? 3600);
}

async function postpone(tx: Tx, { reference, checks }: ReturnRow, seconds: number): Promise<void> {
  await updateReturn(tx, reference, { checks: checks + 1 });
  const now = await transactionTime(tx);
  await queueReturn(tx, reference, new Date(now.getTime() + seconds * 1000));
}

/** Applies a webhook about a returned deposit. Returns false if the reference is not a return, or belongs to another provider. */
export async function applyReturnReport(
  tx: Tx,
  deps: Pick<Deps, 'log' | 'metrics'>,
  provider: string,
  report: PayoutReport,
): Promise<boolean> {
  const locked = await lockPayout(tx, report.reference);
  if (!locked || (locked.payout.provider_id ?? provider) !== provider) return false;
  await applyState(tx, deps, locked, report);
  return true;
}

type Locked = { row: DepositRow; payout: ReturnRow };

/** Locks the player, the deposit and the payout with this reference. Returns undefined if the payout does not exist. */
async function lockPayout(tx: Tx, reference: string): Promise<Locked | undefined> {
  const seen = await findReturn(tx, reference);
  const deposit = seen && (await readDeposit(tx, seen.deposit_id));
  if (!seen || !deposit) return undefined;
  await lockPlayers(tx, deposit.user_id === null ? [] : [deposit.user_id]);
  const row = await lockDeposit(tx, deposit.id);
  return { row, payout: await lockReturn(tx, reference) };
}

/**
 * Applies a provider's report to a locked payout. The status moves forward or stays the same. A sent payout removes the coins from
 * suspense. A failed payout puts the deposit back under review.
 */
async function applyState(
  tx: Tx,
  deps: Pick<Deps, 'log' | 'metrics'>,
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

/** Posts suspense → treasury and fees, because the coins have been sent. */
async function settle(tx: Tx, { row, payout }: Locked): Promise<void> {
  const { amount, fee, attempt } = payout;
  await postLegs(tx, row, `return:${attempt}`, [
    { kind: 'deposit.return', debit: 'suspense', credit: 'treasury', amount: amount - fee },
    { kind: 'deposit.return.fee', debit: 'suspense', credit: 'fees', amount: fee },
  ]);
  await moveDeposit(tx, row, 'RETURNED', { suspense_amount: 0n });
}

/**
 * Handles a payout that has definitely failed. The deposit goes back under review, or is reversed if its coins have disappeared from the
 * chain.
 */
async function giveBack(
  tx: Tx,
  deps: Pick<Deps, 'log' | 'metrics'>,
  { row, payout }: Locked,
  wasSent: boolean,
): Promise<void> {
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

/** Locks a payout. Its deposit must already be locked. */
const lockReturn = async (tx: Tx, reference: string): Promise<ReturnRow> =>
  (await tx
    .selectFrom('deposit_returns')
    .selectAll()
    .where('reference', '=', reference)
    .forUpdate()
    .executeTakeFirstOrThrow()) as ReturnRow;
