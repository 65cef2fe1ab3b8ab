import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Outbound, Unanswered } from '../../../../platform/outbound.ts';
import { isSigned } from '../../../base/webhooks/signature.ts';
import type { PaymentProvider, PayoutState } from '../provider.ts';
import { assertHeard, bodyOf, noticedUnits, refused } from './answer.ts';
import { DepositWebhook, Reason, Token, WithdrawalWebhook } from './schemas.ts';

const Address = z.object({
  address: Token,
  memo: Token.nullable(),
  externalId: Token,
});
const Payout = z.object({
  reference: z.string(),
  externalId: Token,
  status: z.enum(['PROCESSING', 'SENT', 'COMPLETED', 'FAILED']),
  txHash: Token.nullable(),
  confirmations: z.number().int().min(0),
  failedReason: Reason.nullable(),
});
const Refusal = z.object({ reason: Reason });
const Missing = z.object({ error: z.literal('NOT_FOUND'), reference: z.string() });

type Settings = { key: string; secrets: readonly string[]; toleranceSeconds: number; clock: Clock };

/** Our own protocol, spoken by the sandbox: whatever is asked twice is done once. */
export function createSandboxProvider(
  outbound: Outbound,
  { key, secrets, toleranceSeconds, clock }: Settings,
): PaymentProvider {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    outbound.ask({ method: 'POST', path, headers, body: JSON.stringify(body) });

  return {
    id: 'sandbox',
    repeatsSafely: true,

    async createAddress(request) {
      const answer = await post('/v1/addresses', request);
      assertHeard(answer);
      if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      return bodyOf(answer, Address, JSON.parse);
    },

    async pay({ amount, ...order }) {
      const answer = await post('/v1/payouts', { ...order, amount: formatUnits(amount) });
      assertHeard(answer);
      if (answer.status === 422) return refused(bodyOf(answer, Refusal, JSON.parse).reason);
      if (answer.status !== 201 && answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      return stateOf(bodyOf(answer, Payout, JSON.parse), order.reference);
    },

    async lookUp({ reference }) {
      const path = `/v1/payouts/${encodeURIComponent(reference)}`;
      const answer = await outbound.ask({ method: 'GET', path, headers });
      assertHeard(answer);
      if (answer.status === 404) {
        // Any server answers 404 for some reason; this one names what it does not have.
        const missing = bodyOf(answer, Missing, JSON.parse);
        if (missing.reference === reference) return undefined;
      }
      if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      return stateOf(bodyOf(answer, Payout, JSON.parse), reference);
    },

    isSigned: (raw, { 'x-signature': signature }) =>
      isSigned(raw, signature, { secrets, toleranceSeconds, now: clock.now() }),

    readDeposits(raw) {
      const { payMemo, txHash, amount, occurredAt, ...rest } = readNotice(raw, DepositWebhook);
      const at = new Date(occurredAt);
      return [
        {
          ...rest,
          at,
          payMemo: payMemo ?? null,
          txHash: txHash ?? null,
          amount: noticedUnits('amount', amount),
        },
      ];
    },

    readPayouts(raw) {
      const notice = readNotice(raw, WithdrawalWebhook);
      const { externalId, reference, status, confirmations, occurredAt } = notice;
      const { txHash = null, failedReason = null } = notice;
      return [
        { externalId, reference, status, confirmations, txHash, failedReason, at: new Date(occurredAt) },
      ];
    },
  };
}

/** An answer about somebody else's payout says nothing about ours. */
function stateOf(payout: z.output<typeof Payout>, wanted: string): PayoutState {
  const { reference, ...state } = payout;
  if (reference !== wanted) throw new Unanswered('answered about another payout');
  return state;
}
