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

/** What may end any deposit that is not credited. */
const ENDS = ['UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'FAILED', 'REVERSED'] as const;

/**
 * Which status may follow which: there is no way back. What expired or failed can still be paid: coins on the chain are
 * stronger than what was said before. COMPLETED and ON_HOLD are credited.
 */
const FOLLOWS: Readonly<Record<DepositStatus, readonly DepositStatus[]>> = {
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

export const mayFollow = (from: DepositStatus, to: DepositStatus): boolean => FOLLOWS[from].includes(to);

/** Those that may still be completed, without the ones of which nothing is expected any more. */
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

/** Names an output once and for all: the case of hexadecimal digits and a leading 0x say nothing. Undefined: not known yet. */
export function outputKey({ networkId, txHash, outputIndex }: Output): string | undefined {
  return txHash === null ? undefined : `${networkId}:${hashKey(txHash)}:${outputIndex}`;
}

/** A hash as it is kept: hexadecimal digits in small letters. */
export const keptHash = (txHash: string): string => (HEX.test(txHash) ? txHash.toLowerCase() : txHash);

/** Every form in which the same hash may be kept. */
export function hashForms(txHash: string): string[] {
  const kept = keptHash(txHash);
  if (!HEX.test(txHash)) return [kept];
  const digits = kept.replace('0x', '');
  return [digits, `0x${digits}`];
}

function hashKey(txHash: string): string {
  if (HEX.test(txHash)) return txHash.toLowerCase().replace('0x', '');
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
 * What a notice means. COMPLETED needs the depth that we ask of the network and a transaction to credit; a notice that counts no
 * confirmations (0) leaves the depth to its provider.
 */
export function meantBy(
  notice: { status: DepositStatus; confirmations: number; txHash: string | null },
  required: number,
): DepositStatus {
  if (notice.status !== 'COMPLETED') return notice.status;
  const isShallow = notice.confirmations > 0 && notice.confirmations < required;
  return isShallow || notice.txHash === null ? 'CONFIRMING' : 'COMPLETED';
}

/** What was announced, or is said now. */
export type Said = {
  userId: number | null;
  currencyId: string;
  networkId: string;
  amount: Units;
  status: DepositStatus;
};

/** What comes late may be another amount, and the parts of a partial payment add up on their way. */
const isOpenAmount = (before: DepositStatus, now: DepositStatus): boolean =>
  ['PARTIALLY_PAID', 'EXPIRED'].includes(before) || ['PARTIALLY_PAID', 'EXPIRED', 'FAILED'].includes(now);

/** In what a notice differs from what was announced for the same output. */
export function differences(before: Said, now: Said): string[] {
  const isSameAmount = before.amount === now.amount || isOpenAmount(before.status, now.status);
  return [
    before.userId === now.userId ? [] : ['USER_DIFFERS'],
    before.currencyId === now.currencyId ? [] : ['CURRENCY_DIFFERS'],
    before.networkId === now.networkId ? [] : ['NETWORK_DIFFERS'],
    isSameAmount ? [] : ['AMOUNT_DIFFERS'],
  ].flat();
}

/** More dollars than anybody pays in: somebody's comma is in the wrong place. */
const ABSURD_USD: Units = 1_000_000_000n * ONE;

/** Why an amount is not credited before somebody has looked at it. */
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

/** A regular expression for addresses of a kind; null for a kind that nobody has described. */
export const addressPatternOf = (kind: string): string | null => PATTERNS[kind] ?? null;
