import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  secretOf,
  setting,
  signatureOf,
} from './endpoint.ts';
import { formatAmount, parseAmount } from './payments-amounts.ts';
import type { Books, Deposit, Order, Payout } from './payments-books.ts';
import type { Webhook } from './payments-deliveries.ts';
import type { Dialect } from './payments-dialect.ts';

export const DEFAULT_KEY = 'sandbox-payment-key';
const DEFAULT_SECRET = 'sandbox-payment-webhook-secret';

type Field = string | null | undefined;

/** The protocol of the platform's own provider. Every request may be repeated, and no payout is made twice. */
export function ownEndpoints({ books, answer }: Dialect): Endpoint[] {
  const guarded: Dialect['answer'] = (of, work, refuse) => {
    const handle = answer(of, work, refuse);
    return (request) => {
      const isKnown = request.headers.authorization === `Bearer ${setting('PAYMENT_API_KEY', DEFAULT_KEY)}`;
      return isKnown ? handle(request) : json(401, { error: 'unknown key' });
    };
  };
  const refuse = () => json(422, { reason: 'rejected by the sandbox' });
  return [
    {
      method: 'POST',
      path: '/payments/v1/addresses',
      about:
        'Returns an address: { address, memo, externalId }. A reference always gets the same address. Bearer PAYMENT_API_KEY.',
      example: '{ "reference": "7:USDT:tron", "userId": 7, "currencyId": "USDT", "networkId": "tron" }',
      handle: guarded('addresses', (request) => openAccount(books, request), refuse),
    },
    {
      method: 'POST',
      path: '/payments/v1/payouts',
      about:
        'Pays out once for each reference: { reference, externalId, status, txHash, confirmations, failedReason }. A rejection is 422 ' +
        '{ reason }.',
      example:
        '{ "reference": "w-1", "currencyId": "BTC", "networkId": "bitcoin", "address": "1…", "memo": null, "amount": "0.1" }',
      handle: guarded('payouts', (request) => pay(books, request), refuse),
    },
    {
      method: 'GET',
      path: '/payments/v1/payouts/{reference}',
      about: 'Returns the state of a payout, or 404 { error, reference } if it does not exist.',
      handle: guarded('lookups', (request) => find(books, request), refuse),
    },
  ];
}

const ownPayout = (books: Books, reference: string) =>
  books.payoutsOf(reference).find(({ dialect }) => dialect === 'sandbox');

function find(books: Books, { params }: SandboxRequest): SandboxAnswer {
  const reference = decodeURIComponent(params.reference!);
  const found = ownPayout(books, reference);
  return found ? json(200, payoutBody(found)) : json(404, { error: 'NOT_FOUND', reference });
}

function openAccount(books: Books, { body }: SandboxRequest): SandboxAnswer {
  const { reference, currencyId, networkId } = (parseObject(body) ?? {}) as Record<string, Field>;
  if (!reference || !currencyId || !networkId)
    return json(400, { error: 'reference, currencyId and networkId are needed' });
  const account = books.open({ dialect: 'sandbox', reference, currencyId, networkId });
  if (!account) return json(422, { reason: `there is no network ${networkId}` });
  const { address, memo, externalId } = account;
  return json(200, { address, memo, externalId });
}

function pay(books: Books, { body }: SandboxRequest): SandboxAnswer {
  const input = parseObject(body) ?? {};
  const { reference, currencyId, networkId, address, memo = null } = input as Record<string, Field>;
  const amount = parseAmount(input.amount);
  if (!reference || !currencyId || !networkId || !address || !amount)
    return json(400, { error: 'reference, currencyId, networkId, address and amount are needed' });
  const order: Order = { reference, currencyId, networkId, address, memo, amount };
  const known = ownPayout(books, reference);
  if (known && Object.entries(order).some(([name, value]) => known[name as keyof Order] !== value))
    return json(409, { error: 'REFERENCE_REUSED', reference });
  return json(201, payoutBody(known ?? books.pay('sandbox', order)));
}

const payoutBody = ({ reference, externalId, status, txHash, confirmations, failedReason }: Payout) => ({
  reference,
  externalId,
  status,
  txHash,
  confirmations,
  failedReason,
});

/** Webhooks about deposits and payouts in the platform's own protocol. */
export function ownWebhooks() {
  const sign = (body: string): Record<string, string> => ({
    'x-signature': signatureOf(body, secretOf('PAYMENT_WEBHOOK_SECRETS', DEFAULT_SECRET)),
  });
  const occurredAt = () => new Date().toISOString();
  return {
    deposit({ dialect: _, address: payAddress, memo: payMemo, amount, ...deposit }: Deposit): Webhook {
      const coins = { ...deposit, payAddress, payMemo, amount: formatAmount(amount) };
      const body = JSON.stringify({ ...coins, occurredAt: occurredAt() });
      return { path: '/webhooks/payments/sandbox/deposit', body, sign };
    },
    payout: (payout: Payout): Webhook => {
      const body = { ...payoutBody(payout), occurredAt: occurredAt() };
      return { path: '/webhooks/payments/sandbox/withdrawal', body: JSON.stringify(body), sign };
    },
  };
}
