import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { isSameSecret } from '../../../../platform/encryption.ts';
import { type Outbound, Unanswered } from '../../../../platform/outbound.ts';
import { paymentErrors } from '../errors.ts';
import type { DepositNotice, DepositNoticeStatus, PaymentProvider, PayoutNotice } from '../provider.ts';
import { assertHeard, bodyOf, invalid, noticedUnits, noticeOf } from './answer.ts';
import { createNowpaymentsPayouts, PayoutRecord, stateOf } from './nowpayments-payouts.ts';
import { sortedJson } from './rules.ts';
import { Exact, Token } from './schemas.ts';

/** `callbackUrl`: where notices are sent, without the last segment. */
export type NowpaymentsSettings = {
  clock: Clock;
  key: string;
  ipnSecrets: readonly string[];
  email: string | undefined;
  password: string | undefined;
  totpSecret: string | undefined;
  callbackUrl: string;
};

const CODES: Readonly<Record<string, string>> = {
  'BTC:bitcoin': 'btc',
  'ETH:ethereum': 'eth',
  'ETH:bsc': 'ethbsc',
  'USDT:ethereum': 'usdterc20',
  'USDT:tron': 'usdttrc20',
  'USDT:bsc': 'usdtbsc',
  'USDT:solana': 'usdtsol',
  'USDC:ethereum': 'usdc',
  'USDC:bsc': 'usdcbsc',
  'USDC:solana': 'usdcsol',
  'LTC:litecoin': 'ltc',
  'TRX:tron': 'trx',
  'SOL:solana': 'sol',
  'DOGE:dogecoin': 'doge',
  'BNB:bsc': 'bnbbsc',
  'XRP:ripple': 'xrp',
  'BCH:bitcoincash': 'bch',
};
const METHODS = new Map(Object.entries(CODES).map(([method, code]) => [code, method.split(':')]));

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

const PaymentNotice = z.object({
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
const STATUSES: Readonly<Record<string, DepositNoticeStatus>> = {
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
export function createNowpaymentsProvider(
  outbound: Outbound,
  settings: NowpaymentsSettings,
): PaymentProvider {
  const { key, ipnSecrets, callbackUrl } = settings;
  return {
    id: 'nowpayments',
    repeatsSafely: false,

    async createAddress({ reference, currencyId, networkId }) {
      const code = CODES[`${currencyId}:${networkId}`];
      if (!code) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND({ currencyId, networkId });
      const payment = { price_amount: NOMINAL_USD, price_currency: 'usd', pay_currency: code };
      const answer = await outbound.ask({
        method: 'POST',
        path: '/v1/payment',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...payment,
          order_id: reference,
          ipn_callback_url: `${callbackUrl}/deposit`,
        }),
      });
      assertHeard(answer);
      if (answer.status !== 201 && answer.status !== 200) throw new Unanswered(`answered ${answer.status}`);
      const { payment_id, pay_address, payin_extra_id } = bodyOf(answer, NewPayment);
      return { address: pay_address, memo: payin_extra_id ?? null, externalId: payment_id };
    },

    ...createNowpaymentsPayouts(outbound, { ...settings, codes: CODES }),

    isSigned: (raw, headers) => isSigned(raw, headers, ipnSecrets),
    readDeposits: (raw) => depositsOf(noticeOf(raw, PaymentNotice)),
    readPayouts: (raw) => payoutsOf(noticeOf(raw, PayoutRecord)),
  };
}

/** The signature is of the sorted document, not of its bytes: it has to be read first. */
function isSigned(raw: Buffer, headers: IncomingHttpHeaders, secrets: readonly string[]): boolean {
  const given = headers['x-nowpayments-sig'];
  if (typeof given !== 'string' || !/^[0-9a-f]{128}$/i.test(given)) return false;
  let texts: string[];
  try {
    texts = (['list', 'object'] as const).map((listAs) => sortedJson(raw.toString(), listAs));
  } catch {
    return false;
  }
  const checks = secrets.flatMap((secret) =>
    texts.map((text) =>
      isSameSecret(createHmac('sha512', secret).update(text).digest('hex'), given.toLowerCase()),
    ),
  );
  return checks.includes(true);
}

/**
 * One payment is one transfer: another one to the same address is a payment of its own, with parent_payment_id. Its id stands
 * for the transaction: not every notice names the hash, and a payment that was named differently would be credited again.
 */
function depositsOf(notice: z.output<typeof PaymentNotice>): DepositNotice[] {
  const { payment_id, payment_status, pay_address, payin_extra_id, pay_currency } = notice;
  const amount = noticedUnits('actually_paid', notice.actually_paid ?? '0');
  const status = STATUSES[payment_status];
  if (amount === 0n || payment_status === 'waiting') return [];
  const [currencyId, networkId] = METHODS.get(pay_currency.toLowerCase()) ?? [];
  if (!currencyId || !networkId) throw invalid({ path: 'pay_currency', message: 'is not one of ours' });
  if (!status) throw invalid({ path: 'payment_status', message: 'is not known' });
  return [
    {
      externalId: payment_id,
      status,
      payAddress: pay_address,
      payMemo: payin_extra_id ?? null,
      currencyId,
      networkId,
      amount,
      txHash: `nowpayments:${payment_id}`,
      outputIndex: 0,
      confirmations: 0,
      at: timeOf(notice.updated_at),
    },
  ];
}

/** Without our reference, as older accounts have it, it says nothing: the look-up will. */
function payoutsOf(record: z.output<typeof PayoutRecord>): PayoutNotice[] {
  const reference = record.unique_external_id;
  return reference ? [{ ...stateOf(record), reference, at: timeOf(record.updated_at) }] : [];
}

/** ISO 8601, or milliseconds. */
function timeOf(text: string | null | undefined): Date {
  const at = new Date(/^\d{12,14}$/.test(text ?? '') ? Number(text) : (text ?? ''));
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
