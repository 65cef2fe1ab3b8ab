import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../platform/database/errors.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { assertValue, type Leave, pairOf, withProposals } from '../../base/staff-value/service.ts';
import { isSelfExcluded } from '../../compliance/gate/rules.ts';
import { findRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import type { Given } from '../../money/rewards/pay.ts';
import {
  type AdminTipDeps,
  adminTipErrors,
  assertWithinLimits,
  cashOf,
  deduct,
  insertAdminTip,
  LIMITS,
  Payment,
  payment,
  paymentErrors,
  priceOf,
} from './payment.ts';

const TurnoverEnd = Payment.omit({ tag: true }).extend({
  amount: Amount.meta({
    description: 'The amount of cash that the player forfeits. It may be 0.',
    example: '20',
  }),
});
type TurnoverEnd = z.output<typeof TurnoverEnd>;

/** Ends the open turnover. The staff-value policy applies to the turnover or to the forfeited amount, whichever is larger. */
export const endTurnover = operation({
  ...payment,
  path: '/admin/admin-tips/end-turnover',
  gate: 'staff',
  summary: "End a self-excluded player's open turnover",
  description:
    'Self-excluded players cannot wager. Their exclusion waives turnover from deposits, but not from promotional cash and tips. This ' +
    "operation ends that remaining turnover. It deducts `amount` from the player's cash, and the player can withdraw the rest. The open " +
    `turnover counts as value created by staff. If the player forfeits other currencies too, deduct those balances first. ${LIMITS}`,
  body: TurnoverEnd,
  errors: [...paymentErrors, adminTipErrors.TURNOVER_NOT_ENDABLE, commonErrors.INSUFFICIENT_BALANCE],
  handler: (deps: AdminTipDeps, { by, body: input, idempotencyKey: key }) => {
    const { recipientUserId: userId, currencyId } = input;
    const operation = 'admin-tip.end-turnover';
    const request = { userId: by.user.id, key, operation, input, alsoLocks: [userId] };
    return withProposals(deps.db, by, () =>
      runIdempotently(deps.db, request, async (tx) => {
        const forfeited = forfeitOf(deps, input);
        const { isSuperAdmin } = await lockForDecision(tx, by, userId);
        const keptUsd = await openTurnoverOf(tx, deps, userId);
        const usdAmount = keptUsd > forfeited.usdAmount ? keptUsd : forfeited.usdAmount;
        await assertWithinLimits(tx, deps, { senderId: by.user.id, isSuperAdmin, usdAmount });
        const leave = await assertValue(tx, deps, by, {
          operation,
          input: {
            userId,
            currencyId,
            amount: formatUnits(forfeited.amount),
            openTurnoverUsd: formatUnits(keptUsd),
          },
          usdAmount,
          recipients: [{ userId, usdAmount }],
          reason: input.notes,
        });
        await book(tx, deps, by, { notes: input.notes, keptUsd, forfeited, leave });
        return { success: true };
      }).catch((error: unknown) => refuseOutOfRange(error, { currencyId })),
    );
  },
});

/**
 * Returns the open turnover that a self-exclusion does not waive. Throws 409 TURNOVER_NOT_ENDABLE if there is none or the player is not
 * self-excluded.
 */
async function openTurnoverOf(tx: Tx, { rollover }: AdminTipDeps, userId: number): Promise<Units> {
  const restrictions = await findRestrictions(tx, userId);
  const { keptUsd } = await rollover.open(tx, userId);
  if (keptUsd === 0n || !isSelfExcluded({ restrictions, at: await transactionTime(tx) }))
    throw adminTipErrors.TURNOVER_NOT_ENDABLE({ openUsd: formatUnits(keptUsd) });
  return keptUsd;
}

/** Returns the forfeited amount and its USD value. The amount may be 0. */
function forfeitOf(deps: AdminTipDeps, input: TurnoverEnd): Given {
  const { recipientUserId: userId, currencyId, amount } = input;
  if (parseUnits(amount) === 0n) return { userId, currencyId, amount: 0n, usdAmount: 0n };
  return { userId, currencyId, ...priceOf(deps, input) };
}

type Order = { notes: string; keptUsd: Units; forfeited: Given; leave: Leave };

async function book(
  tx: Tx,
  { rollover }: AdminTipDeps,
  by: StaffCall,
  { notes, keptUsd, forfeited, leave }: Order,
): Promise<void> {
  const { userId, currencyId, amount } = forfeited;
  const cash = await cashOf(tx, forfeited);
  if (cash < amount) throw commonErrors.INSUFFICIENT_BALANCE({ currencyId, available: formatUnits(cash) });
  if (amount > 0n) {
    const row = { kind: 'DEDUCTION', senderId: by.user.id, given: forfeited, notes, tag: null } as const;
    const id = await insertAdminTip(tx, row);
    await deduct(tx, { key: `admintip:${id}`, actorId: by.user.id, memo: notes, given: forfeited });
  }
  await rollover.remove(tx, { userId, usdAmount: keptUsd });
  const account = { userId, currencyId };
  await recordAudit(tx, by, {
    before: { ...account, balance: formatUnits(cash), openTurnoverUsd: formatUnits(keptUsd) },
    after: { ...account, balance: formatUnits(cash - amount), openTurnoverUsd: '0', ...pairOf(leave) },
    reason: notes,
  });
}
