import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Amount, CurrencyId, strictObject } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { countryOfIp } from '../../../../platform/countries/geo.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { offIn } from '../../../base/site-config/rules.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { ledgerErrors } from '../../ledger/errors.ts';
import { paymentErrors, withdrawalErrors } from '../errors.ts';
import { type Recipient, recipientOf } from '../recipient.ts';
import { assertMayWithdraw, dailyRemaining } from './applicant.ts';
import { assertPayable, type Priced, priceOf } from './pricing.ts';
import {
  type Applicant,
  findWithdrawal,
  type HistoryStep,
  insertWithdrawal,
  outgoingUsd,
  recipientSince,
} from './queries.ts';
import { FOUR_EYES_HOURS, type InitialStatus, initialStatus, riskOf } from './rules.ts';
import { NetworkId, PlayerWithdrawal, recipientFields, WithdrawalId } from './schemas.ts';
import { queueSending } from './send.ts';
import type { WithdrawalDeps } from './service.ts';
import { checkAt, getWithdrawal, lockWithdrawal, move, postLeg, publishChange } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

/** Moves the whole amount from cash to hold. `initialStatus` returns the first status of the withdrawal. */
export const requestWithdrawal = operation({
  method: 'POST',
  path: '/payments/withdraw',
  tag: 'Payments',
  access: 'auth',
  gate: 'withdraw',
  idempotent: true,
  summary: 'Request a withdrawal',
  description:
    'Holds the whole amount until the withdrawal is paid, rejected or cancelled. The fee is deducted from the amount. Without ' +
    '`quoteId` the current fee applies. A quote is valid for one withdrawal. While 2FA is on, every request requires `mfaCode`: ' +
    'a code from the authenticator app or from `POST /user/passkeys/proof`. `recipientMemo` is required if the payment method ' +
    'has `memoRequired`, and rejected otherwise.',
  body: strictObject('WithdrawRequest', {
    currencyId: CurrencyId,
    networkId: NetworkId,
    amount: Amount,
    ...recipientFields,
    mfaCode: z.string().min(6).max(64).optional(),
    quoteId: z.string().min(1).max(600).optional(),
  }),
  response: PlayerWithdrawal,
  errors: [
    paymentErrors.PAYMENT_METHOD_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    withdrawalErrors.AMOUNT_BELOW_FEE,
    withdrawalErrors.QUOTE_EXPIRED,
    withdrawalErrors.RECIPIENT_ADDRESS_INVALID,
    withdrawalErrors.RECIPIENT_MEMO_INVALID,
    gateErrors.WITHDRAW_DISABLED,
    gateErrors.USER_BANNED,
    gateErrors.WITHDRAWAL_BLOCKED,
    gateErrors.KYC_REQUIRED,
    gateErrors.ROLLOVER_OPEN,
    ledgerErrors.CLAIMS_OPEN,
    commonErrors.MFA_REQUIRED,
    commonErrors.MFA_INVALID,
    withdrawalErrors.TOO_MANY_WITHDRAWALS,
    commonErrors.INSUFFICIENT_BALANCE,
  ],
  handler: (deps: WithdrawalDeps, { user, ip, body, idempotencyKey: key }) => {
    const { db, currencies, mfa } = deps;
    const { id: userId, sessionId } = user;
    const request = { userId, key, operation: 'withdraw.request', input: body };
    return runIdempotently(db, request, async (tx) => {
      const order = priceOf(deps, userId, body);
      const recipient = await recipientOf(tx, order, body);
      assertPayable(deps, order);
      const country = countryOfIp(ip);
      const usdAmount = order.isPriced ? order.usdAmount : null;
      const inquiry = { userId, country, currencyId: order.currency.id, usdAmount };
      const applicant = await assertMayWithdraw(tx, deps, inquiry);
      await assertQuoteUnused(tx, order);
      if (applicant.hasSecondFactor) {
        // Every withdrawal needs a code, even if the session has just verified the second factor.
        if (body.mfaCode === undefined) throw commonErrors.MFA_REQUIRED();
        await mfa.prove(tx, { userId, sessionId, code: body.mfaCode });
      }
      assertWithinLimits(deps, applicant, order);
      const row = await create(tx, deps, { userId, country, order, recipient, applicant });
      return toPlayerWithdrawal(row, currencies);
    });
  },
});

/** Throws 409 QUOTE_EXPIRED if a withdrawal with this quote exists. The player must be locked. */
async function assertQuoteUnused(tx: Tx, { withdrawalId }: Priced): Promise<void> {
  if (withdrawalId !== undefined && (await findWithdrawal(tx, withdrawalId)))
    throw withdrawalErrors.QUOTE_EXPIRED();
}

function assertWithinLimits(deps: WithdrawalDeps, applicant: Applicant, order: Priced): void {
  const { maxOpenPerUser: max } = deps.siteConfig.get('WITHDRAWALS');
  if (applicant.openWithdrawals >= max) throw withdrawalErrors.TOO_MANY_WITHDRAWALS({ max });
  const left = dailyRemaining(deps, applicant);
  if (left !== null && order.usdAmount > left)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ dailyRemainingUsd: formatUnits(left) });
}

type Draft = {
  userId: number;
  country: string | null;
  order: Priced;
  recipient: Recipient;
  applicant: Applicant & { isTurnoverWaived: boolean };
};

async function create(tx: Tx, { siteConfig }: WithdrawalDeps, draft: Draft) {
  const { userId, country, order, recipient, applicant } = draft;
  const [currencyId, networkId] = [order.currency.id, order.network.id];
  const { amount, fee, usdAmount, isPriced } = order;
  const { address, memo } = recipient;
  const id = order.withdrawalId ?? newId();
  await postLeg(tx, { id, user_id: userId, currency_id: currencyId, amount, fee, attempt: 1 }, 'hold');
  const addressSince = await recipientSince(tx, { userId, networkId, address, memo });
  const risk = riskOf({
    ...applicant,
    country,
    accountCountry: applicant.country,
    isNewAddress: addressSince === null,
    isFirst: !applicant.hasBeenPaid,
  });
  const at = await transactionTime(tx);
  const dayUsd = await outgoingUsd(tx, { userId, hours: FOUR_EYES_HOURS });
  const { since: accountSince, factorResetAt } = applicant;
  const facts = { at, isPriced, usdAmount, dayUsd, risk, accountSince, factorResetAt, addressSince };
  const fourEyesUsd = await siteConfig.lowestOfDay(tx, 'fourEyesThresholdUsd');
  const start = initialStatus(facts, { ...siteConfig.get('WITHDRAWALS'), fourEyesUsd });
  const row = await insertWithdrawal(tx, {
    id,
    user_id: userId,
    currency_id: currencyId,
    network_id: networkId,
    amount,
    fee,
    usd_amount: usdAmount,
    is_priced: isPriced,
    recipient_address: address,
    recipient_memo: memo,
    risk_score: risk.score,
    risk_reasons: risk.reasons,
    ...(await columnsOf(tx, start, at)),
  });
  await publishChange(tx, undefined, row);
  if (start.status === 'APPROVED') await queueSending(tx, id);
  return row;
}

/** Returns the columns that depend on the initial status. */
async function columnsOf(tx: Tx, start: InitialStatus, at: Date) {
  const step = (status: InitialStatus['status'], reason: string | null = null): HistoryStep => ({
    status,
    at: iso(at),
    reason,
  });
  if (start.status === 'ON_HOLD') {
    const { reason, releaseAt = null } = start;
    const history = JSON.stringify([step('ON_HOLD', reason)]);
    return { status: start.status, status_history: history, hold_reason: reason, check_at: releaseAt };
  }
  const isApproved = start.status === 'APPROVED';
  const history = [step('WAITING_FOR_APPROVAL'), ...(isApproved ? [step('APPROVED')] : [])];
  return {
    status: start.status,
    status_history: JSON.stringify(history),
    confirmed_at: isApproved ? at : null,
    check_at: await checkAt(tx, start.status, 0),
  };
}

export const cancelWithdrawal = operation({
  method: 'POST',
  path: '/payments/withdraw/cancel',
  tag: 'Payments',
  access: 'auth',
  gate: 'finish',
  idempotent: true,
  summary: 'Cancel a withdrawal that is waiting for approval',
  description:
    'Returns 403 WITHDRAWAL_CANCEL_CLOSED if `cancelByCountry` of `GET /config/WITHDRAWALS` is false for any country linked to the player ' +
    '(address, account, registration, stated identity).',
  body: WithdrawalId,
  response: PlayerWithdrawal,
  errors: [
    withdrawalErrors.WITHDRAWAL_NOT_FOUND,
    withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED,
    withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE,
  ],
  handler: (deps: WithdrawalDeps, { user: { id: userId }, ip, body: { id }, idempotencyKey: key }) => {
    const { db, currencies, siteConfig, playerCountries } = deps;
    const request = { userId, key, operation: 'withdraw.cancel', input: { id } };
    return runIdempotently(db, request, async (tx) => {
      // This is checked before locking, so that a request for another player's withdrawal does not wait for the lock.
      const found = await getWithdrawal(tx, id);
      if (found.user_id !== userId) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
      const row = await lockWithdrawal(tx, id);
      const countries = await playerCountries.of(tx, { userId, ip });
      const closedIn = offIn(siteConfig.get('WITHDRAWALS').cancelByCountry, countries);
      if (closedIn !== undefined) throw withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED({ country: closedIn });
      if (row.status !== 'WAITING_FOR_APPROVAL')
        throw withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE({
          status: toPlayerWithdrawal(row, currencies).status,
        });
      return toPlayerWithdrawal(await move(tx, row, { to: 'CANCELLED' }), currencies);
    });
  },
});
