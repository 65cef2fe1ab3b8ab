import type { z } from 'zod';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  percentDown,
  type Units,
} from '../../../platform/money.ts';
import type { Mfa } from '../../accounts/auth/mfa/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { findUserByUsername, getUser, isHidden, type UserRow } from '../../base/users/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { post } from '../../money/ledger/post.ts';
import type { PublicTip } from '../chat/write.ts';
import {
  areTipsOn,
  assertMayReceive,
  assertNoTurnover,
  daysOf,
  leastTip,
  type MayDeps,
} from './eligibility.ts';
import { userTipErrors } from './errors.ts';
import { addToToday, insertTip, type NewTip as NewRow, readToday } from './queries.ts';
import { leftOf, sideReached } from './rules.ts';
import type { NewTip, TipSent } from './schemas.ts';

type Input = z.output<typeof NewTip>;
export type Caller = { userId: number; sessionId: string; ip: string; key: string | undefined };
export type SendDeps = MayDeps & {
  db: Db;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  grants: Pick<Grants, 'assertNoneOpen'>;
  mfa: Pick<Mfa, 'prove'>;
  /** Shows a public tip to everybody, where its sender may write. */
  publish: (tx: Tx, tip: PublicTip) => Promise<void>;
};

type Order = { currencyId: string; amount: Units; usdAmount: Units };
type Parties = { sender: UserRow; recipient: UserRow };

/**
 * A player gives another one money from their cash. Refused in this order, and then nothing changes: 404 USER_NOT_FOUND, 400 TIP_TO_SELF, 404
 * CURRENCY_NOT_FOUND, 409 RATE_STALE, 400 AMOUNT_OUT_OF_RANGE, the gate, 403 TIPS_DISABLED, EMAIL_NOT_VERIFIED, MFA_REQUIRED, 400 MFA_INVALID, 403
 * ROLLOVER_OPEN, TIP_RECIPIENT_NOT_ELIGIBLE, TIP_LIMIT_REACHED, 400 INSUFFICIENT_BALANCE.
 */
export async function send(deps: SendDeps, caller: Caller, input: Input): Promise<z.input<typeof TipSent>> {
  const { userId, key } = caller;
  const recipientId = (await findUserByUsername(deps.db, input.recipientUsername))?.id;
  const alsoLocks = recipientId === undefined ? [] : [recipientId];
  const request = { userId, key, operation: 'user-tip.send', input, alsoLocks };
  return runIdempotently(deps.db, request, async (tx) => {
    if (recipientId === undefined) throw userErrors.USER_NOT_FOUND();
    if (recipientId === userId) throw userTipErrors.TIP_TO_SELF();
    await lockPlayers(tx, [userId, recipientId]);
    const order = priced(deps, input);
    const parties = { sender: await getUser(tx, userId), recipient: await getUser(tx, recipientId) };
    await assertMaySend(tx, deps, { ...caller, sender: parties.sender, mfaCode: input.mfaCode, order });
    await assertMayReceive(tx, deps, parties);
    await assertWithin(tx, deps, { ...parties, order });
    await assertHas(tx, userId, order);
    return book(tx, deps, { ...parties, order, input, ip: caller.ip });
  });
}

/** What a tip is worth. Throws 404 CURRENCY_NOT_FOUND, 409 RATE_STALE, 400 AMOUNT_OUT_OF_RANGE below the least tip. */
function priced(deps: SendDeps, { currencyId, amount: text }: Input): Order {
  const currency = deps.currencies.get(currencyId);
  const { decimals } = currency;
  const amount = parseUnits(text, decimals);
  const minUsd = leastTip(deps);
  const outOfRange = () =>
    commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals, minUsd: formatUnits(minUsd) });
  if (amount === undefined || amount === 0n) throw outOfRange();
  const usdAmount = currencyToUsdDown(amount, deps.currencies.freshRate(currency));
  if (usdAmount < minUsd || usdAmount === 0n) throw outOfRange();
  return { currencyId, amount, usdAmount };
}

type Sending = Omit<Caller, 'key'> & { sender: UserRow; mfaCode: string | undefined; order: Order };

async function assertMaySend(tx: Tx, deps: SendDeps, sending: Sending): Promise<void> {
  const { userId, sessionId, ip, sender, mfaCode, order } = sending;
  const here = countryOfIp(ip);
  await deps.gate.assertMay(tx, { action: 'transfer', userId, country: here });
  if (!(await areTipsOn(tx, deps, { user: sender, here }))) throw userTipErrors.TIPS_DISABLED();
  if (!sender.email_verified) throw userTipErrors.EMAIL_NOT_VERIFIED();
  if (sender.is_mfa_enabled) {
    // Every tip needs a code, even if the session proved the second factor a moment ago.
    if (mfaCode === undefined) throw commonErrors.MFA_REQUIRED();
    await deps.mfa.prove(tx, { userId, sessionId, code: mfaCode });
  }
  await assertNoTurnover(tx, deps, userId);
  await deps.grants.assertNoneOpen(tx, userId, order.currencyId);
}

/** Throws 403 TIP_LIMIT_REACHED. How much the recipient has received is not for the sender. */
async function assertWithin(
  tx: Tx,
  deps: SendDeps,
  { sender, recipient, order }: Parties & { order: Order },
): Promise<void> {
  const today = await readToday(tx, [sender.id, recipient.id]);
  const { sent } = daysOf(deps, sender, today.get(sender.id)!);
  const { received } = daysOf(deps, recipient, today.get(recipient.id)!);
  const side = sideReached(order.usdAmount, { sent, received });
  if (side === 'SENT')
    throw userTipErrors.TIP_LIMIT_REACHED({ side, remainingUsd: formatUnits(leftOf(sent)) });
  if (side === 'RECEIVED') throw userTipErrors.TIP_LIMIT_REACHED({ side });
}

/** Throws 400 INSUFFICIENT_BALANCE. */
async function assertHas(tx: Tx, userId: number, { currencyId, amount }: Order): Promise<void> {
  const cash = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
  if (cash < amount) throw commonErrors.INSUFFICIENT_BALANCE({ currencyId, available: formatUnits(cash) });
}

type Booking = Parties & { order: Order; input: Input; ip: string };

/** One entry for both; the turnover that the recipient owes for it; their news, and everybody's where it is public. */
async function book(
  tx: Tx,
  { siteConfig, rollover, publish }: SendDeps,
  { sender, recipient, order, input, ip }: Booking,
): Promise<z.input<typeof TipSent>> {
  const { currencyId, amount, usdAmount } = order;
  const parties = { senderId: sender.id, recipientId: recipient.id };
  const row: NewRow = { ...parties, ...order, message: input.message ?? null, isPublic: input.isPublic };
  const id = await insertTip(tx, row);
  await addToToday(tx, { ...parties, usdAmount });
  const [posted] = await post(tx, [
    {
      key: `tip:${id}`,
      kind: 'tip',
      actorId: sender.id,
      postings: [
        { userId: sender.id, currencyId, kind: 'tip.sent', debit: 'cash', credit: 'tips', amount },
        { userId: recipient.id, currencyId, kind: 'tip.received', debit: 'tips', credit: 'cash', amount },
      ],
    },
  ]);
  const { recipientTurnoverPercent } = siteConfig.get('COMMON').tips;
  const turnoverUsd = percentDown(usdAmount, recipientTurnoverPercent);
  await rollover.add(tx, { userId: recipient.id, usdAmount: turnoverUsd });
  if (input.isPublic) await publish(tx, { tipId: id, sender, message: row.message, ip });
  await tell(tx, { tipId: String(id), currencyId, amount: formatUnits(amount) }, { sender, recipient });
  const balance = formatUnits(posted!.postings[0]!.debitAfter!);
  return { id: String(id), usdAmount: formatUnits(usdAmount), balance };
}

type Facts = { tipId: string; currencyId: string; amount: string };

async function tell(tx: Tx, facts: Facts, { sender, recipient }: Parties): Promise<void> {
  const from = isHidden(sender) ? null : sender.username;
  await emitEvent(tx, { event: 'tip.received', userId: recipient.id, data: { ...facts, from } });
  await notify(tx, recipient.id, 'tip.received', { ...facts, from });
}
