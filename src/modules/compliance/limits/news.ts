import { iso } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db.ts';
import { notify } from '../../base/notifications/notify.ts';
import { shownLimit } from '../gate/rules.ts';
import type { LimitRow } from './queries.ts';

type Limit = Pick<LimitRow, 'type' | 'period' | 'amount'>;

const amountOf = ({ type, amount }: Limit): string | null =>
  amount === null ? null : shownLimit(type, amount);

/** Tells a player that a limit is in force from now on, or, without an amount, no more. */
export async function tellInForce(tx: Tx, userId: number, limit: Limit): Promise<void> {
  const about = { limit: limit.type, period: limit.period };
  const amount = amountOf(limit);
  if (amount === null) await notify(tx, userId, 'limit.removed', about);
  else await notify(tx, userId, 'limit.active', { ...about, amount });
}

/** Notifies a player that a requested change waits for their confirmation. */
export async function tellWaiting(
  tx: Tx,
  userId: number,
  { confirmableFrom, lapsesAt, ...limit }: Limit & { confirmableFrom: Date; lapsesAt: Date },
): Promise<void> {
  await notify(tx, userId, 'limit.waiting', {
    limit: limit.type,
    period: limit.period,
    amount: amountOf(limit),
    confirmableFrom: iso(confirmableFrom),
    lapsesAt: iso(lapsesAt),
  });
}
