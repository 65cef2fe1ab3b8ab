import { createHmac } from 'node:crypto';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  secretOf,
  setting,
} from './endpoint.ts';
import { formatAmount, parseAmount } from './payments-amounts.ts';
import type { Books, Deposit, Payout } from './payments-books.ts';
import type { Webhook } from './payments-deliveries.ts';
import type { Dialect } from './payments-dialect.ts';

const STORE = '/payments/btcpay/api/v1/stores/{store}';
const METHODS: Readonly<Record<string, readonly [currencyId: string, networkId: string]>> = {
  'BTC-CHAIN': ['BTC', 'bitcoin'],
  'LTC-CHAIN': ['LTC', 'litecoin'],
  'DOGE-CHAIN': ['DOGE', 'dogecoin'],
};
const methodOf = (currencyId: string) => `${currencyId}-CHAIN`;
const STATES: Readonly<Record<string, string>> = {
  PROCESSING: 'AwaitingPayment',
  SENT: 'InProgress',
  COMPLETED: 'Completed',
  FAILED: 'Cancelled',
};
/** Event type and invoice status by deposit status. The server sends no webhook for other statuses. */
const EVENTS: Readonly<Record<string, readonly [type: string, status: string]>> = {
  DETECTED: ['InvoiceReceivedPayment', 'Processing'],
  COMPLETED: ['InvoicePaymentSettled', 'Settled'],
  FAILED: ['InvoiceReceivedPayment', 'Invalid'],
};
const ourStore = () => setting('BTCPAY_STORE_ID', 'store');
type Fields = Record<string, unknown>;

/** The dialect of a BTCPay Server. It creates one invoice per address, and may pay twice for the same reference. */
export const btcpay = ({ books, answer }: Dialect) => ({
  endpoints: endpointsOf(books, answer),
  deposit: (deposit: Deposit) => webhookOf(books, deposit),
  /** The webhooks of a real server do not contain our reference, so these webhooks omit it too. */
  payout: (_payout: Payout) => undefined,
});

function endpointsOf(books: Books, answer: Dialect['answer']): Endpoint[] {
  const refuse = () => problem(400, 'overdraft', 'rejected by the sandbox');
  return [
    {
      method: 'POST',
      path: `${STORE}/invoices`,
      about:
        'BTCPay: creates an invoice for any amount, with its own address. Authorization: token BTCPAY_API_KEY.',
      example:
        '{ "amount": null, "currency": "BTC", "metadata": { "orderId": "7" }, "checkout": { "paymentMethods": ["BTC-CHAIN"] } }',
      handle: withKey(answer('addresses', (request) => openInvoice(books, request), refuse)),
    },
    {
      method: 'GET',
      path: `${STORE}/invoices/{id}/payment-methods`,
      about: 'BTCPay: returns the payment address of an invoice.',
      handle: withKey((request) => methodsOf(books, request)),
    },
    {
      method: 'POST',
      path: `${STORE}/payouts`,
      about: 'BTCPay: pays out. A repeated request pays again.',
      example:
        '{ "destination": "1…", "amount": "0.1", "payoutMethodId": "BTC-CHAIN", "approved": true, "metadata": { "reference": "w-1" } }',
      handle: withKey(answer('payouts', (request) => pay(books, request), refuse)),
    },
    {
      method: 'GET',
      path: `${STORE}/payouts/{id}`,
      about: 'BTCPay: returns a payout.',
      handle: withKey(answer('lookups', (request) => find(books, request), refuse)),
    },
    {
      method: 'GET',
      path: `${STORE}/payouts`,
      about: 'BTCPay: lists all payouts.',
      handle: withKey(answer('lookups', () => json(200, books.payouts('btcpay').map(recordOf)), refuse)),
    },
  ];
}

const withKey =
  (handle: Endpoint['handle']): Endpoint['handle'] =>
  (request) => {
    const key = `token ${setting('BTCPAY_API_KEY', 'sandbox-btcpay-key')}`;
    if (request.headers.authorization !== key)
      return problem(401, 'unauthenticated', 'Authentication is required');
    return request.params.store === ourStore()
      ? handle(request)
      : problem(404, 'store-not-found', 'No store');
  };

function openInvoice(books: Books, { body }: SandboxRequest): SandboxAnswer {
  const input = (parseObject(body) ?? {}) as Record<string, Fields | null>;
  const { checkout, metadata, amount = null } = input;
  const [methodId = ''] = (checkout?.paymentMethods ?? []) as string[];
  const [currencyId, networkId] = METHODS[methodId] ?? [];
  if (!currencyId || !networkId)
    return json(422, [{ path: 'checkout.paymentMethods', message: 'no such payment method' }]);
  const id = crypto.randomUUID();
  const reference = `${String(metadata?.orderId)}#${id}`;
  books.open({ dialect: 'btcpay', reference, currencyId, networkId, externalId: id });
  return json(200, { id, storeId: ourStore(), type: amount === null ? 'TopUp' : 'Standard', metadata });
}

function methodsOf(books: Books, { params }: SandboxRequest): SandboxAnswer {
  const account = books.accounts().find(({ externalId }) => externalId === params.id);
  if (!account) return problem(404, 'invoice-not-found', 'No invoice');
  const paymentMethodId = methodOf(account.currencyId);
  return json(200, [{ paymentMethodId, activated: true, destination: account.address, payments: [] }]);
}

function pay(books: Books, { body }: SandboxRequest): SandboxAnswer {
  const input = (parseObject(body) ?? {}) as Record<string, string> & { metadata?: Fields };
  const { destination, payoutMethodId = '', metadata } = input;
  const [currencyId, networkId] = METHODS[payoutMethodId] ?? [];
  const amount = parseAmount(input.amount);
  if (!currencyId || !networkId || !amount || !destination)
    return json(422, [{ path: 'amount', message: 'destination, amount and payoutMethodId are needed' }]);
  const reference = String(metadata?.reference ?? '');
  const order = { reference, currencyId, networkId, address: destination, memo: null, amount };
  return json(200, recordOf(books.pay('btcpay', order)));
}

function find(books: Books, { params }: SandboxRequest): SandboxAnswer {
  const found = books.payouts('btcpay').find(({ externalId }) => externalId === params.id);
  return found ? json(200, recordOf(found)) : problem(404, 'payout-not-found', 'No payout');
}

const recordOf = (payout: Payout) => ({
  id: payout.externalId,
  revision: 0,
  date: String(Math.floor(payout.at.getTime() / 1000)),
  destination: payout.address,
  payoutCurrency: payout.currencyId,
  payoutAmount: formatAmount(payout.amount),
  payoutMethodId: methodOf(payout.currencyId),
  state: STATES[payout.status],
  paymentProof: payout.txHash && { proofType: 'PayoutTransactionOnChainBlob', id: payout.txHash },
  metadata: { reference: payout.reference },
});

function webhookOf(books: Books, deposit: Deposit): Webhook | undefined {
  const [type, status] = EVENTS[deposit.status] ?? [];
  if (!type) return undefined;
  const deliveryId = crypto.randomUUID();
  const timestamp = Math.floor(Date.now() / 1000);
  const coins = { value: formatAmount(deposit.amount), fee: '0.0', status, destination: deposit.address };
  const body = {
    deliveryId,
    webhookId: 'sandbox',
    originalDeliveryId: deliveryId,
    isRedelivery: false,
    type,
    timestamp,
    storeId: ourStore(),
    afterExpiration: false,
    invoiceId: books.ownerOf(deposit.address, deposit.memo)?.externalId,
    paymentMethodId: methodOf(deposit.currencyId),
    payment: { id: `${deposit.txHash}-${deposit.outputIndex}`, receivedDate: timestamp, ...coins },
  };
  return { path: '/webhooks/payments/btcpay/deposit', body: JSON.stringify(body), sign };
}

function sign(body: string): Record<string, string> {
  const secret = secretOf('BTCPAY_WEBHOOK_SECRETS', 'sandbox-btcpay-webhook-secret');
  return { 'btcpay-sig': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

const problem = (status: number, code: string, message: string) => json(status, { code, message });
