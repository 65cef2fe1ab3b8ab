import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import { JobHopeless } from '../../../../platform/queue.ts';
import type { Ask, AskDeps } from './ask.ts';
import { dueWithdrawals, nowOf, postpone, type WithdrawalRow } from './queries.ts';
import { checkAfterSeconds, referenceOf } from './rules.ts';
import { isStopped } from './staff.ts';
import { getWithdrawal, lockWithdrawal, move } from './transition.ts';

/** The job that sends an approved withdrawal. */
export const SEND = 'withdrawal.send';
const MOST_AT_ONCE = 100;
const WIDTH = 4;

type Deps = { db: Db; providers: AskDeps['providers']; ask: Ask; log: Log };

/** What the worker does about withdrawals. However often and wherever it runs, each reference is paid once at most. */
export function createSending({ db, providers, ask, log }: Deps) {
  /** APPROVED → PROCESSING with the name that the payout has at the provider, committed before anybody is asked. */
  const claim = (id: string): Promise<WithdrawalRow | undefined> =>
    transaction(db, async (tx) => {
      const row = await lockWithdrawal(tx, id);
      if (row.status !== 'APPROVED') return undefined;
      // Nobody was asked yet: staff looks once more.
      if (row.reference === null && (await isStopped(tx, row))) {
        await move(tx, row, { to: 'ON_HOLD', hold_reason: 'RISK', reason: 'RISK' });
        return undefined;
      }
      // A name that was used goes to whom it was used with.
      const provider = row.reference === null ? providers.active : providers.get(row.provider_id!);
      if (!provider) return undefined;
      return move(tx, row, {
        to: 'PROCESSING',
        provider_id: provider.id,
        reference: row.reference ?? referenceOf(id, row.attempt),
        asked_at: await nowOf(tx),
        told_at: null,
      });
    });

  /** Sends it if it is approved; else nothing happens. */
  const send = async (id: string): Promise<void> => {
    const row = await claim(id);
    if (row) await ask.pay(row);
  };

  /**
   * Asks what became of a payout that nothing was heard of for a while. One that was never answered and is certainly not there was
   * left behind by a process that died before it had asked: it is paid under the same name where that cannot pay twice.
   */
  const check = async (id: string): Promise<void> => {
    const row = await getWithdrawal(db, id);
    if (row.reference === null) return;
    const found = await ask.lookUp(row);
    if (found) await ask.take(row, found);
    else if (row.status === 'PROCESSING')
      await (row.told_at === null && ask.repeatsSafely(row) ? ask.pay(row) : ask.giveUp(row));
  };

  const look = async ({ id, status, checks }: Awaited<ReturnType<typeof dueWithdrawals>>[number]) => {
    if (status === 'ON_HOLD') return transaction(db, (tx) => release(tx, id));
    await postpone(db, { id, status, checks }, checkAfterSeconds(status, checks + 1) ?? 3600);
    await (status === 'APPROVED' ? send(id) : check(id));
  };

  return {
    send,
    check,

    isAnyDue: async () => (await dueWithdrawals(db, 1)).length > 0,
    /** Everything whose time has come: releases, sends, asks. What fails is tried again later. */
    async watch(): Promise<void> {
      const due = await dueWithdrawals(db, MOST_AT_ONCE);
      const lane = async () => {
        for (let next = due.shift(); next; next = due.shift()) {
          const { id } = next;
          await look(next).catch((error: Error) =>
            log.warn({ withdrawalId: id, error: error.message }, 'a withdrawal could not be looked at'),
          );
        }
      };
      await Promise.all(Array.from({ length: WIDTH }, lane));
    },

    /** The job SEND. */
    async run(payload: unknown): Promise<void> {
      const { id } = payload as { id?: unknown };
      if (typeof id !== 'string') throw new JobHopeless('a withdrawal without an id');
      await send(id);
    },
  };
}

/** The time that a withdrawal was held for is over. */
async function release(tx: Tx, id: string): Promise<void> {
  const row = await lockWithdrawal(tx, id);
  if (row.status !== 'ON_HOLD' || row.check_at === null || row.check_at > (await nowOf(tx))) return;
  await move(tx, row, { to: 'WAITING_FOR_APPROVAL', hold_reason: null });
}
