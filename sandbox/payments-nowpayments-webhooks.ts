import { createHmac } from 'node:crypto';
import { secretOf } from './endpoint.ts';
import { formatAmount } from './payments-amounts.ts';
import type { Account, Books, Deposit, Payout } from './payments-books.ts';
import type { Webhook } from './payments-deliveries.ts';
import { exact, parseNumbersAsText } from './payments-dialect.ts';

/** NOWPayments' code for a currency on a network. */
export const CODES: Readonly<Record<string, readonly [currencyId: string, networkId: string]>> = {
  btc: ['BTC', 'bitcoin'],
  eth: ['ETH', 'ethereum'],
  ethbsc: ['ETH', 'bsc'],
  usdterc20: ['USDT', 'ethereum'],
  usdttrc20: ['USDT', 'tron'],
  usdtbsc: ['USDT', 'bsc'],
  usdtsol: ['USDT', 'solana'],
  usdc: ['USDC', 'ethereum'],
  usdcbsc: ['USDC', 'bsc'],
  usdcsol: ['USDC', 'solana'],
  ltc: ['LTC', 'litecoin'],
  trx: ['TRX', 'tron'],
  sol: ['SOL', 'solana'],
  doge: ['DOGE', 'dogecoin'],
  bnbbsc: ['BNB', 'bsc'],
  xrp: ['XRP', 'ripple'],
  bch: ['BCH', 'bitcoincash'],
};
const codeOf = (currencyId: string, networkId: string) =>
  Object.keys(CODES).find((code) => CODES[code]!.join() === `${currencyId},${networkId}`);

const PAYMENT_STATUSES: Readonly<Record<string, string>> = {
  DETECTED: 'confirming',
  CONFIRMING: 'confirmed',
  COMPLETED: 'finished',
  PARTIALLY_PAID: 'partially_paid',
  EXPIRED: 'expired',
  FAILED: 'failed',
  REVERSED: 'refunded',
};
const PAYOUT_STATUSES: Readonly<Record<string, string>> = {
  PROCESSING: 'PROCESSING',
  SENT: 'SENDING',
  COMPLETED: 'FINISHED',
  FAILED: 'FAILED',
};

/** State of this dialect in addition to the books. Payouts are keyed by their id in the books. */
export type Desk = {
  books: Books;
  nextId: () => string;
  /** The payment of each deposit. The first deposit to an address belongs to the payment for which the address was requested. */
  payments: Map<string, { id: string; parent: string | null }>;
  /** Webhook URL of each payment. */
  callbacks: Map<string, string>;
  ids: Map<string, { id: string; batchId: string }>;
  /** Payouts that are waiting for the second factor. */
  unconfirmed: Set<string>;
  tokens: Set<string>;
};

/** Returns a payout as shown in lists and webhooks. */
export function recordOf({ ids, unconfirmed }: Desk, payout: Payout) {
  const { id, batchId } = ids.get(payout.externalId)!;
  return {
    id,
    batch_withdrawal_id: batchId,
    address: payout.address,
    status: unconfirmed.has(payout.externalId) ? 'CREATING' : PAYOUT_STATUSES[payout.status],
    currency: codeOf(payout.currencyId, payout.networkId),
    amount: formatAmount(payout.amount),
    extra_id: payout.memo,
    hash: payout.txHash,
    error: payout.failedReason,
    unique_external_id: payout.reference,
    created_at: payout.at.toISOString(),
    updated_at: new Date().toISOString(),
  };
}

export const webhooksOf = (desk: Desk) => ({
  deposit: (deposit: Deposit): Webhook => {
    const account = desk.books.ownerOf(deposit.address, deposit.memo)!;
    const callback = URL.parse(desk.callbacks.get(account.externalId) ?? '');
    const path = callback?.pathname ?? '/webhooks/payments/nowpayments/deposit';
    return { path, body: JSON.stringify(paymentOf(desk, deposit, account)), sign };
  },
  payout: (payout: Payout): Webhook => {
    const body = JSON.stringify(recordOf(desk, payout));
    return { path: '/webhooks/payments/nowpayments/withdrawal', body, sign };
  },
});

function paymentOf({ payments, nextId }: Desk, deposit: Deposit, account: Account) {
  const known = payments.get(deposit.externalId);
  const isAskedFor = !known && ![...payments.values()].some(({ id }) => id === account.externalId);
  const fresh = isAskedFor ? { id: account.externalId, parent: null } : { parent: account.externalId };
  const { id, parent } = known ?? { id: nextId(), ...fresh };
  payments.set(deposit.externalId, { id, parent });
  const amount = exact(formatAmount(deposit.amount));
  const code = codeOf(deposit.currencyId, deposit.networkId);
  return {
    payment_id: exact(id),
    parent_payment_id: parent && exact(parent),
    invoice_id: null,
    payment_status: PAYMENT_STATUSES[deposit.status],
    pay_address: deposit.address,
    payin_extra_id: deposit.memo,
    price_amount: 20,
    price_currency: 'usd',
    pay_amount: amount,
    actually_paid: amount,
    actually_paid_at_fiat: 0,
    pay_currency: code,
    order_id: account.reference.split('#')[0],
    order_description: null,
    purchase_id: account.externalId,
    outcome_amount: amount,
    outcome_currency: code,
    payment_extra_ids: parent ? [exact(parent)] : null,
    fee: { currency: code, depositFee: 0.00001, withdrawalFee: 0, serviceFee: 0 },
    updated_at: Date.now(),
  };
}

function sign(body: string): Record<string, string> {
  const secret = secretOf('NOWPAYMENTS_IPN_SECRETS', 'sandbox-nowpayments-ipn-secret');
  return { 'x-nowpayments-sig': createHmac('sha512', secret).update(sorted(body)).digest('hex') };
}

/** Sorts in the same way as the provider's own example: objects and lists both become objects with sorted keys. */
function sorted(body: string): string {
  const sort = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'rawJSON')) return value;
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members.map(([key, item]) => [key, sort(item)]));
  };
  return JSON.stringify(sort(parseNumbersAsText(body, exact)));
}
