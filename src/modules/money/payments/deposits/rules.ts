import { createHash } from 'node:crypto';
import { ONE, type Units } from '../../../../platform/money.ts';

export const DEPOSIT_STATUSES = [
  'CREATED',
  'DETECTED',
  'CONFIRMING',
  'COMPLETED',
  'PARTIALLY_PAID',
  'EXPIRED',
  'UNDER_REVIEW',
  'ON_HOLD',
  'RETURNED',
  'FAILED',
  'REVERSED',
] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** Any deposit that is not credited may end in these. */
const ENDS = ['UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'FAILED', 'REVERSED'] as const;

/**
 * Every allowed transition; none leads back. What expired or failed can still be paid: coins on the chain outweigh an earlier report.
 * COMPLETED and ON_HOLD are credited.
 */
const TRANSITIONS: Readonly<Record<DepositStatus, readonly DepositStatus[]>> = {
  CREATED: ['DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS],
  DETECTED: ['CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS],
  PARTIALLY_PAID: ['CONFIRMING', 'COMPLETED', 'EXPIRED', ...ENDS],
  EXPIRED: ['CONFIRMING', 'COMPLETED', ...ENDS],
  CONFIRMING: ['COMPLETED', ...ENDS],
  FAILED: ['COMPLETED', 'UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'REVERSED'],
  UNDER_REVIEW: ['RETURNED', 'REVERSED'],
  ON_HOLD: ['COMPLETED', 'REVERSED'],
  COMPLETED: ['REVERSED'],
  RETURNED: [],
  REVERSED: [],
};

export const canTransition = (from: DepositStatus, to: DepositStatus): boolean =>
  TRANSITIONS[from].includes(to);

/** Statuses of deposits that are expected to be completed. */
export const OPEN_STATUSES: readonly DepositStatus[] = [
  'CREATED',
  'DETECTED',
  'PARTIALLY_PAID',
  'CONFIRMING',
];

/** A transaction's output as a provider names it. */
type Output = { networkId: string; txHash: string | null; outputIndex: number };

/** Characters of a hash; networks write 44 to 88. More would not fit into the ledger's key. */
const LONGEST = 100;
const HEX = /^(0x)?[0-9a-f]{64}$/i;

/** The one name of an output: the case of hexadecimal digits and a leading 0x make no difference. Undefined: not known yet. */
export function outputKey({ networkId, txHash, outputIndex }: Output): string | undefined {
  return txHash === null ? undefined : `${networkId}:${hashKey(txHash)}:${outputIndex}`;
}

/** A hash as it is stored: hexadecimal digits in small letters. */
export const storedHash = (txHash: string): string => (HEX.test(txHash) ? txHash.toLowerCase() : txHash);

/** Every form in which the same hash may be stored. */
export function hashForms(txHash: string): string[] {
  const digits = storedHash(txHash).replace('0x', '');
  return HEX.test(txHash) ? [digits, `0x${digits}`] : [txHash];
}

function hashKey(txHash: string): string {
  if (HEX.test(txHash)) return hashForms(txHash)[0]!;
  return txHash.length <= LONGEST ? txHash : createHash('sha256').update(txHash).digest('hex');
}

const BECH32_FORM = /^((bc|ltc)1[02-9ac-hj-np-z]+|(BC|LTC)1[02-9AC-HJ-NP-Z]+)$/;

/**
 * What an address is looked up by: the case of hexadecimal ones is a checksum and nothing else, and bech32 is the same in capital
 * letters.
 */
export const addressKey = (address: string): string =>
  /^0x[0-9a-f]{40}$/i.test(address) || BECH32_FORM.test(address) ? address.toLowerCase() : address;

/**
 * The status that a report asks for. COMPLETED needs a transaction to credit and the confirmations that we require of the network; a
 * report without confirmations (0) leaves that to its provider.
 */
export function statusOf(
  report: { status: DepositStatus; confirmations: number; txHash: string | null },
  required: number,
): DepositStatus {
  if (report.status !== 'COMPLETED') return report.status;
  const isShallow = report.confirmations > 0 && report.confirmations < required;
  return isShallow || report.txHash === null ? 'CONFIRMING' : 'COMPLETED';
}

/** What was reported before, or now. */
type Reported = {
  userId: number | null;
  currencyId: string;
  networkId: string;
  amount: Units;
  status: DepositStatus;
};

/** The amount of a late payment may differ, and that of a partial payment grows with each part. */
const isOpenAmount = (before: DepositStatus, now: DepositStatus): boolean =>
  ['PARTIALLY_PAID', 'EXPIRED'].includes(before) || ['PARTIALLY_PAID', 'EXPIRED', 'FAILED'].includes(now);

/** In what a report differs from the one before about the same output. */
export function differences(before: Reported, now: Reported): string[] {
  const isSameAmount = before.amount === now.amount || isOpenAmount(before.status, now.status);
  return [
    before.userId === now.userId ? [] : ['USER_DIFFERS'],
    before.currencyId === now.currencyId ? [] : ['CURRENCY_DIFFERS'],
    before.networkId === now.networkId ? [] : ['NETWORK_DIFFERS'],
    isSameAmount ? [] : ['AMOUNT_DIFFERS'],
  ].flat();
}

/** More dollars than anybody pays in: a misplaced decimal point. */
const ABSURD_USD: Units = 1_000_000_000n * ONE;

/** Why an amount is not credited before staff has reviewed it. */
export function objectionsTo(amount: Units, { min, usd }: { min: Units; usd: Units }): string[] {
  if (amount === 0n || amount < min) return ['BELOW_MINIMUM'];
  return usd > ABSURD_USD ? ['AMOUNT_ABSURD'] : [];
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const BECH32 = '[02-9ac-hj-np-z]';
/** The form of addresses by their kind; whether one is really an address its checksum says. */
const PATTERNS: Readonly<Record<string, string>> = {
  btc: `^(bc1${BECH32}{11,87}|[13]${BASE58}{25,34})$`,
  eth: '^0x[0-9a-fA-F]{40}$',
  trx: `^T${BASE58}{33}$`,
  sol: `^${BASE58}{32,44}$`,
  ltc: `^(ltc1${BECH32}{11,87}|[LM3]${BASE58}{25,34})$`,
  doge: `^[DA9]${BASE58}{25,34}$`,
  xrp: `^r${BASE58}{24,34}$`,
  bch: `^((bitcoincash:)?[qp]${BECH32}{41}|[13]${BASE58}{25,34})$`,
};

/** A regular expression for addresses of a kind; null for a kind that has none. */
export const addressPatternOf = (kind: string): string | null => PATTERNS[kind] ?? null;
