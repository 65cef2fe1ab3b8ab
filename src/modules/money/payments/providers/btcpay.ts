import { z } from 'zod';
import { formatUnits } from '../../../../platform/money.ts';
import { Unanswered } from '../../../../platform/net/outbound.ts';
import { readReport } from '../../../base/webhooks/report.ts';
import type { DepositReport, PaymentProvider, PayoutState } from '../provider.ts';
import {
  assertSettled,
  bodyOf,
  connect,
  createClient,
  createMethodIds,
  isMacOf,
  meaningIn,
  type ProviderDeps,
  readAmount,
  refused,
  resultOf,
  stateOf,
} from './client.ts';
import { readTime } from './rules.ts';
import { Exact, Reason, Token } from './schemas.ts';

const METHOD_IDS = createMethodIds({
  'BTC:bitcoin': 'BTC-CHAIN',
  'LTC:litecoin': 'LTC-CHAIN',
  'DOGE:dogecoin': 'DOGE-CHAIN',
});
/**
 * How long an address is monitored. A BTCPay invoice is normally for one purchase, but each of our invoices receives all of a player's
 * deposits.
 */
const WATCHED_MINUTES = 365 * 24 * 60;

const Invoice = z.object({ id: Token });
const Destinations = z.array(z.object({ paymentMethodId: z.string(), destination: Token.nullish() }));
const Payout = z.object({
  id: Token,
  state: z.string(),
  paymentProof: z.object({ id: Token.nullish() }).nullish(),
  metadata: z.object({ reference: z.string().optional() }).nullish(),
});
/** The maximum size of the list of payouts, which the server returns as a single response. */
const LONGEST_LIST_BYTES = 32 * 1024 * 1024;
/** Payouts that we did not create may have arbitrary metadata, so only the reference is read. */
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
    id: z.string().regex(/^[0-9a-f]{64}-\d{1,9}$/i, 'must be a transaction and an output'),
    value: Exact,
    status: z.string(),
    destination: Token,
  }),
});

/** Field names of all webhook events. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['deliveryId', 'webhookId', 'originalDeliveryId', 'isRedelivery', 'type', 'timestamp', 'storeId'],
  ...['invoiceId', 'metadata', 'afterExpiration', 'paymentMethodId', 'paymentMethod', 'payment'],
  ...['overPaid', 'partiallyPaid', 'manuallyMarked', 'payoutId', 'pullPaymentId', 'payoutState'],
]);

/** A BTCPay Server, accessed through its Greenfield API. The server is our own wallet, so the payments that it reports are on the chain. */
export function createBtcpayProvider(deps: ProviderDeps): PaymentProvider | undefined {
  const { BTCPAY_URL: url, BTCPAY_API_KEY: key, BTCPAY_WEBHOOK_SECRETS: secrets } = deps.config;
  if (!url || !key) return undefined;
  const storeId = deps.config.BTCPAY_STORE_ID;
  const store = `${url.replace(/\/+$/, '')}/api/v1/stores/${encodeURIComponent(storeId)}`;
  const { get, post } = createClient(connect('btcpay', store, deps), {
    headers: () => ({ authorization: `token ${key}` }),
  });
  return {
    id: 'btcpay',
    repeatsSafely: false,

    async createAddress({ reference, ...method }) {
      const methodId = METHOD_IDS.get(method);
      const watched = { expirationMinutes: WATCHED_MINUTES, monitoringMinutes: WATCHED_MINUTES };
      const checkout = { paymentMethods: [methodId], lazyPaymentMethods: false, ...watched };
      const metadata = { orderId: reference };
      // An invoice without an amount is a top-up.
      const order = { amount: null, currency: method.currencyId, metadata, checkout };
      const { id } = resultOf(await post('/invoices', order), Invoice);
      const answer = await get(`/invoices/${encodeURIComponent(id)}/payment-methods`);
      const found = bodyOf(answer, Destinations).find(({ paymentMethodId }) => paymentMethodId === methodId);
      if (!found?.destination) throw new Unanswered(`has no address for ${methodId}`);
      return { address: found.destination, memo: null, externalId: id };
    },

    async pay({ reference, amount, address, ...method }) {
      const payoutMethodId = METHOD_IDS.find(method);
      if (!payoutMethodId) return refused('not paid out by this provider');
      const order = { destination: address, amount: formatUnits(amount), payoutMethodId };
      const answer = await post('/payouts', { ...order, approved: true, metadata: { reference } });
      if (answer.status === 400 || answer.status === 422) return refused(bodyOf(answer, Refusal));
      return stateOfPayout(resultOf(answer, Payout));
    },

    async lookUp({ reference, externalId, sentAt }) {
      if (externalId !== null) {
        const answer = await get(`/payouts/${encodeURIComponent(externalId)}`);
        if (answer.status === 200) return stateOfPayout(bodyOf(answer, Payout));
      }
      const answer = await get('/payouts?includeCancelled=true', { limitBytes: LONGEST_LIST_BYTES });
      const all = resultOf(answer, z.array(Listed), { parse: JSON.parse });
      const found = all.find((one) => one.reference === reference);
      if (!found) return assertSettled(sentAt, deps.clock);
      return stateOfPayout(bodyOf({ ...answer, text: JSON.stringify(found.payout) }, Payout));
    },

    isSigned(raw, { 'btcpay-sig': given }) {
      const mac = typeof given === 'string' && /^sha256=([0-9a-f]{64})$/.exec(given)?.[1];
      return mac ? isMacOf([raw], { mac, secrets, algorithm: 'sha256' }) : false;
    },

    fields: FIELDS,
    readDeposits: (raw) => readDeposits(raw, storeId),
    /** Payout webhooks do not contain our reference, so the state of each payout is queried instead. */
    readPayouts: () => [],
  };
}

function readDeposits(raw: Buffer, ourStore: string): DepositReport[] {
  const { type, storeId, paymentMethodId, timestamp } = readReport(raw, Event);
  const isPayment = type === 'InvoiceReceivedPayment' || type === 'InvoicePaymentSettled';
  if (!isPayment || storeId !== ourStore) return [];
  const { payment } = readReport(raw, PaymentEvent);
  const [txHash, output] = payment.id.split('-') as [string, string];
  const method = METHOD_IDS.methodOf(paymentMethodId);
  const code = paymentMethodId || 'UNKNOWN';
  const status = type === 'InvoicePaymentSettled' ? 'COMPLETED' : meaningIn(PAYMENTS, payment.status);
  return [
    {
      ...(method ?? { currencyId: code.toUpperCase().slice(0, 16), networkId: '' }),
      externalId: payment.id,
      payAddress: payment.destination,
      payMemo: null,
      txHash,
      outputIndex: Number(output),
      confirmations: 0,
      status: status ?? 'DETECTED',
      ...readAmount('payment.value', payment.value),
      at: readTime(timestamp),
      flaws: [
        ...(method ? [] : ['CURRENCY_UNKNOWN' as const]),
        ...(status ? [] : ['STATUS_UNKNOWN' as const]),
      ],
      ...(!method && { reported: { currency: code, amount: payment.value } }),
      ...(!status && { unknownType: payment.status }),
    },
  ];
}

const PAYMENTS: Readonly<Record<string, DepositReport['status']>> = {
  Processing: 'DETECTED',
  Settled: 'COMPLETED',
  Invalid: 'FAILED',
};
const STATES: Readonly<Record<string, PayoutState['status']>> = {
  AwaitingApproval: 'PROCESSING',
  AwaitingPayment: 'PROCESSING',
  InProgress: 'PROCESSING',
  Completed: 'COMPLETED',
  Cancelled: 'FAILED',
};

/** An unknown state is treated as PROCESSING, so that polling continues. */
const stateOfPayout = ({ id, state, paymentProof }: z.output<typeof Payout>): PayoutState =>
  stateOf({
    externalId: id,
    txHash: paymentProof?.id ?? null,
    status: meaningIn(STATES, state) ?? 'PROCESSING',
    failedReason: 'cancelled',
  });
