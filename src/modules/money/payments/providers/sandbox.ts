import { z } from 'zod';
import { formatUnits } from '../../../../platform/money.ts';
import { Unanswered } from '../../../../platform/net/outbound.ts';
import { readReport } from '../../../base/webhooks/report.ts';
import { signedBy } from '../../../base/webhooks/signature.ts';
import type { DepositReport, PaymentProvider, PayoutState } from '../provider.ts';
import {
  bodyOf,
  connect,
  createClient,
  meaningIn,
  type ProviderDeps,
  readAmount,
  refused,
  resultOf,
} from './client.ts';
import {
  DepositWebhook,
  Reason,
  ReportedDeposit,
  ReportedPayout,
  Token,
  WithdrawalWebhook,
} from './schemas.ts';

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

const FIELDS: ReadonlySet<string> = new Set(
  [DepositWebhook, WithdrawalWebhook].flatMap(({ shape }) => Object.keys(shape)),
);
const named = <S extends string>(names: readonly S[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<string, S>;
const DEPOSIT_STATUSES = named<DepositReport['status']>(DepositWebhook.shape.status.options);
const PAYOUT_STATUSES = named<PayoutState['status']>(WithdrawalWebhook.shape.status.options);

/** Our own protocol, which the sandbox implements. A repeated request is executed only once. */
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
      // Any server may return 404; only this response body proves that the payout does not exist.
      if (answer.status === 404 && bodyOf(answer, Missing, parse).reference === reference) return undefined;
      return stateOfOwn(resultOf(answer, Payout, { parse }), reference);
    },

    isSigned: signedBy(config.PAYMENT_WEBHOOK_SECRETS, deps),
    fields: FIELDS,

    readDeposits(raw) {
      const {
        payMemo = null,
        txHash = null,
        amount,
        occurredAt,
        status: name,
        ...rest
      } = readReport(raw, ReportedDeposit);
      const status = meaningIn(DEPOSIT_STATUSES, name.toUpperCase());
      const read = { ...rest, payMemo, txHash, ...readAmount('amount', amount), at: new Date(occurredAt) };
      if (status) return [{ ...read, status }];
      return [{ ...read, status: 'DETECTED', flaws: ['STATUS_UNKNOWN'], unknownType: name }];
    },

    readPayouts(raw) {
      const { networkFee: _, occurredAt, status: name, ...rest } = readReport(raw, ReportedPayout);
      const { txHash = null, failedReason = null } = rest;
      const status = meaningIn(PAYOUT_STATUSES, name.toUpperCase());
      const read = { ...rest, txHash, failedReason, at: new Date(occurredAt) };
      return [{ ...read, status: status ?? 'PROCESSING', ...(!status && { unknownType: name }) }];
    },
  };
}

/** Throws Unanswered if a response is about another payout. */
function stateOfOwn({ reference, ...state }: z.output<typeof Payout>, wanted: string): PayoutState {
  if (reference !== wanted) throw new Unanswered('response is about another payout');
  return state;
}
