import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { isSameSecret } from '../../../../platform/encryption.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Outbound, Unanswered } from '../../../../platform/outbound.ts';
import { paymentErrors } from '../errors.ts';
import type {
  DepositNotice,
  DepositNoticeStatus,
  PaymentProvider,
  PayoutState,
  PayoutStatus,
} from '../provider.ts';
import { assertHeard, assertSettled, bodyOf, noticedUnits, noticeOf, refused } from './answer.ts';
import { Exact, Reason, Token } from './schemas.ts';

type Settings = { key: string; storeId: string; webhookSecrets: readonly string[]; clock: Clock };

const METHOD_IDS: Readonly<Record<string, string>> = {
  'BTC:bitcoin': 'BTC-CHAIN',
  'LTC:litecoin': 'LTC-CHAIN',
  'DOGE:dogecoin': 'DOGE-CHAIN',
};
const METHODS = new Map(Object.entries(METHOD_IDS).map(([method, id]) => [id, method.split(':')]));
/** An address is watched this long: invoices are made for one purchase, ours for all that a player pays in. */
const WATCHED_MINUTES = 365 * 24 * 60;

const Invoice = z.object({ id: Token });
const Destinations = z.array(z.object({ paymentMethodId: z.string(), destination: Token.nullish() }));
const Payout = z.object({
  id: Token,
  state: z.string(),
  paymentProof: z.object({ id: Token.nullish() }).nullish(),
  metadata: z.object({ reference: z.string().optional() }).nullish(),
});
type Payout = z.output<typeof Payout>;
/** The server lists all payouts that it ever made, in one answer. */
const LONGEST_LIST_BYTES = 32 * 1024 * 1024;
/** Others may have made some of them, with whatever in them: of those nothing has to be read. */
const Listed = z.looseObject({ metadata: z.unknown() }).transform((payout) => ({
  payout,
  reference: (payout.metadata as { reference?: unknown } | null | undefined)?.reference,
}));
const Refusal = z.union([
  z.object({ message: Reason }).transform(({ message }) => message),
  z
    .array(z.object({ path: z.string(), message: Reason }))
    .transform((fields) => fields.map(({ path, message }) => `${path}: ${message}`).join('; ')),
]);
const Event = z.object({
  type: z.string(),
  storeId: z.string().nullish(),
  paymentMethodId: z.string().nullish(),
  timestamp: Exact.nullish(),
});
const PaymentEvent = z.object({
  payment: z.object({
    id: z.string().regex(/^[0-9a-f]{64}-\d{1,9}$/i, 'needs a transaction and an output'),
    value: Exact,
    status: z.string(),
    destination: Token,
  }),
});

/** A BTCPay Server over its Greenfield API: our own wallet, so that what it shows is on the chain. */
export function createBtcpayProvider(
  outbound: Outbound,
  { key, storeId, webhookSecrets, clock }: Settings,
): PaymentProvider {
  const headers = { authorization: `token ${key}`, 'content-type': 'application/json' };
  const store = `/api/v1/stores/${encodeURIComponent(storeId)}`;
  const get = async (path: string, limitBytes?: number) => {
    const limit = limitBytes === undefined ? {} : { limitBytes };
    const answer = await outbound.ask({ method: 'GET', path: store + path, headers, ...limit });
    assertHeard(answer);
    return answer;
  };
  const post = async (path: string, body: object) => {
    const request = { path: store + path, headers, body: JSON.stringify(body) };
    const answer = await outbound.ask({ method: 'POST', ...request });
    assertHeard(answer);
    return answer;
  };
  return {
    id: 'btcpay',
    repeatsSafely: false,

    async createAddress({ reference, currencyId, networkId }) {
      const methodId = METHOD_IDS[`${currencyId}:${networkId}`];
      if (!methodId) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND({ currencyId, networkId });
      const watched = { expirationMinutes: WATCHED_MINUTES, monitoringMinutes: WATCHED_MINUTES };
      const checkout = { paymentMethods: [methodId], lazyPaymentMethods: false, ...watched };
      // Without an amount it is a top-up.
      const order = { amount: null, currency: currencyId, metadata: { orderId: reference }, checkout };
      const made = await post('/invoices', order);
      if (made.status !== 200) throw new Unanswered(`answered ${made.status}`);
      const { id } = bodyOf(made, Invoice);
      const answer = await get(`/invoices/${encodeURIComponent(id)}/payment-methods`);
      const found = bodyOf(answer, Destinations).find(({ paymentMethodId }) => paymentMethodId === methodId);
      if (!found?.destination) throw new Unanswered(`has no address for ${methodId}`);
      return { address: found.destination, memo: null, externalId: id };
    },

    async pay({ reference, currencyId, networkId, address, amount }) {
      const payoutMethodId = METHOD_IDS[`${currencyId}:${networkId}`];
      if (!payoutMethodId) return refused('not paid out by this provider');
      const order = { destination: address, amount: formatUnits(amount), payoutMethodId };
      const answer = await post('/payouts', { ...order, approved: true, metadata: { reference } });
      if (answer.status === 400 || answer.status === 422) return refused(bodyOf(answer, Refusal));
      if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      return stateOf(bodyOf(answer, Payout));
    },

    async lookUp({ reference, externalId, sentAt }) {
      if (externalId !== null) {
        const answer = await get(`/payouts/${encodeURIComponent(externalId)}`);
        if (answer.status === 200) return stateOf(bodyOf(answer, Payout));
      }
      const answer = await get('/payouts?includeCancelled=true', LONGEST_LIST_BYTES);
      if (answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      const found = bodyOf(answer, z.array(Listed), JSON.parse).find((one) => one.reference === reference);
      return found
        ? stateOf(bodyOf({ ...answer, text: JSON.stringify(found.payout) }, Payout))
        : assertSettled(sentAt, clock);
    },

    isSigned: (raw, given) => isSigned(raw, given, webhookSecrets),

    readDeposits(raw) {
      const { type, storeId: its, paymentMethodId, timestamp } = noticeOf(raw, Event);
      const isPayment = type === 'InvoiceReceivedPayment' || type === 'InvoicePaymentSettled';
      const [currencyId, networkId] = METHODS.get(paymentMethodId ?? '') ?? [];
      if (!isPayment || its !== storeId || !currencyId || !networkId) return [];
      const { payment } = noticeOf(raw, PaymentEvent);
      const [txHash, output] = payment.id.split('-') as [string, string];
      const notice: DepositNotice = {
        externalId: payment.id,
        payAddress: payment.destination,
        payMemo: null,
        currencyId,
        networkId,
        txHash,
        outputIndex: Number(output),
        confirmations: 0,
        status: type === 'InvoicePaymentSettled' ? 'COMPLETED' : (PAYMENTS[payment.status] ?? 'DETECTED'),
        amount: noticedUnits('payment.value', payment.value),
        at: timestamp ? new Date(Number(timestamp) * 1000) : new Date(),
      };
      return [notice];
    },

    /** Its notices of payouts do not carry our reference: payouts are looked up. */
    readPayouts: () => [],
  };
}

function isSigned(raw: Buffer, headers: IncomingHttpHeaders, secrets: readonly string[]): boolean {
  const given = headers['btcpay-sig'];
  if (typeof given !== 'string' || !/^sha256=[0-9a-f]{64}$/.test(given)) return false;
  const checks = secrets.map((secret) =>
    isSameSecret(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`, given),
  );
  return checks.includes(true);
}

const PAYMENTS: Readonly<Record<string, DepositNoticeStatus>> = {
  Processing: 'DETECTED',
  Settled: 'COMPLETED',
  Invalid: 'FAILED',
};
const STATES: Readonly<Record<string, PayoutStatus>> = {
  AwaitingApproval: 'PROCESSING',
  AwaitingPayment: 'PROCESSING',
  InProgress: 'PROCESSING',
  Completed: 'COMPLETED',
  Cancelled: 'FAILED',
};

/** What the server says of a payout. A state that we do not know is not an end. */
function stateOf({ id, state, paymentProof }: Payout): PayoutState {
  const known = STATES[state] ?? 'PROCESSING';
  const txHash = paymentProof?.id ?? null;
  const isSent = known === 'PROCESSING' && txHash !== null;
  return {
    externalId: id,
    txHash,
    confirmations: 0,
    status: isSent ? 'SENT' : known,
    failedReason: known === 'FAILED' ? 'cancelled' : null,
  };
}
