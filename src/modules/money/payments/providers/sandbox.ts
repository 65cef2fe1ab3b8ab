import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { Unanswered } from '../../../../platform/outbound.ts';
import { signedBy } from '../../../base/webhooks/signature.ts';
import type { PaymentProvider, PayoutState } from '../provider.ts';
import { bodyOf, connect, createClient, type ProviderDeps, readAmount, refused, resultOf } from './client.ts';
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
const { parse } = JSON;

/** Our own protocol, spoken by the sandbox: a request that is repeated is carried out once. */
export function createSandboxProvider(deps: ProviderDeps): PaymentProvider | undefined {
  const { config } = deps;
  if (!config.PAYMENT_API_URL) return undefined;
  const { get, post } = createClient(connect('sandbox', config.PAYMENT_API_URL, deps), {
    headers: () => ({ authorization: `Bearer ${config.PAYMENT_API_KEY}` }),
  });

  return {
    id: 'sandbox',
    repeatsSafely: true,

    createAddress: async (request) => resultOf(await post('/v1/addresses', request), Address, { parse }),

    async pay({ amount, ...order }) {
      const answer = await post('/v1/payouts', { ...order, amount: formatUnits(amount) });
      if (answer.status === 422) return refused(bodyOf(answer, Refusal, parse).reason);
      return stateOfOwn(resultOf(answer, Payout, { statuses: [200, 201], parse }), order.reference);
    },

    async lookUp({ reference }) {
      const answer = await get(`/v1/payouts/${encodeURIComponent(reference)}`);
      // Any server answers 404 for some reason; this one names what it does not have.
      if (answer.status === 404 && bodyOf(answer, Missing, parse).reference === reference) return undefined;
      return stateOfOwn(resultOf(answer, Payout, { parse }), reference);
    },

    isSigned: signedBy(config.PAYMENT_WEBHOOK_SECRETS, deps),

    readDeposits(raw) {
      const { payMemo = null, txHash = null, amount, occurredAt, ...rest } = readNotice(raw, DepositWebhook);
      return [{ ...rest, payMemo, txHash, amount: readAmount('amount', amount), at: new Date(occurredAt) }];
    },

    readPayouts(raw) {
      const { networkFee: _, occurredAt, ...rest } = readNotice(raw, WithdrawalWebhook);
      const { txHash = null, failedReason = null } = rest;
      return [{ ...rest, txHash, failedReason, at: new Date(occurredAt) }];
    },
  };
}

/** Throws Unanswered for an answer about another payout: it says nothing about this one. */
function stateOfOwn({ reference, ...state }: z.output<typeof Payout>, wanted: string): PayoutState {
  if (reference !== wanted) throw new Unanswered('answered about another payout');
  return state;
}
