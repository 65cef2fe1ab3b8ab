import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { countryOfIp } from '../../../../platform/geo.ts';
import { newId } from '../../../../platform/ids.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { openClaimsOf } from '../../ledger/claims.ts';
import type { WithdrawalDeps } from '../deps.ts';
import type { Applicants } from './applicant.ts';
import { withdrawalErrors } from './errors.ts';
import type { Priced, Terms } from './pricing.ts';
import {
  type Applicant,
  type HistoryStep,
  insertWithdrawal,
  outgoingUsd,
  recipientSince,
} from './queries.ts';
import { type Recipient, recipientOf } from './recipient.ts';
import { FOUR_EYES_HOURS, type InitialStatus, initialStatus, riskOf } from './rules.ts';
import type { WithdrawRequest } from './schemas.ts';
import { queueSending } from './send.ts';
import { checkAt, postLeg, publishChange } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

type Input = z.output<typeof WithdrawRequest>;
type Caller = { userId: number; sessionId: string; ip: string; key: string | undefined };

type Deps = WithdrawalDeps & { terms: Terms; applicants: Applicants };

/**
 * Requests a withdrawal: the whole amount goes from cash to hold, and `initialStatus` decides what happens next. Once per key, under the
 * player's lock. Throws the errors that the route declares.
 */
export function createRequest(deps: Deps) {
  const { db, currencies, terms, applicants, mfa } = deps;
  return ({ userId, sessionId, ip, key }: Caller, input: Input) =>
    runIdempotently(db, { userId, key, operation: 'withdraw.request', input }, async (tx) => {
      const order = terms.price(input, userId, input.quoteId);
      const recipient = await recipientOf(order, input);
      terms.assertPayable(order);
      const country = countryOfIp(ip);
      const usdAmount = order.isPriced ? order.usdAmount : null;
      const applicant = await applicants.admit(tx, {
        userId,
        country,
        currencyId: order.currency.id,
        usdAmount,
      });
      if (applicant.hasSecondFactor) {
        // Every withdrawal needs a code of the app or of a passkey, even if the session proved the second factor a moment ago.
        if (input.mfaCode === undefined) throw commonErrors.MFA_REQUIRED();
        await mfa.prove(tx, { userId, sessionId, code: input.mfaCode });
      }
      assertWithin(deps, applicant, order);
      const row = await open(tx, deps, { userId, country, order, recipient, applicant });
      return toPlayerWithdrawal(row, currencies);
    });
}

/** Throws 409 TOO_MANY_WITHDRAWALS, 400 AMOUNT_OUT_OF_RANGE beyond what is left of the daily limit. */
function assertWithin({ siteConfig, applicants }: Deps, applicant: Applicant, order: Priced): void {
  const { maxOpenPerUser: max } = siteConfig.get('WITHDRAWALS');
  if (applicant.openWithdrawals >= max) throw withdrawalErrors.TOO_MANY_WITHDRAWALS({ max });
  const left = applicants.dailyRemaining(applicant);
  if (left !== null && order.usdAmount > left)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ dailyRemainingUsd: formatUnits(left) });
}

type Opening = {
  userId: number;
  country: string | null;
  order: Priced;
  recipient: Recipient;
  applicant: Applicant & { isTurnoverWaived: boolean };
};

async function open(tx: Tx, { siteConfig }: Deps, opening: Opening) {
  const { userId, country, order, recipient, applicant } = opening;
  const [currencyId, networkId] = [order.currency.id, order.network.id];
  const { amount, fee, usdAmount, isPriced } = order;
  const { address, memo } = recipient;
  const id = newId();
  await postLeg(tx, { id, user_id: userId, currency_id: currencyId, amount, fee, attempt: 1 }, 'hold');
  const addressSince = await recipientSince(tx, { userId, networkId, address, memo });
  const risk = riskOf({
    ...applicant,
    country,
    accountCountry: applicant.country,
    isNewAddress: addressSince === null,
    isFirst: !applicant.hasBeenPaid,
    owes: (await openClaimsOf(tx, userId)).size > 0,
  });
  const at = await transactionTime(tx);
  const dayUsd = await outgoingUsd(tx, { userId, hours: FOUR_EYES_HOURS });
  const { since: accountSince, factorResetAt } = applicant;
  const facts = { at, isPriced, usdAmount, dayUsd, risk, accountSince, factorResetAt, addressSince };
  const start = initialStatus(facts, siteConfig.get('WITHDRAWALS'));
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
    ...(await stateOf(tx, start, at)),
  });
  await publishChange(tx, undefined, row);
  if (start.status === 'APPROVED') await queueSending(tx, id);
  return row;
}

async function stateOf(tx: Tx, start: InitialStatus, at: Date) {
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
