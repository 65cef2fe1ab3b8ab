import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { StaffCall } from '../../http/access.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { commonErrors } from '../../platform/errors.ts';
import { formatUnits, ONE, parseUnits, type Units } from '../../platform/money.ts';
import { assertMayDecide } from '../access/connected.ts';
import { freshActor } from '../access/service.ts';
import { recordAudit } from '../audit/service.ts';
import type { Currencies } from '../currencies/service.ts';
import { once } from '../idempotency/service.ts';
import { balancesOf } from '../ledger/balances.ts';
import { post } from '../ledger/post.ts';
import { lockPlayers } from '../players/service.ts';
import { userErrors } from '../users/errors.ts';
import { getUser } from '../users/service.ts';
import type { BalanceTarget } from './schemas.ts';

type Target = z.output<typeof BalanceTarget>;

/** The most that cash is set to. Far from the end of a bigint column, where what a bet wins could no longer be paid out. */
const HIGHEST: Units = 1_000_000_000n * ONE;

/**
 * A target in units. Throws 404 CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE for what the currency cannot express and above
 * 10^9 of it.
 */
export function targetOf(currencies: Currencies, { balance, currencyId }: Target): Units {
  const { decimals } = currencies.get(currencyId);
  const target = parseUnits(balance, decimals);
  if (target === undefined || target > HIGHEST)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals, max: formatUnits(HIGHEST) });
  return target;
}

/**
 * Makes a player's cash what it should be, whatever he is doing: one adjustment of the difference to what he has under his
 * lock, none when there is no difference. Answers both amounts. Throws 404 USER_NOT_FOUND.
 */
export async function setCash(
  tx: Tx,
  target: { userId: number; currencyId: string; cash: Units; actorId?: number },
): Promise<{ before: Units; after: Units }> {
  const { userId, currencyId, cash, actorId } = target;
  if (!(await lockPlayers(tx, [userId])).has(userId)) throw userErrors.USER_NOT_FOUND();
  const before = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
  if (cash === before) return { before, after: cash };
  const kind = 'admin.adjustment';
  const sides =
    cash > before
      ? ({ debit: 'adjustments', credit: 'cash', amount: cash - before } as const)
      : ({ debit: 'cash', credit: 'adjustments', amount: before - cash } as const);
  const memo = `cash set from ${formatUnits(before)} to ${formatUnits(cash)}`;
  const lines = [{ userId, currencyId, kind, ...sides }];
  await post(tx, [{ key: `adjustment:${randomUUID()}`, kind, memo, lines, ...(actorId ? { actorId } : {}) }]);
  return { before, after: cash };
}

/**
 * The same by staff, with its audit row, once per key. Throws 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, 404 USER_NOT_FOUND and CURRENCY_NOT_FOUND,
 * 400 AMOUNT_OUT_OF_RANGE, and as freshActor does.
 */
export async function setBalance(
  { db, currencies }: { db: Db; currencies: Currencies },
  by: StaffCall,
  request: { id: number; input: Target; key: string | undefined },
): Promise<void> {
  const { id, input, key } = request;
  const actorId = by.user.id;
  const { currencyId } = input;
  const cash = targetOf(currencies, input);
  const repeatable = {
    userId: actorId,
    key,
    operation: 'user.balance',
    input: { id, ...input },
    alsoLocks: [id],
  };
  await once(db, repeatable, async (tx) => {
    // His own lock, too: a ban of whoever calls has happened before this, or waits.
    await lockPlayers(tx, [actorId, id]);
    await assertMayDecide(tx, await freshActor(tx, by), await getUser(tx, id));
    const { before, after } = await setCash(tx, { userId: id, currencyId, cash, actorId });
    await recordAudit(tx, by, {
      before: { currencyId, balance: formatUnits(before) },
      after: { currencyId, balance: formatUnits(after) },
    });
    return null;
  });
}
