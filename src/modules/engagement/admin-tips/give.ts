import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../platform/database/errors.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, percentDown } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import { assertValue, type Leave, pairOf, withProposals } from '../../base/staff-value/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { type Given, payReward } from '../../money/rewards/pay.ts';
import {
  type AdminTipDeps,
  type AdminTipKind,
  assertWithinLimits,
  cashOf,
  deduct,
  type Entry,
  insertAdminTip,
  LIMITS,
  Payment,
  payment,
  paymentErrors,
  priceOf,
} from './payment.ts';

/** `amount`: a decimal string. */
type Received = { tipId: string; amount: string; currencyId: string };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

export const adminTipMessages = messages({
  'admin-tip.received': message<Received>('TIP', {
    en: { title: 'Tip received', body: (f) => `${money(f)} have been added to your balance as a tip.` },
    de: {
      title: 'Trinkgeld erhalten',
      body: (f) => `${money(f)} Trinkgeld wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: { title: 'Propina recibida', body: (f) => `Se han añadido ${money(f)} de propina a su saldo.` },
  }),
});

export const giveTip = operation({
  ...payment,
  path: '/admin/admin-tips',
  gate: 'bonus',
  summary: 'Give a tip to a player',
  description: `Adds the amount to the player's cash. It must be wagered before a withdrawal. ${LIMITS}`,
  body: Payment,
  errors: [
    ...paymentErrors,
    userErrors.BOT_ACCOUNT,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
  ],
  handler: (deps: AdminTipDeps, { by, body, idempotencyKey: key }) =>
    move(deps, by, { kind: 'TIP', input: body, key }),
});

export const deductBalance = operation({
  ...payment,
  path: '/admin/admin-tips/deduct-balance',
  gate: 'staff',
  summary: "Deduct an amount from a player's cash balance",
  description: `Rejects amounts above the player's cash balance. ${LIMITS}`,
  body: Payment,
  errors: [...paymentErrors, commonErrors.INSUFFICIENT_BALANCE],
  handler: (deps: AdminTipDeps, { by, body, idempotencyKey: key }) =>
    move(deps, by, { kind: 'DEDUCTION', input: body, key }),
});

type Request = { kind: AdminTipKind; input: Payment; key: string | undefined };

function move(deps: AdminTipDeps, by: StaffCall, { kind, input, key }: Request) {
  const request = {
    userId: by.user.id,
    key,
    operation: kind === 'TIP' ? 'admin-tip.give' : 'admin-tip.deduct',
    input,
    alsoLocks: [input.recipientUserId],
  };
  return withProposals(deps.db, by, () =>
    runIdempotently(deps.db, request, async (tx) => {
      const { recipientUserId: userId, currencyId } = input;
      const { isSuperAdmin } = await lockForDecision(tx, by, userId);
      const given = { userId, currencyId, ...priceOf(deps, input) };
      const { usdAmount } = given;
      await assertWithinLimits(tx, deps, { senderId: by.user.id, isSuperAdmin, usdAmount });
      if (kind === 'TIP') await assertMayReceive(tx, deps, userId);
      const leave = await assertValue(tx, deps, by, {
        operation: kind === 'TIP' ? 'admin-tip' : 'admin-deduction',
        input: { userId, currencyId, amount: formatUnits(given.amount) },
        usdAmount,
        recipients: [{ userId, usdAmount }],
        reason: input.notes,
      });
      await book(tx, deps, by, { kind, given, input, leave });
      return { success: true };
    }).catch((error: unknown) => refuseOutOfRange(error, { currencyId: input.currencyId })),
  );
}

async function assertMayReceive(tx: Tx, { gate }: AdminTipDeps, userId: number): Promise<void> {
  const user = await getUser(tx, userId);
  assertNoBot(user);
  const { country_code: country } = user;
  await gate.assertMay(tx, { action: 'bonus', userId, country });
}

type Order = { kind: AdminTipKind; given: Given; input: Payment; leave: Leave };

async function book(
  tx: Tx,
  deps: AdminTipDeps,
  by: StaffCall,
  { kind, given, input, leave }: Order,
): Promise<void> {
  const { userId, currencyId, amount } = given;
  const { notes, tag = null } = input;
  const before = await cashOf(tx, given);
  if (kind === 'DEDUCTION' && before < amount)
    throw commonErrors.INSUFFICIENT_BALANCE({ currencyId, available: formatUnits(before) });
  const senderId = by.user.id;
  const id = await insertAdminTip(tx, { kind, senderId, given, notes, tag });
  const entry = { key: `admintip:${id}`, actorId: senderId, memo: notes, given };
  if (kind === 'TIP') await pay(tx, deps, { ...entry, tipId: String(id) });
  else await deduct(tx, entry);
  const after = kind === 'TIP' ? before + amount : before - amount;
  await recordAudit(tx, by, {
    before: { userId, currencyId, balance: formatUnits(before) },
    after: {
      userId,
      currencyId,
      balance: formatUnits(after),
      tipId: String(id),
      ...(tag !== null && { tag }),
      ...pairOf(leave),
    },
    reason: notes,
  });
}

/** Pays the tip, adds its turnover and notifies the player. */
async function pay(
  tx: Tx,
  { siteConfig, rollover }: AdminTipDeps,
  { given, tipId, ...entry }: Entry & { tipId: string },
): Promise<void> {
  const { userId, currencyId, amount, usdAmount } = given;
  await payReward(tx, { ...given, ...entry, kind: 'admin.tip', from: 'tips', mustFit: true });
  const { turnoverPercent } = siteConfig.get('COMMON').adminTips;
  await rollover.add(tx, { userId, usdAmount: percentDown(usdAmount, turnoverPercent) });
  await notify(tx, userId, adminTipMessages['admin-tip.received'], {
    tipId,
    amount: formatUnits(amount),
    currencyId,
  });
}
