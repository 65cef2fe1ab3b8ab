import { z } from 'zod';
import type { DepositReport, PaymentProvider, PayoutReport } from '../provider.ts';
import {
  connect,
  createClient,
  invalid,
  isMacOf,
  type ProviderDeps,
  readAmount,
  readExactly,
  resultOf,
} from './client.ts';
import {
  CODES,
  callbackOf,
  createNowpaymentsPayouts,
  PayoutRecord,
  stateOfRecord,
} from './nowpayments-payouts.ts';
import { sortedJson } from './rules.ts';
import { Exact, Token } from './schemas.ts';

/**
 * A payment asks for an amount; players pay in what they like. This one is above what the provider takes at least; less and more
 * is credited as it comes.
 */
const NOMINAL_USD = 20;

const NewPayment = z.object({
  payment_id: Exact.pipe(Token),
  pay_address: Token,
  payin_extra_id: Exact.pipe(Token).nullish(),
});

const PaymentWebhook = z.object({
  payment_id: Exact.pipe(Token),
  payment_status: z.string(),
  pay_address: Token,
  payin_extra_id: Exact.pipe(Token).nullish(),
  pay_currency: Token,
  actually_paid: Exact.nullish(),
  updated_at: Exact.nullish(),
});

/**
 * Coins that are in our wallet are credited, whether they are what was asked for or less. What was sent back after that is taken
 * back.
 */
const STATUSES: Readonly<Record<string, DepositReport['status']>> = {
  confirming: 'CONFIRMING',
  confirmed: 'CONFIRMING',
  sending: 'CONFIRMING',
  partially_paid: 'COMPLETED',
  finished: 'COMPLETED',
  failed: 'FAILED',
  refunded: 'REVERSED',
  expired: 'EXPIRED',
};

/** NOWPayments: addresses are payments that stay open, payouts are made in batches of one and confirmed with a second factor. */
export function createNowpaymentsProvider(deps: ProviderDeps): PaymentProvider | undefined {
  const { config } = deps;
  const { NOWPAYMENTS_API_KEY: key, NOWPAYMENTS_IPN_SECRETS: secrets } = config;
  if (!key) return undefined;
  const outbound = connect('nowpayments', config.NOWPAYMENTS_API_URL, deps);
  const { post } = createClient(outbound, { headers: () => ({ 'x-api-key': key }) });
  return {
    id: 'nowpayments',
    repeatsSafely: false,

    async createAddress({ reference, ...method }) {
      const body = {
        price_amount: NOMINAL_USD,
        price_currency: 'usd',
        pay_currency: CODES.get(method),
        order_id: reference,
        ipn_callback_url: callbackOf(config, 'deposit'),
      };
      const payment = resultOf(await post('/v1/payment', body), NewPayment, { statuses: [200, 201] });
      const { payment_id, pay_address, payin_extra_id } = payment;
      return { address: pay_address, memo: payin_extra_id ?? null, externalId: payment_id };
    },

    ...createNowpaymentsPayouts(outbound, deps),

    isSigned: (raw, { 'x-nowpayments-sig': given }) => isSigned(raw, given, secrets),
    readDeposits: (raw) => depositsOf(readExactly(raw, PaymentWebhook)),
    readPayouts: (raw) => payoutsOf(readExactly(raw, PayoutRecord)),
  };
}

/** The signature is of the sorted document, not of its bytes: it has to be parsed first. */
function isSigned(raw: Buffer, given: string | string[] | undefined, secrets: readonly string[]): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{128}$/i.test(given)) return false;
  try {
    const texts = (['list', 'object'] as const).map((listAs) => sortedJson(raw.toString(), listAs));
    return isMacOf(texts, { mac: given.toLowerCase(), secrets, algorithm: 'sha512' });
  } catch {
    return false;
  }
}

/**
 * One payment is one transfer: another one to the same address is a payment of its own, with parent_payment_id. Its id stands
 * for the transaction: not every webhook names the hash, and a payment that was named differently would be credited again.
 */
function depositsOf(payment: z.output<typeof PaymentWebhook>): DepositReport[] {
  const { payment_id, payment_status, pay_address, payin_extra_id, pay_currency } = payment;
  const amount = readAmount('actually_paid', payment.actually_paid ?? '0');
  const status = STATUSES[payment_status];
  if (amount === 0n || payment_status === 'waiting') return [];
  const method = CODES.methodOf(pay_currency.toLowerCase());
  if (!method) throw invalid({ path: 'pay_currency', message: 'is not one of ours' });
  if (!status) throw invalid({ path: 'payment_status', message: 'is not known' });
  return [
    {
      ...method,
      externalId: payment_id,
      status,
      payAddress: pay_address,
      payMemo: payin_extra_id ?? null,
      amount,
      txHash: `nowpayments:${payment_id}`,
      outputIndex: 0,
      confirmations: 0,
      at: timeOf(payment.updated_at),
    },
  ];
}

/** Older accounts send no reference of ours: such a webhook says nothing, the payout is looked up. */
function payoutsOf(record: z.output<typeof PayoutRecord>): PayoutReport[] {
  const reference = record.unique_external_id;
  return reference ? [{ ...stateOfRecord(record), reference, at: timeOf(record.updated_at) }] : [];
}

/** ISO 8601, or milliseconds. */
function timeOf(text: string | null | undefined): Date {
  const at = new Date(/^\d{12,14}$/.test(text ?? '') ? Number(text) : (text ?? ''));
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
