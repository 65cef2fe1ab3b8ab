import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { refuseOutOfRange } from '../../../platform/database-errors.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  percentDown,
  type Units,
  units,
} from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { post } from '../../money/ledger/post.ts';
import type { Rollover } from '../../money/payments/rollover.ts';
import { countGiven, type Given, payReward } from '../../money/rewards/pay.ts';
import { adminTipErrors } from './errors.ts';
import { type AdminTipKind, insertAdminTip, movedToday } from './queries.ts';
import { limitExceeded } from './rules.ts';
import type { NewAdminTip } from './schemas.ts';

export type GiveDeps = {
  db: Db;
  gate: Gate;
  siteConfig: Pick<SiteConfig, 'get'>;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  rollover: Rollover;
};

type Input = z.output<typeof NewAdminTip>;
export type Wanted = { kind: AdminTipKind; input: Input; key: string | undefined };

/**
 * Staff gives a player money, or takes cash from them, once per key. Throws 404 USER_NOT_FOUND, CURRENCY_NOT_FOUND, 400
 * AMOUNT_OUT_OF_RANGE, 409 RATE_STALE, 403 ADMIN_TIP_LIMIT, as lockForDecision does; for a tip 409 BOT_ACCOUNT and as the gate does, for a
 * deduction 400 INSUFFICIENT_BALANCE.
 */
export async function give(
  deps: GiveDeps,
  by: StaffCall,
  { kind, input, key }: Wanted,
): Promise<{ success: boolean }> {
  const request = {
    userId: by.user.id,
    key,
    operation: kind === 'TIP' ? 'admin-tip.give' : 'admin-tip.deduct',
    input,
    alsoLocks: [input.recipientUserId],
  };
  return runIdempotently(deps.db, request, async (tx) => {
    const { recipientUserId: userId, currencyId } = input;
    const { isSuperAdmin } = await lockForDecision(tx, by, userId);
    const given = { userId, currencyId, ...priced(deps, input) };
    await assertWithin(tx, deps, { senderId: by.user.id, isSuperAdmin, usdAmount: given.usdAmount });
    if (kind === 'TIP') await assertMayReceive(tx, deps, userId);
    await carryOut(tx, deps, by, { kind, given, input });
    return { success: true };
  }).catch((error: unknown) => refuseOutOfRange(error, { currencyId: input.currencyId }));
}

/** What an amount is worth. Throws 404 CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, 409 RATE_STALE. */
function priced({ currencies }: GiveDeps, { currencyId, amount: text }: Input) {
  const currency = currencies.get(currencyId);
  const { decimals } = currency;
  const amount = parseUnits(text, decimals);
  if (amount === undefined || amount === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return { amount, usdAmount: currencyToUsdDown(amount, currencies.freshRate(currency)) };
}

type Moving = { senderId: number; isSuperAdmin: boolean; usdAmount: Units };

/** Throws 403 ADMIN_TIP_LIMIT, but for superadmins. */
async function assertWithin(tx: Tx, deps: GiveDeps, { senderId, isSuperAdmin, usdAmount }: Moving) {
  if (isSuperAdmin) return;
  const { maxUsd, dailyMaxUsd } = deps.siteConfig.get('COMMON').adminTips;
  const todayUsd = await movedToday(tx, senderId);
  const limits = { maxUsd: units(maxUsd), dailyMaxUsd: units(dailyMaxUsd) };
  const exceeded = limitExceeded({ usdAmount, todayUsd }, limits);
  if (exceeded)
    throw adminTipErrors.ADMIN_TIP_LIMIT({
      [exceeded]: formatUnits(limits[exceeded]),
      todayUsd: formatUnits(todayUsd),
    });
}

async function assertMayReceive(tx: Tx, { gate }: GiveDeps, userId: number): Promise<void> {
  const user = await getUser(tx, userId);
  assertNoBot(user);
  const { country_code: country } = user;
  await gate.assertMay(tx, { action: 'bonus', userId, country });
}

type Order = { kind: AdminTipKind; given: Given; input: Input };

async function carryOut(tx: Tx, deps: GiveDeps, by: StaffCall, { kind, given, input }: Order): Promise<void> {
  const { userId, currencyId, amount, usdAmount } = given;
  const { notes, tag = null } = input;
  const before = await cashOf(tx, given);
  if (kind === 'DEDUCTION' && before < amount)
    throw commonErrors.INSUFFICIENT_BALANCE({ currencyId, available: formatUnits(before) });
  const senderId = by.user.id;
  const row = { kind, senderId, recipientId: userId, currencyId, amount, usdAmount, notes, tag };
  const id = await insertAdminTip(tx, row);
  const entry = { key: `admintip:${id}`, actorId: senderId, memo: notes };
  if (kind === 'TIP') await tip(tx, deps, { ...entry, given, tipId: String(id) });
  else await deduct(tx, { ...entry, given });
  const after = kind === 'TIP' ? before + amount : before - amount;
  await recordAudit(tx, by, {
    before: { userId, currencyId, balance: formatUnits(before) },
    after: {
      userId,
      currencyId,
      balance: formatUnits(after),
      tipId: String(id),
      ...(tag !== null && { tag }),
    },
    reason: notes,
  });
}

async function cashOf(tx: Tx, { userId, currencyId }: Given): Promise<Units> {
  return (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
}

type Entry = { key: string; actorId: number; memo: string; given: Given };

/** Pays it, with the turnover that the player owes for it, and tells them. */
async function tip(
  tx: Tx,
  { siteConfig, rollover }: GiveDeps,
  { given, tipId, ...entry }: Entry & { tipId: string },
): Promise<void> {
  const { userId, currencyId, amount, usdAmount } = given;
  await payReward(tx, { ...given, ...entry, kind: 'admin.tip', from: 'tips' });
  const { turnoverPercent } = siteConfig.get('COMMON').adminTips;
  await rollover.add(tx, { userId, usdAmount: percentDown(usdAmount, turnoverPercent) });
  await notify(tx, userId, 'admin-tip.received', { tipId, amount: formatUnits(amount), currencyId });
}

async function deduct(tx: Tx, { given, ...entry }: Entry): Promise<void> {
  const { userId, currencyId, amount } = given;
  const kind = 'admin.deduction';
  const posting = { userId, currencyId, kind, debit: 'cash', credit: 'tips', amount } as const;
  await post(tx, [{ ...entry, kind, postings: [posting] }]);
  await countGiven(tx, kind, given);
}
