import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { NotSent } from '../../../../platform/net/outbound.ts';
import { addJob, JobHopeless } from '../../../../platform/queue/queue.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { PayoutDeps } from '../deps.ts';
import type { PayoutState } from '../provider.ts';
import { dueWithdrawals, postpone, type WithdrawalRow } from './queries.ts';
import { checkAfterSeconds, referenceOf } from './rules.ts';
import { isStopped } from './stopped.ts';
import { type ApplyStatus, checkAt, getWithdrawal, lockWithdrawal, move } from './transition.ts';

/** The task that sends an approved withdrawal. */
export const SEND = 'withdrawal.send';

/** Queues an approved withdrawal for sending, in the transaction that approves it. */
export const queueSending = (tx: Tx, id: string): Promise<void> =>
  addJob(tx, SEND, { id }, { key: `${SEND}:${id}` });

const MAX_AT_ONCE = 100;
const PARALLEL = 4;

type Deps = PayoutDeps & { applyStatus: ApplyStatus };

/** Sends approved withdrawals. Each reference is paid at most once, however many processes run this. */
export function createSending(deps: Deps) {
  const { db, log } = deps;
  const { apply, pay, giveUp } = createPayouts(deps);

  /** Sends a withdrawal if it is APPROVED. */
  const send = async (id: string): Promise<void> => {
    const row = await claim(deps, id);
    if (row) await pay(row);
  };

  /**
   * Queries the provider about a payout without a recent report. If the provider has no such payout and never responded to the request, the
   * process may have died before sending it. The payout is then sent under the same reference if that cannot pay twice.
   */
  const check = async (id: string): Promise<void> => {
    const row = await getWithdrawal(db, id);
    if (row.reference === null) return;
    const found = await lookUp(deps.providers, row);
    if (found) await apply(row, found);
    else if (row.status === 'PROCESSING')
      await (row.told_at === null && repeatsSafely(deps.providers, row) ? pay(row) : giveUp(row));
  };

  const checkDue = async ({ id, status, checks }: Awaited<ReturnType<typeof dueWithdrawals>>[number]) => {
    if (status === 'ON_HOLD') return transaction(db, (tx) => release(tx, id));
    await postpone(db, { id, status, checks }, checkAfterSeconds(status, checks + 1) ?? 3600);
    await (status === 'APPROVED' ? send(id) : check(id));
  };

  return {
    send,
    check,

    isAnyDue: async () => (await dueWithdrawals(db, 1)).length > 0,
    /** Releases, sends or checks every withdrawal that is due, depending on its status. Failures are retried later. */
    async watch(): Promise<void> {
      const due = await dueWithdrawals(db, MAX_AT_ONCE);
      const lane = async () => {
        for (let next = due.shift(); next; next = due.shift()) {
          const { id } = next;
          await checkDue(next).catch((error: Error) =>
            log.warn({ withdrawalId: id, error: error.message }, 'withdrawal check failed'),
          );
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, lane));
    },

    /** Handles the task SEND. */
    async run(payload: unknown): Promise<void> {
      const { id } = payload as { id?: unknown };
      if (typeof id !== 'string') throw new JobHopeless('withdrawal task without an id');
      await send(id);
    },
  };
}

/**
 * Moves a withdrawal from APPROVED to PROCESSING and stores the payout's reference. This is committed before the request is sent to the
 * provider.
 */
const claim = ({ db, providers }: Deps, id: string): Promise<WithdrawalRow | undefined> =>
  transaction(db, async (tx) => {
    const row = await lockWithdrawal(tx, id);
    if (row.status !== 'APPROVED') return undefined;
    // No request was sent yet, so it is safe to stop. The withdrawal goes back to staff for review.
    if (row.reference === null && (await isStopped(tx, row))) {
      await move(tx, row, { to: 'ON_HOLD', hold_reason: 'RISK', reason: 'RISK' });
      return undefined;
    }
    // A reference that was already sent may be sent again only to the same provider.
    const provider = row.reference === null ? providers.active : providers.get(row.provider_id!);
    if (!provider) return undefined;
    return move(tx, row, {
      to: 'PROCESSING',
      provider_id: provider.id,
      reference: row.reference ?? referenceOf(id, row.attempt),
      asked_at: await transactionTime(tx),
      told_at: null,
    });
  });

/** Sends payouts and applies the responses. Requests run outside transactions, after the withdrawal's state is committed. */
function createPayouts({ db, providers, applyStatus, log }: Deps) {
  const apply = (row: WithdrawalRow, reported: PayoutState) =>
    transaction(db, async (tx) =>
      applyStatus(tx, await lockWithdrawal(tx, row.id), { ...reported, reference: row.reference! }),
    );

  /** Returns true if no report has arrived since this row was read. Only then is the result of our own request applied. */
  const isUnreported = (now: WithdrawalRow, { reference, told_at }: WithdrawalRow) =>
    now.status === 'PROCESSING' && now.reference === reference && Number(now.told_at) === Number(told_at);

  /** Puts a withdrawal back into the queue for the next attempt, because the provider definitely never received the request. */
  const putBack = (row: WithdrawalRow) =>
    transaction(db, async (tx) => {
      const now = await lockWithdrawal(tx, row.id);
      if (!isUnreported(now, row)) return;
      const [checks, check_at] = [now.checks, await checkAt(tx, 'APPROVED', now.checks)];
      await move(tx, now, { to: 'APPROVED', reason: null, checks, check_at });
    });

  /** Marks the outcome as unknown. The amount stays on hold, and the worker starts to query the provider. */
  const giveUp = (row: WithdrawalRow) =>
    transaction(db, async (tx) => {
      const now = await lockWithdrawal(tx, row.id);
      if (isUnreported(now, row)) await move(tx, now, { to: 'UNKNOWN_OUTCOME' });
    });

  /** Sends a payout request for a PROCESSING withdrawal and applies the response. */
  const pay = async (row: WithdrawalRow): Promise<void> => {
    const { reference, currency_id: currencyId, network_id: networkId, amount, fee } = row;
    const { recipient_address: address, recipient_memo: memo } = row;
    const order = { reference: reference!, currencyId, networkId, address, memo, amount: amount - fee };
    let reported: PayoutState;
    try {
      reported = await providers.get(row.provider_id!).pay(order);
    } catch (error) {
      const isNotSent = error instanceof NotSent;
      const about = { withdrawalId: row.id, reference, error: (error as Error).message };
      log.warn(about, isNotSent ? 'withdrawal not sent' : 'withdrawal outcome unknown');
      return isNotSent ? putBack(row) : giveUp(row);
    }
    await apply(row, reported);
  };

  return { apply, pay, giveUp };
}

/**
 * Returns the provider's state of the last attempt, or undefined if the provider definitely has no such payout. Throws NotSent or
 * Unanswered.
 */
export const lookUp = (providers: Pick<Deps['providers'], 'get'>, row: WithdrawalRow) =>
  providers.get(row.provider_id!).lookUp({
    reference: row.reference!,
    externalId: row.external_id,
    sentAt: row.asked_at!,
    address: row.recipient_address,
  });

/** Returns true if a second request with the same reference cannot pay twice. */
export const repeatsSafely = (providers: Pick<Deps['providers'], 'get'>, row: WithdrawalRow): boolean =>
  providers.get(row.provider_id!).repeatsSafely;

/** Ends a hold that has expired. */
async function release(tx: Tx, id: string): Promise<void> {
  const row = await lockWithdrawal(tx, id);
  if (row.status !== 'ON_HOLD' || row.check_at === null || row.check_at > (await transactionTime(tx))) return;
  await move(tx, row, { to: 'WAITING_FOR_APPROVAL', hold_reason: null });
}
