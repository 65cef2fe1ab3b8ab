import type { Tx } from '../../../../platform/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { recoverClaims } from '../../ledger/claims.ts';
import { post } from '../../ledger/post.ts';
import type { Line } from '../../ledger/rules.ts';
import { recordPayment } from '../stats.ts';
import { withdrawalErrors } from './errors.ts';
import { tellOf } from './news.ts';
import {
  type Changes,
  findWithdrawal,
  lockRow,
  nowOf,
  updateWithdrawal,
  type WithdrawalRow,
} from './queries.ts';
import { checkAfterSeconds, type Leg, legsOf, mayBecome, type WithdrawalStatus } from './rules.ts';

type Move = Changes & { to: WithdrawalStatus; reason?: string | null };

/**
 * The one way from a state to another: the ledger's legs, the row with its history, and what else follows, all in the caller's
 * transaction under the locks of player and row (`lockWithdrawal`). Throws 400 INSUFFICIENT_BALANCE where the money has to be held
 * anew and is gone. A change that there is not is a defect of the caller.
 */
export async function move(tx: Tx, row: WithdrawalRow, { to, ...change }: Move): Promise<WithdrawalRow> {
  if (!mayBecome(row.status, to)) throw new Error(`withdrawal ${row.id} is ${row.status}: never ${to}`);
  const attempt = change.attempt ?? row.attempt;
  for (const leg of legsOf(row.status, to)) await postLeg(tx, { ...row, attempt }, leg);
  // Between being sent and being asked for again tries are counted on.
  const checks = change.checks ?? (to === 'PROCESSING' ? row.checks : 0);
  const next = await updateWithdrawal(tx, row, {
    check_at: await checkAt(tx, to, checks),
    checks,
    ...change,
    status: to,
  });
  if (to === 'COMPLETED')
    await recordPayment(tx, {
      userId: row.user_id,
      kind: 'WITHDRAW',
      usdAmount: row.usd_amount,
      at: next.updated_at,
    });
  await tellOf(tx, row.status, next);
  return next;
}

/** When the worker looks at a withdrawal that comes into a state now; null: never. */
export async function checkAt(tx: Tx, status: WithdrawalStatus, checks: number): Promise<Date | null> {
  const seconds = checkAfterSeconds(status, checks);
  return seconds === undefined ? null : new Date(Number(await nowOf(tx)) + seconds * 1000);
}

type Held = Pick<WithdrawalRow, 'id' | 'user_id' | 'currency_id' | 'amount' | 'fee' | 'attempt'>;

/** Posts one leg, once for each attempt. Throws 400 INSUFFICIENT_BALANCE. */
export async function postLeg(tx: Tx, held: Held, leg: Leg): Promise<void> {
  const { id, user_id: userId, currency_id: currencyId, amount, fee, attempt } = held;
  const line = (kind: string, debit: Line['debit'], credit: Line['credit'], of: bigint): Line[] =>
    of > 0n ? [{ userId, currencyId, kind, debit, credit, amount: of }] : [];
  const received = amount - fee;
  const lines: Record<Leg, Line[]> = {
    hold: line('withdraw.hold', 'cash', 'hold', amount),
    release: line('withdraw.release', 'hold', 'cash', amount),
    sent: [
      ...line('withdraw.sent', 'hold', 'treasury', received),
      ...line('withdraw.fee', 'hold', 'fees', fee),
    ],
    return: [
      ...line('withdraw.return', 'treasury', 'hold', received),
      ...line('withdraw.fee.return', 'fees', 'hold', fee),
    ],
  };
  const key = `withdrawal:${id}:${leg}:${attempt}`;
  const [posted] = await post(tx, [{ key, kind: `withdraw.${leg}`, lines: lines[leg] }]);
  // What comes back pays what he owes first.
  if (leg === 'release' && !posted!.replayed) await recoverClaims(tx, { userId, currencyId, amount, key });
}

/** The withdrawal under the locks of its player, of whoever else is named, and of its row. Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function lockWithdrawal(
  tx: Tx,
  id: string,
  alsoPlayers: readonly number[] = [],
): Promise<WithdrawalRow> {
  const { user_id } = await getWithdrawal(tx, id);
  await lockPlayers(tx, [user_id, ...alsoPlayers]);
  return (await lockRow(tx, id))!;
}

/** Throws 404 WITHDRAWAL_NOT_FOUND. */
export async function getWithdrawal(
  db: Parameters<typeof findWithdrawal>[0],
  id: string,
): Promise<WithdrawalRow> {
  const row = isUuid(id) ? await findWithdrawal(db, id) : undefined;
  if (!row) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
  return row;
}

const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
