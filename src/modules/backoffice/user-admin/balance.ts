import { randomUUID } from 'node:crypto';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, ONE, parseUnits, type Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { type Posted, post } from '../../money/ledger/post.ts';

type Account = { userId: number; currencyId: string };

/** The highest cash balance that staff can set. It leaves room in a bigint column for later payouts. */
const HIGHEST: Units = 1_000_000_000n * ONE;

/**
 * Returns a target balance in units. Throws 404 CURRENCY_NOT_FOUND, and 400 AMOUNT_OUT_OF_RANGE if it has too many decimals or is above
 * 10^9.
 */
export function targetOf(
  currencies: Pick<Currencies, 'get'>,
  { balance, currencyId }: { balance: string; currencyId: string },
): Units {
  const { decimals } = currencies.get(currencyId);
  const target = parseUnits(balance, decimals);
  if (target === undefined || target > HIGHEST)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals, max: formatUnits(HIGHEST) });
  return target;
}

/**
 * Locks the player and sets the cash balance by posting the difference. Posts nothing if there is no difference. Returns the old and the
 * new balance. Throws 404 USER_NOT_FOUND.
 */
export async function setCash(
  tx: Tx,
  target: Account & { cash: Units; actorId?: number },
): Promise<{ before: Units; after: Units; entryId: bigint | null }> {
  const { userId, currencyId, cash, actorId } = target;
  const before = await cashOf(tx, target);
  if (cash === before) return { before, after: cash, entryId: null };
  const kind = 'admin.adjustment';
  const sides =
    cash > before
      ? ({ debit: 'adjustments', credit: 'cash', amount: cash - before } as const)
      : ({ debit: 'cash', credit: 'adjustments', amount: before - cash } as const);
  const memo = `cash set from ${formatUnits(before)} to ${formatUnits(cash)}`;
  const postings = [{ userId, currencyId, kind, ...sides } as const];
  const entry = {
    key: `adjustment:${randomUUID()}`,
    kind,
    memo,
    mustFit: true,
    postings,
    ...(actorId ? { actorId } : {}),
  };
  const { entryId } = (await post(tx, [entry]))[0] as Posted;
  return { before, after: cash, entryId };
}

/** Locks a player and returns the player's cash balance. Throws 404 USER_NOT_FOUND. */
export async function cashOf(tx: Tx, { userId, currencyId }: Account): Promise<Units> {
  if (!(await lockPlayers(tx, [userId])).has(userId)) throw userErrors.USER_NOT_FOUND();
  return (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
}
