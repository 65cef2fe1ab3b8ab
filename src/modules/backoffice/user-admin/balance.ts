import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { refuseOutOfRange } from '../../../platform/database-errors.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, ONE, parseUnits, type Units } from '../../../platform/money.ts';
import { assertMayDecide } from '../../base/access/connected.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { type Posted, post } from '../../money/ledger/post.ts';
import {
  type Adjustment,
  findOfAnother,
  findProposals,
  needsAnother,
  type Proposal,
  propose,
  recordAgreed,
  recordAlone,
  shownOf,
} from './adjustments.ts';
import { userAdminErrors } from './errors.ts';
import type { BalanceTarget } from './schemas.ts';

type Target = z.output<typeof BalanceTarget>;
type Account = Pick<Adjustment, 'userId' | 'currencyId'>;

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
 * Makes a player's cash what it should be, whatever they are doing: one adjustment of the difference to what they have under their
 * lock, none when there is no difference. Answers both amounts. Throws 404 USER_NOT_FOUND.
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
  const entry = { key: `adjustment:${randomUUID()}`, kind, memo, postings, ...(actorId ? { actorId } : {}) };
  const { entryId } = (await post(tx, [entry]))[0] as Posted;
  return { before, after: cash, entryId };
}

/** What a player has in cash, under their lock. Throws 404 USER_NOT_FOUND. */
async function cashOf(tx: Tx, { userId, currencyId }: Account): Promise<Units> {
  if (!(await lockPlayers(tx, [userId])).has(userId)) throw userErrors.USER_NOT_FOUND();
  return (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
}

export type BalanceDeps = { db: Db; currencies: Currencies; siteConfig: SiteConfig };

/**
 * The same by staff, with its audit row, once per key. What is worth more than `adjustmentApprovalUsd` is stored as a proposal, and
 * carried out when another person asks for the same against the same balance. Throws 409 APPROVAL_NEEDED, 400 REASON_REQUIRED, 403
 * OWN_ACCOUNT and ACCOUNT_CONNECTED, 404 USER_NOT_FOUND and CURRENCY_NOT_FOUND, 409 BOT_ACCOUNT, 400 AMOUNT_OUT_OF_RANGE, and as
 * freshActor does.
 */
export async function setBalance(
  { db, currencies, siteConfig }: BalanceDeps,
  by: StaffCall,
  request: { id: number; input: Target; key: string | undefined },
): Promise<void> {
  const { id, input, key } = request;
  const actorId = by.user.id;
  const target = { userId: id, currencyId: input.currencyId, after: targetOf(currencies, input) };
  const repeatable = {
    userId: actorId,
    key,
    operation: 'user.balance',
    input: { id, ...input },
    alsoLocks: [id],
  };
  const waiting = await runIdempotently(db, repeatable, async (tx) => {
    // Their own lock, too: a ban of whoever calls has happened before this, or waits, and what they move alone adds up.
    await lockPlayers(tx, [actorId, id]);
    const user = await getUser(tx, id);
    await assertMayDecide(tx, await freshActor(tx, by), user);
    assertNoBot(user);
    const before = await cashOf(tx, target);
    const adjustment = { ...target, before, usdAmount: worthOf(currencies, { ...target, before }) };
    const open = before === target.after ? [] : await findProposals(tx, adjustment);
    const agreed = await findOfAnother(tx, open, actorId);
    const thresholdUsd = await siteConfig.lowestOfDay(tx, 'adjustmentApprovalUsd');
    const isAlone = agreed || !(await needsAnother(tx, adjustment, actorId, thresholdUsd));
    if (isAlone) return carryOut(tx, by, { adjustment, agreed, reason: input.reason });
    return shownOf(open[0] ?? (await proposeNew(tx, by, adjustment, input.reason)));
  }).catch((error: unknown) => refuseOutOfRange(error, { currencyId: input.currencyId }));
  // A proposal stays: the refusal comes after its transaction.
  if (waiting) throw userAdminErrors.APPROVAL_NEEDED(waiting);
}

/** What a difference is worth; null: there is no rate to trust. Nothing is worth nothing. */
function worthOf(
  currencies: Currencies,
  { currencyId, before, after }: Omit<Adjustment, 'usdAmount'>,
): Units | null {
  const { rate, stale } = currencies.rateOf(currencyId);
  if (before === after) return 0n;
  return stale || rate === 0n
    ? null
    : currencyToUsdDown(after > before ? after - before : before - after, rate);
}

async function carryOut(
  tx: Tx,
  by: StaffCall,
  order: { adjustment: Adjustment; agreed: Proposal | undefined; reason: string | undefined },
): Promise<null> {
  const { adjustment, agreed, reason = agreed?.reason ?? undefined } = order;
  const { userId, currencyId, after: cash } = adjustment;
  const actorId = by.user.id;
  const { before, after, entryId } = await setCash(tx, { userId, currencyId, cash, actorId });
  if (entryId !== null && agreed) await recordAgreed(tx, agreed, { actorId, entryId });
  else if (entryId !== null) await recordAlone(tx, adjustment, { actorId, reason }, entryId);
  const pair = agreed ? { proposalId: agreed.id, proposedBy: agreed.actor_id } : {};
  await recordAudit(tx, by, {
    before: { currencyId, balance: formatUnits(before) },
    after: { currencyId, balance: formatUnits(after), ...pair },
    reason,
  });
  return null;
}

/** Throws 400 REASON_REQUIRED. */
async function proposeNew(
  tx: Tx,
  by: StaffCall,
  adjustment: Adjustment,
  reason: string | undefined,
): Promise<Proposal> {
  if (reason === undefined) throw userAdminErrors.REASON_REQUIRED();
  const proposal = await propose(tx, adjustment, { actorId: by.user.id, reason });
  const { currencyId, before, after, proposalId, expiresAt, usdAmount } = shownOf(proposal);
  await recordAudit(
    tx,
    { ...by, status: userAdminErrors.APPROVAL_NEEDED.status },
    {
      before: { currencyId, balance: before },
      after: { currencyId, balance: after, proposalId, expiresAt, usdAmount },
      reason,
    },
  );
  return proposal;
}
