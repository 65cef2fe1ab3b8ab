import { z } from 'zod';
import type { Units } from '../../../../platform/money.ts';
import { readReport } from '../../../base/webhooks/report.ts';
import type { DepositReport, PaymentProvider, PayoutReport, ReportFlaw } from '../provider.ts';
import { connect, createClient, isMacOf, meaningIn, type ProviderDeps, resultOf } from './client.ts';
import {
  CODES,
  callbackOf,
  createNowpaymentsPayouts,
  isKnownStatus,
  PayoutRecord,
  stateOfRecord,
} from './nowpayments-payouts.ts';
import { readCut, readTime, readUnits, sortedJson } from './rules.ts';
import { Exact, ExternalId, Token } from './schemas.ts';

/** The nominal amount of a payment, which the provider requires. It exceeds the provider's minimum. Players may deposit any amount. */
const NOMINAL_USD = 20;

const NewPayment = z.object({
  payment_id: ExternalId,
  pay_address: Token,
  payin_extra_id: ExternalId.nullish(),
});

/** Only the fields that identify the payment must be readable. Other fields are passed on as received. */
const PaymentWebhook = z.object({
  payment_id: ExternalId,
  payment_status: z.string().catch(''),
  pay_address: Token,
  payin_extra_id: ExternalId.nullish(),
  parent_payment_id: ExternalId.nullish().catch(null),
  pay_currency: Exact.catch(''),
  actually_paid: z.unknown().optional(),
  outcome_amount: Exact.nullish().catch(null),
  outcome_currency: Exact.nullish().catch(null),
  updated_at: Exact.nullish().catch(null),
});
type PaymentWebhook = z.output<typeof PaymentWebhook>;

/** Coins in our wallet are credited even if they are less than the nominal amount. A refund reverses the credit. */
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
/** Statuses in which coins have arrived. */
const ARRIVED: ReadonlySet<string> = new Set(['partially_paid', 'finished']);

/** Documented fields of payment and payout webhooks. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[...Object.keys(PaymentWebhook.shape), ...Object.keys(PayoutRecord.shape), 'invoice_id', 'purchase_id'],
  ...[
    'price_amount',
    'price_currency',
    'pay_amount',
    'actually_paid_at_fiat',
    'order_id',
    'payment_extra_ids',
  ],
  ...[
    'order_description',
    'fee',
    'created_at',
    'currency',
    'amount',
    'extra_id',
    'ipn_callback_url',
    'requested_at',
  ],
  ...[
    'payout_description',
    'fiat_amount',
    'fiat_currency',
    'batchWithdrawalId',
    'createdAt',
    'requestedAt',
    'updatedAt',
  ],
]);

/**
 * NOWPayments. For each address, a payment is created that stays open. A payout is a batch with a single payout, confirmed with a second
 * factor.
 */
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
    fields: FIELDS,
    readDeposits: (raw) => depositsOf(readReport(raw, PaymentWebhook)),
    readPayouts: (raw) => payoutsOf(readReport(raw, PayoutRecord)),
  };
}

/** The signature covers the document with sorted keys instead of the received bytes, so the document is parsed first. */
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
 * Each payment is one transfer. Another transfer to the same address is a new payment with parent_payment_id. Payments are identified by
 * the payment id instead of the transaction hash. Some webhooks lack the hash, and if the hash were used when it is present, the payment
 * would be credited twice.
 */
function depositsOf(payment: PaymentWebhook): DepositReport[] {
  const { payment_id, payment_status, pay_address, payin_extra_id } = payment;
  const status = meaningIn(STATUSES, payment_status.toLowerCase());
  const paid = paidIn(payment);
  if (payment_status.toLowerCase() === 'waiting' || (paid.isNothing && status !== 'REVERSED')) return [];
  const coin = coinOf(payment);
  const flaws: ReportFlaw[] = [
    ...(coin.method ? [] : ['CURRENCY_UNKNOWN' as const]),
    ...(paid.amount === undefined ? ['AMOUNT_UNREADABLE' as const] : []),
    ...(status ? [] : ['STATUS_UNKNOWN' as const]),
  ];
  const isOdd = !coin.method || paid.amount === undefined;
  return [
    {
      ...(coin.method ?? { currencyId: coin.code.toUpperCase().slice(0, 16), networkId: '' }),
      externalId: payment_id,
      status: status ?? 'DETECTED',
      payAddress: pay_address,
      payMemo: payin_extra_id ?? null,
      amount: paid.amount ?? 0n,
      isCut: paid.isCut ?? false,
      ...(!status && { unknownType: payment_status || 'empty' }),
      txHash: `nowpayments:${payment_id}`,
      outputIndex: 0,
      confirmations: 0,
      at: readTime(payment.updated_at),
      isCumulative: true,
      parentExternalId: payment.parent_payment_id ?? null,
      flaws,
      ...(isOdd && { reported: { ...(!coin.method && { currency: coin.code }), amount: paid.text } }),
      ...(!coin.method && outcomeOf(payment)),
    },
  ];
}

type Paid = { isNothing: boolean; text: string; amount?: Units; isCut?: boolean };

/** Returns a payment's amount, or undefined if we cannot represent it. */
function paidIn({ actually_paid, payment_status }: PaymentWebhook): Paid {
  const given = Exact.safeParse(actually_paid ?? '0');
  const text = (given.success ? given.data : JSON.stringify(actually_paid)).slice(0, 200);
  const read = given.success ? readCut(given.data.trim()) : undefined;
  const isZero = given.success && /^-?(0+(\.0*)?|\.0+)([eE].*)?$/.test(text.trim());
  // If the amount is missing, the status determines whether coins have arrived.
  const isMissing = actually_paid == null || text.trim() === '';
  const isNothing = isMissing ? !ARRIVED.has(payment_status.toLowerCase()) : isZero;
  return { isNothing, text, ...(isMissing && !isNothing ? {} : read) };
}

/** Returns a payment's coin: a listed one, or the provider's name for it. */
function coinOf({ pay_currency }: PaymentWebhook) {
  const code = printable(pay_currency);
  return { code, method: CODES.methodOf(code.toLowerCase()) };
}

const printable = (text: string) => text.replace(/[^\x21-\x7e]/g, '').slice(0, 100) || 'UNKNOWN';

/** Returns the coins to which the provider has converted an unlisted coin. */
function outcomeOf({ outcome_amount, outcome_currency }: PaymentWebhook) {
  const method = CODES.methodOf(printable(outcome_currency ?? '').toLowerCase());
  const amount = readUnits(outcome_amount ?? '');
  return method && amount !== undefined && amount > 0n ? { outcome: { ...method, amount } } : {};
}

/** Older accounts do not return our reference. Their webhooks are ignored, and the state of the payout is queried instead. */
function payoutsOf(record: z.output<typeof PayoutRecord>): PayoutReport[] {
  const reference = record.unique_external_id;
  if (!reference) return [];
  const { status } = record;
  const read = { ...stateOfRecord(record), reference, at: readTime(record.updated_at) };
  return [{ ...read, ...(!isKnownStatus(status) && { unknownType: status }) }];
}
