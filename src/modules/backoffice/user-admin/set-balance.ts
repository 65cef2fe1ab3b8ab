import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../platform/database/errors.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, type Units } from '../../../platform/money.ts';
import { assertMayDecide } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  setEntry,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import { cashOf, setCash, targetOf } from './balance.ts';
import { UserPath } from './schemas.ts';
import type { UserAdminDeps } from './view.ts';

const BalanceTarget = z.strictObject({
  balance: Amount,
  currencyId: CurrencyId,
  reason: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Recorded in the audit log. Required if a second person must approve.' }),
});

type Adjustment = { userId: number; currencyId: string; before: Units; after: Units };

export const setBalance = operation({
  method: 'PUT',
  path: '/admin/user/{id}/balance',
  tag: 'Admin User',
  access: 'superadmin',
  gate: 'staff',
  stepUp: true,
  createsValue: 'pays',
  idempotent: true,
  summary: "Set a user's cash balance in one currency",
  description:
    'Posts an adjustment for the difference from the current balance. The maximum balance is 1,000,000,000 of the currency. A ' +
    'change worth WITHDRAWALS.adjustmentApprovalUsd or more requires `reason` and approval by a second person. Changes made ' +
    'within 24 hours without a second approver are added up, both for the caller and for the player, and either total can reach ' +
    'this threshold. The first request stores a proposal and returns 409 APPROVAL_NEEDED. If another person sends the same ' +
    'request within 24 hours, the balance is set, unless it has changed since the first request. The second person may omit the ' +
    'reason.',
  params: UserPath,
  body: BalanceTarget,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    userErrors.BOT_ACCOUNT,
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    staffValueErrors.REASON_REQUIRED,
    staffValueErrors.APPROVAL_NEEDED,
  ],
  handler: async (deps: UserAdminDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const actorId = by.user.id;
    const { currencyId, reason } = body;
    const target = { userId: id, currencyId, after: targetOf(deps.currencies, body) };
    const request = {
      userId: actorId,
      key,
      operation: 'user.balance',
      input: { id, ...body },
      alsoLocks: [id],
    };
    await withProposals(deps.db, by, () =>
      runIdempotently(deps.db, request, async (tx): Promise<null> => {
        // Locking the caller serializes this call with a ban of the caller and with other amounts that the caller moves.
        await lockPlayers(tx, [actorId, id]);
        const user = await getUser(tx, id);
        await assertMayDecide(tx, await freshActor(tx, by), user);
        assertNoBot(user);
        const adjustment = { ...target, before: await cashOf(tx, target) };
        const leave = await assertValue(tx, deps, by, {
          ...adjustmentValue(deps.currencies, adjustment),
          reason,
        });
        return setAndAudit(tx, by, { adjustment, leave, reason });
      }).catch((error: unknown) => refuseOutOfRange(error, { currencyId })),
    );
  },
});

/** Two people approve a difference, so the same target with a different current balance is a different action. */
function adjustmentValue(
  currencies: UserAdminDeps['currencies'],
  { userId, currencyId, before, after }: Adjustment,
) {
  const usdAmount = usdValueOf(currencies, { userId, currencyId, before, after });
  return {
    operation: 'balance',
    input: { userId, currencyId, before: formatUnits(before), after: formatUnits(after) },
    usdAmount,
    recipients: [{ userId, usdAmount }],
  };
}

/** Returns the USD value of a difference, or null if there is no reliable rate. */
function usdValueOf(
  currencies: UserAdminDeps['currencies'],
  { currencyId, before, after }: Adjustment,
): Units | null {
  const { rate, stale } = currencies.rateOf(currencyId);
  if (before === after) return 0n;
  return stale || rate === 0n
    ? null
    : currencyToUsdDown(after > before ? after - before : before - after, rate);
}

async function setAndAudit(
  tx: Tx,
  by: StaffCall,
  order: { adjustment: Adjustment; leave: Leave; reason: string | undefined },
): Promise<null> {
  const { adjustment, leave } = order;
  const { userId, currencyId, after: cash } = adjustment;
  const { before, after, entryId } = await setCash(tx, { userId, currencyId, cash, actorId: by.user.id });
  if (entryId !== null && leave.id !== undefined) await setEntry(tx, leave.id, entryId);
  await recordAudit(tx, by, {
    before: { currencyId, balance: formatUnits(before) },
    after: { currencyId, balance: formatUnits(after), ...pairOf(leave) },
    reason: order.reason ?? leave.agreed?.reason ?? undefined,
  });
  return null;
}
