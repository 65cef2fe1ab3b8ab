import { createHash } from 'node:crypto';
import { ONE, type Units } from '../../../../platform/money.ts';

/** Statuses that the API shows. */
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
export type ShownStatus = (typeof DEPOSIT_STATUSES)[number];

/** Stored statuses. RETURNING and WRITTEN_OFF result from staff reviews. */
export type DepositStatus = ShownStatus | 'RETURNING' | 'WRITTEN_OFF';

/** Maps a stored status to the status that the API shows. */
export function shownStatus(status: DepositStatus): ShownStatus {
  if (status === 'RETURNING') return 'UNDER_REVIEW';
  return status === 'WRITTEN_OFF' ? 'FAILED' : status;
}

/** Returns the stored statuses that the API shows as this one. */
export const statusesShownAs = (status: ShownStatus): DepositStatus[] => [
  status,
  ...(['RETURNING', 'WRITTEN_OFF'] as const).filter((stored) => shownStatus(stored) === status),
];

/** The statuses to which every uncredited deposit can change. */
const ENDS = ['UNDER_REVIEW', 'ON_HOLD', 'FAILED', 'REVERSED'] as const;

/**
 * Every transition that a provider's report may cause. An expired or failed deposit can still be paid, because coins on the chain take
 * precedence over an earlier report. COMPLETED and ON_HOLD are credited. Only staff can end UNDER_REVIEW: see `reviews/`.
 */
const TRANSITIONS: Readonly<Record<DepositStatus, readonly DepositStatus[]>> = {
  CREATED: ['DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS],
  DETECTED: ['CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS],
  PARTIALLY_PAID: ['CONFIRMING', 'COMPLETED', 'EXPIRED', ...ENDS],
  EXPIRED: ['CONFIRMING', 'COMPLETED', ...ENDS],
  CONFIRMING: ['COMPLETED', ...ENDS],
  FAILED: ['COMPLETED', 'UNDER_REVIEW', 'ON_HOLD', 'REVERSED'],
  UNDER_REVIEW: ['REVERSED'],
  RETURNING: [],
  WRITTEN_OFF: ['REVERSED'],
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

/** A transaction's output as a provider identifies it. */
type Output = { networkId: string; txHash: string | null; outputIndex: number };

/** The maximum length of a hash in characters; networks use 44 to 88. A longer hash would not fit into a ledger key. */
const MAX_HASH_LENGTH = 100;
const HEX = /^(0x)?[0-9a-f]+$/;
const HEX_64 = /^(0x)?[0-9a-f]{64}$/i;
/** Networks with base58 transaction ids, in which letter case matters. */
const BASE58_NETWORKS: ReadonlySet<string> = new Set(['solana']);

/** Returns a hash as it is stored: in lower case, except in base58, where letter case matters. */
export const storedHash = (networkId: string, txHash: string): string =>
  BASE58_NETWORKS.has(networkId) && !HEX_64.test(txHash) ? txHash : txHash.toLowerCase();

/**
 * Returns the canonical name of an output, or undefined while the output is unknown. In hexadecimal hashes, letter case and a leading 0x
 * are ignored.
 */
export function outputKey({ networkId, txHash, outputIndex }: Output): string | undefined {
  return txHash === null ? undefined : `${networkId}:${hashKey(networkId, txHash)}:${outputIndex}`;
}

/** Returns every form in which the same hash may be stored. */
export function hashForms(networkId: string, txHash: string): string[] {
  const stored = storedHash(networkId, txHash);
  if (!HEX.test(stored)) return [...new Set([stored, txHash])];
  const digits = stored.replace(/^0x/, '');
  return [...new Set([digits, `0x${digits}`, txHash])];
}

function hashKey(networkId: string, txHash: string): string {
  const stored = storedHash(networkId, txHash);
  const name = HEX.test(stored) ? stored.replace(/^0x/, '') : stored;
  return name.length <= MAX_HASH_LENGTH ? name : createHash('sha256').update(name).digest('hex');
}

const BECH32_FORM = /^((bc|ltc)1[02-9ac-hj-np-z]+|(BC|LTC)1[02-9AC-HJ-NP-Z]+)$/;

/**
 * Returns the key under which an address is stored and found. In hexadecimal addresses, letter case is only a checksum. Addresses in bech32
 * may be written in capital letters.
 */
export const addressKey = (address: string): string =>
  /^0x[0-9a-f]{40}$/i.test(address) || BECH32_FORM.test(address) ? address.toLowerCase() : address;

/**
 * Returns the status of a deposit after a report. COMPLETED needs a transaction and the network's required number of confirmations. If a
 * report contains 0 confirmations, the provider's status applies.
 */
export function statusOf(
  report: { status: DepositStatus; confirmations: number; txHash: string | null },
  required: number,
): DepositStatus {
  if (report.status !== 'COMPLETED') return report.status;
  const isShallow = report.confirmations > 0 && report.confirmations < required;
  return isShallow || report.txHash === null ? 'CONFIRMING' : 'COMPLETED';
}

/** The data of a report, or of earlier reports about the same output. */
type Reported = {
  userId: number | null;
  currencyId: string;
  networkId: string;
  amount: Units;
  status: DepositStatus;
};

/**
 * Returns true if the amount may differ: late payments may have another amount, and the amount of a partial payment increases with each
 * transfer.
 */
const isOpenAmount = (before: DepositStatus, now: DepositStatus): boolean =>
  ['PARTIALLY_PAID', 'EXPIRED'].includes(before) || ['PARTIALLY_PAID', 'EXPIRED', 'FAILED'].includes(now);

/** Returns how a report differs from the earlier reports about the same output. */
export function differences(before: Reported, now: Reported): string[] {
  const isSameAmount = before.amount === now.amount || isOpenAmount(before.status, now.status);
  return [
    before.userId === now.userId ? [] : ['USER_DIFFERS'],
    before.currencyId === now.currencyId ? [] : ['CURRENCY_DIFFERS'],
    before.networkId === now.networkId ? [] : ['NETWORK_DIFFERS'],
    isSameAmount ? [] : ['AMOUNT_DIFFERS'],
  ].flat();
}

/** The reason that is recorded on a deposit to an address that belongs to no player. */
export const ADDRESS_UNKNOWN = 'ADDRESS_UNKNOWN';

/** Above this value in US dollars, the amount of a deposit is assumed to be wrong, for example because of a misplaced decimal point. */
const ABSURD_USD: Units = 1_000_000_000n * ONE;

/** Returns the reasons why staff must review an amount before it is credited. */
export function objectionsTo(amount: Units, { min, usd }: { min: Units; usd: Units }): string[] {
  if (amount === 0n || amount < min) return ['BELOW_MINIMUM'];
  return usd > ABSURD_USD ? ['AMOUNT_ABSURD'] : [];
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const BECH32 = '[02-9ac-hj-np-z]';
/** The patterns of addresses by kind. A match does not prove that an address is valid; only its checksum does. */
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

/** Returns the regular expression for addresses of a kind, or null if there is none. */
export const addressPatternOf = (kind: string): string | null => PATTERNS[kind] ?? null;

/** Returns true if a text is a UUID, as all deposit ids are. PostgreSQL rejects any other text. */
export const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
