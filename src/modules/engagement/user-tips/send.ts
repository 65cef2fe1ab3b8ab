import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Decimal, Id, line, text } from '../../../http/schemas.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  percentDown,
  type Units,
} from '../../../platform/money.ts';
import { event, events } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { findUserByUsername, getUser, isHidden, type UserRow } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { assertNoClaims } from '../../money/ledger/claims.ts';
import { ledgerErrors } from '../../money/ledger/errors.ts';
import { post } from '../../money/ledger/post.ts';
import {
  areTipsOn,
  assertMayReceive,
  assertNoTurnover,
  daysOf,
  minTipUsd,
  readToday,
  TODAY,
  type UserTipDeps,
  userTipErrors,
} from './eligibility.ts';
import { leftOf, sideReached } from './rules.ts';

export const userTipEvents = events({
  'tip.received': event(
    'user',
    'The player received a tip.',
    z.strictObject({
      tipId: Id,
      currencyId: CurrencyId,
      amount: Amount,
      from: z.string().nullable().meta({ description: 'A username; null if the player hides it.' }),
    }),
  ),
});

/** `amount` is an exact decimal string; `from` is null if the sender hides the username. */
type Received = { tipId: string; amount: string; currencyId: string; from: string | null };

const money = ({ amount, currencyId }: Received) => `${amount} ${currencyId}`;

export const userTipMessages = messages({
  'tip.received': message<Received>('TIP', {
    en: {
      title: 'Tip received',
      body: (f) => `${f.from ?? 'Another player'} has given you a tip of ${money(f)}.`,
    },
    de: {
      title: 'Trinkgeld erhalten',
      body: (f) => `${f.from ?? 'Jemand'} hat Ihnen ein Trinkgeld von ${money(f)} gegeben.`,
    },
    es: {
      title: 'Propina recibida',
      body: (f) => `${f.from ?? 'Otro jugador'} le ha dado una propina de ${money(f)}.`,
    },
  }),
});

const NewTip = z.strictObject({
  recipientUsername: text(64).min(1).meta({ example: 'lucky_seven' }),
  currencyId: CurrencyId,
  amount: Amount,
  message: line(140)
    .optional()
    .meta({ description: 'A one-line message for the recipient.', example: 'Good luck!' }),
  isPublic: z
    .boolean()
    .default(false)
    .meta({ description: 'Shows the tip and its message in the chat, if the sender may write there.' }),
  mfaCode: z.string().min(6).max(64).optional().meta({
    description:
      'Required if two-factor authentication is on: a code from the authenticator app or from `POST /user/passkeys/proof`.',
  }),
});
type NewTip = z.output<typeof NewTip>;

const TipSent = z.object({
  id: z.string(),
  usdAmount: Decimal,
  balance: Decimal.meta({ description: "The sender's new balance in this currency." }),
});

/** The checks run in the order of `errors`. A failed check changes nothing. */
export const sendTip = operation({
  method: 'POST',
  path: '/user-tips',
  tag: 'User tips',
  access: 'auth',
  gate: 'transfer',
  idempotent: true,
  summary: 'Send a tip to another player',
  description:
    "Moves money between the players' balances in one currency. Daily limits depend on both players' VIP levels. The recipient must wager " +
    'part of the amount before a withdrawal.',
  body: NewTip,
  response: TipSent,
  errors: [
    userErrors.USER_NOT_FOUND,
    userTipErrors.TIP_TO_SELF,
    commonErrors.CURRENCY_NOT_FOUND,
    currencyErrors.RATE_STALE,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    userTipErrors.TIPS_DISABLED,
    userTipErrors.EMAIL_NOT_VERIFIED,
    commonErrors.MFA_REQUIRED,
    commonErrors.MFA_INVALID,
    gateErrors.ROLLOVER_OPEN,
    ledgerErrors.CLAIMS_OPEN,
    userTipErrors.TIP_RECIPIENT_NOT_ELIGIBLE,
    userTipErrors.TIP_LIMIT_REACHED,
    commonErrors.INSUFFICIENT_BALANCE,
  ],
  handler: async (deps: UserTipDeps, { user: { id: userId, sessionId }, ip, body, idempotencyKey: key }) => {
    const recipientId = (await findUserByUsername(deps.db, body.recipientUsername))?.id;
    const alsoLocks = recipientId === undefined ? [] : [recipientId];
    const request = { userId, key, operation: 'user-tip.send', input: body, alsoLocks };
    return runIdempotently(deps.db, request, async (tx) => {
      if (recipientId === undefined) throw userErrors.USER_NOT_FOUND();
      if (recipientId === userId) throw userTipErrors.TIP_TO_SELF();
      await lockPlayers(tx, [userId, recipientId]);
      const price = priceOf(deps, body);
      const [sender, recipient] = [await getUser(tx, userId), await getUser(tx, recipientId)];
      const tip = { ...body, ...price, sender, recipient, sessionId, ip };
      await assertMaySend(tx, deps, tip);
      await assertMayReceive(tx, deps, tip);
      await assertWithinLimits(tx, deps, tip);
      await assertSufficientBalance(tx, tip);
      return book(tx, deps, tip);
    });
  },
});

type Price = { amount: Units; usdAmount: Units };
type Tip = Omit<NewTip, 'amount'> &
  Price & { sender: UserRow; recipient: UserRow; sessionId: string; ip: string };

function priceOf(deps: UserTipDeps, { currencyId, amount: text }: NewTip): Price {
  const currency = deps.currencies.get(currencyId);
  const { decimals } = currency;
  const amount = parseUnits(text, decimals);
  const minUsd = minTipUsd(deps);
  const outOfRange = () =>
    commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals, minUsd: formatUnits(minUsd) });
  if (amount === undefined || amount === 0n) throw outOfRange();
  const usdAmount = currencyToUsdDown(amount, deps.currencies.freshRate(currency));
  if (usdAmount < minUsd || usdAmount === 0n) throw outOfRange();
  return { amount, usdAmount };
}

async function assertMaySend(tx: Tx, deps: UserTipDeps, tip: Tip): Promise<void> {
  const { sender, sessionId, ip, mfaCode, currencyId } = tip;
  const userId = sender.id;
  await deps.gate.assertMay(tx, { action: 'transfer', userId, country: countryOfIp(ip) });
  if (!(await areTipsOn(tx, deps, { userId, ip }))) throw userTipErrors.TIPS_DISABLED();
  if (!sender.email_verified) throw userTipErrors.EMAIL_NOT_VERIFIED();
  if (sender.is_mfa_enabled) {
    // Every tip needs a code, even if the session has just verified the second factor.
    if (mfaCode === undefined) throw commonErrors.MFA_REQUIRED();
    await deps.mfa.prove(tx, { userId, sessionId, code: mfaCode });
  }
  await assertNoTurnover(tx, deps, userId);
  await deps.grants.assertNoneOpen(tx, userId, currencyId);
  await assertNoClaims(tx, userId);
}

/** Checks the daily limits of both players. The error does not show the sender how much the recipient has received. */
async function assertWithinLimits(
  tx: Tx,
  deps: UserTipDeps,
  { sender, recipient, usdAmount }: Tip,
): Promise<void> {
  const today = await readToday(tx, [sender.id, recipient.id]);
  const { sent } = daysOf(deps, sender, today.get(sender.id)!);
  const { received } = daysOf(deps, recipient, today.get(recipient.id)!);
  const side = sideReached(usdAmount, { sent, received });
  if (side === 'SENT')
    throw userTipErrors.TIP_LIMIT_REACHED({ side, remainingUsd: formatUnits(leftOf(sent)) });
  if (side === 'RECEIVED') throw userTipErrors.TIP_LIMIT_REACHED({ side });
}

async function assertSufficientBalance(tx: Tx, { sender, currencyId, amount }: Tip): Promise<void> {
  const cash = (await balancesOf(tx, sender.id)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
  if (cash < amount) throw commonErrors.INSUFFICIENT_BALANCE({ currencyId, available: formatUnits(cash) });
}

/** Books the tip as one ledger entry, adds the recipient's turnover, and notifies the recipient and, if the tip is public, the chat. */
async function book(
  tx: Tx,
  { siteConfig, rollover, chat }: UserTipDeps,
  tip: Tip,
): Promise<z.input<typeof TipSent>> {
  const { sender, recipient, currencyId, amount, usdAmount, ip } = tip;
  const message = tip.message ?? null;
  const id = await insertTip(tx, tip);
  await addToToday(tx, tip);
  const [posted] = await post(tx, [
    {
      key: `tip:${id}`,
      kind: 'tip',
      actorId: sender.id,
      mustFit: true,
      postings: [
        { userId: sender.id, currencyId, kind: 'tip.sent', debit: 'cash', credit: 'tips', amount },
        { userId: recipient.id, currencyId, kind: 'tip.received', debit: 'tips', credit: 'cash', amount },
      ],
    },
  ]);
  const { recipientTurnoverPercent } = siteConfig.get('COMMON').tips;
  const turnoverUsd = percentDown(usdAmount, recipientTurnoverPercent);
  await rollover.add(tx, { userId: recipient.id, usdAmount: turnoverUsd });
  if (tip.isPublic) await chat.addTipLine(tx, { tipId: id, sender, message, ip });
  const from = isHidden(sender) ? null : sender.username;
  const received = { tipId: String(id), currencyId, amount: formatUnits(amount), from };
  await emitEvent(tx, { event: userTipEvents['tip.received'], userId: recipient.id, data: received });
  await notify(tx, recipient.id, userTipMessages['tip.received'], received);
  const balance = formatUnits(posted!.postings[0]!.debitAfter!);
  return { id: String(id), usdAmount: formatUnits(usdAmount), balance };
}

/** Stores a tip and returns its id. */
async function insertTip(tx: Tx, tip: Tip): Promise<number> {
  const { id } = await tx
    .insertInto('tips')
    .values({
      sender_id: tip.sender.id,
      recipient_id: tip.recipient.id,
      currency_id: tip.currencyId,
      amount: tip.amount,
      usd_amount: tip.usdAmount,
      message: tip.message ?? null,
      is_public: tip.isPublic,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds a tip to the daily totals of both players, who must be locked. */
async function addToToday(tx: Tx, { sender, recipient, usdAmount }: Tip): Promise<void> {
  await sql`
    insert into tip_days as d (user_id, day, sent_usd, received_usd)
    select user_id, ${TODAY}, sent, received
    from (values (${sender.id}::int4, ${usdAmount}::int8, 0::int8), (${recipient.id}::int4, 0::int8, ${usdAmount}::int8)) v(user_id, sent, received)
    order by user_id
    on conflict (user_id, day) do update
      set sent_usd = d.sent_usd + excluded.sent_usd, received_usd = d.received_usd + excluded.received_usd`.execute(
    tx,
  );
}
