import { ONE, type Rate, type Units, units } from '../../../../platform/money.ts';

export const STATUSES = [
  ...(['WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME'] as const),
  ...(['SENT', 'COMPLETED', 'REJECTED', 'CANCELLED', 'FAILED'] as const),
] as const;
export type WithdrawalStatus = (typeof STATUSES)[number];

/** Every change that there is. APPROVED is also where a withdrawal returns to that the provider certainly never heard of. */
const STEPS: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  WAITING_FOR_APPROVAL: ['APPROVED', 'REJECTED', 'CANCELLED'],
  ON_HOLD: ['WAITING_FOR_APPROVAL', 'APPROVED', 'REJECTED'],
  APPROVED: ['ON_HOLD', 'PROCESSING', 'SENT', 'COMPLETED', 'FAILED'],
  PROCESSING: ['APPROVED', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED', 'FAILED'],
  UNKNOWN_OUTCOME: ['APPROVED', 'PROCESSING', 'SENT', 'COMPLETED', 'FAILED'],
  SENT: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  REJECTED: [],
  CANCELLED: [],
  FAILED: ['APPROVED'],
};
export const mayBecome = (from: WithdrawalStatus, to: WithdrawalStatus): boolean => STEPS[from].includes(to);

/** The money lies in the player's hold. */
export const HELD = STATUSES.slice(0, 5);
/** The money has left. */
export const GONE: readonly WithdrawalStatus[] = ['SENT', 'COMPLETED'];
const isHeld = (status: WithdrawalStatus) => HELD.includes(status);
const isGone = (status: WithdrawalStatus) => GONE.includes(status);

/** The legs of a change in their order: `hold` cash → hold, `sent` hold → treasury and fees, `return` back, `release` hold → cash. */
export type Leg = 'hold' | 'sent' | 'return' | 'release';
export function legsOf(from: WithdrawalStatus, to: WithdrawalStatus): Leg[] {
  if (isHeld(from)) return isHeld(to) ? [] : isGone(to) ? ['sent'] : ['release'];
  if (isGone(from)) return isGone(to) ? [] : ['return', 'release'];
  return isHeld(to) ? ['hold'] : [];
}

/** What the provider says of a payout. */
export type Told = { status: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED'; confirmations: number };

/**
 * What a withdrawal becomes by what the provider says: it only moves forward. `contradiction`: coins are said to have left that
 * were given back, or to have come back after they had arrived. Undefined: nothing new.
 */
export function stepBy(
  status: WithdrawalStatus,
  told: Told,
  requiredConfirmations: number,
): WithdrawalStatus | 'contradiction' | undefined {
  const isDeep = told.status === 'SENT' && told.confirmations >= requiredConfirmations;
  const next = isDeep ? 'COMPLETED' : told.status;
  if (next === status) return undefined;
  if (mayBecome(status, next)) return next;
  const gaveBack = !isHeld(status) && !isGone(status);
  if (gaveBack ? isGone(next) : status === 'COMPLETED' && next === 'FAILED') return 'contradiction';
  return undefined;
}

/** Seconds until the worker looks at it again, by state and how often it has. Undefined: never by itself. */
export function checkAfterSeconds(status: WithdrawalStatus, checks: number): number | undefined {
  const first = FIRST_CHECK_SECONDS[status];
  return first === undefined ? undefined : Math.min(first * 2 ** Math.min(checks, 12), 3600);
}
const FIRST_CHECK_SECONDS: Partial<Record<WithdrawalStatus, number>> = {
  APPROVED: 5,
  // Longer than any answer takes: what has none by then was left behind by a process that died.
  PROCESSING: 60,
  UNKNOWN_OUTCOME: 5,
  SENT: 300,
};

/** Its name at the provider; each attempt has one of its own. */
export const referenceOf = (id: string, attempt: number): string => (attempt === 1 ? id : `${id}.${attempt}`);
/** The withdrawal that a reference names. Undefined: none of ours. */
export const idIn = (reference: string): string | undefined =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.\d{1,4})?$/.exec(reference)?.[1];

// ---------------------------------------------------------------- amounts

/** A method's limits for one withdrawal. */
export type Terms = { minWithdraw: Units; minUsd: Units; rate: Rate; isPriced: boolean };

/** The least that is paid out: the network's own minimum, or the site's in dollars, rounded up to a unit. */
export function minimumOf({ minWithdraw, minUsd, rate, isPriced }: Terms): Units {
  if (!isPriced || minUsd === 0n) return minWithdraw;
  const scaled = minUsd * RATE_SCALE;
  const bySite = (scaled + rate - 1n) / rate;
  return bySite > minWithdraw ? bySite : minWithdraw;
}
const RATE_SCALE = 10_000n * ONE;

/** A destination tag of ripple is a whole number of 32 bits; elsewhere a memo is text. */
export const isMemo = (kind: string | null, memo: string): boolean =>
  kind === 'xrp'
    ? /^(0|[1-9]\d{0,9})$/.test(memo) && Number(memo) < 2 ** 32
    : /^[\x20-\x7E]{1,100}$/.test(memo);

const CASH_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_ADDRESS = /^(?:bitcoincash:)?([qp][02-9ac-hj-np-z]{41})$/;
const CASH_GENERATOR = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** Whether a text is a CashAddr of Bitcoin Cash with its checksum. */
export function isCashAddress(text: string): boolean {
  const payload = CASH_ADDRESS.exec(text)?.[1];
  if (!payload) return false;
  const prefix = [...'bitcoincash'].map((letter) => letter.charCodeAt(0) & 31);
  const values = [...prefix, 0, ...[...payload].map((letter) => CASH_LETTERS.indexOf(letter))];
  const sum = values.reduce((before, value) => {
    const top = before >> 35n;
    const next = ((before & 0x07_ffff_ffffn) << 5n) ^ BigInt(value);
    return CASH_GENERATOR.reduce((all, part, i) => ((top >> BigInt(i)) & 1n ? all ^ part : all), next);
  }, 1n);
  return sum === 1n;
}

// ---------------------------------------------------------------- who may, and who looks

/** A sum in dollars. Null: a part of it has no price, so that nobody knows. */
export const plusUsd = (a: Units | null, b: Units | null): Units | null =>
  a === null || b === null ? null : a + b;

type Thresholds = { kycThresholdUsd: string; kycSingleThresholdUsd: string };
export type Identified = { kycLevel: number; depositsUsd: Units };

/** The level from which on identity counts as verified. */
const IDENTITY_LEVEL = 2;

/** Whether identity has to be verified because of what was deposited. */
export const needsIdentity = ({ kycLevel, depositsUsd }: Identified, thresholdUsd: string): boolean =>
  kycLevel < IDENTITY_LEVEL && depositsUsd >= units(thresholdUsd);

/**
 * The tier that has to be approved before money leaves. `recentUsd` is what has left lately or may still leave, `usdAmount` what is
 * asked for (undefined: the least that there is); null: it has no price.
 */
export function kycTierFor(
  who: Identified & { recentUsd: Units | null; usdAmount?: Units | null | undefined },
  { kycThresholdUsd, kycSingleThresholdUsd }: Thresholds,
): 'IDENTITY' | null {
  const { usdAmount = 1n } = who;
  const left = beforeIdentity(who, kycSingleThresholdUsd);
  const isSmall = left === null || (usdAmount !== null && usdAmount <= left);
  return isSmall && !needsIdentity(who, kycThresholdUsd) ? null : 'IDENTITY';
}

/** The most dollars that still leave the sum below the threshold; below zero where it is reached already. Null: any. */
export function beforeIdentity(
  { kycLevel, recentUsd }: { kycLevel: number; recentUsd: Units | null },
  thresholdUsd: string,
): Units | null {
  if (kycLevel >= IDENTITY_LEVEL) return null;
  return recentUsd === null ? -1n : units(thresholdUsd) - 1n - recentUsd;
}

export type RiskFacts = {
  worstNote: string | null;
  hasSecondFactor: boolean;
  isNewAddress: boolean;
  isFirst: boolean;
  /** Of his address now and of his account; null: not known. */
  country: string | null;
  accountCountry: string | null;
  /** He owes what was taken back from him. */
  owes: boolean;
  /** He is excluded, and what he deposited need not be wagered. */
  isTurnoverWaived: boolean;
};

const POINTS = {
  NOTE_HIGH: 100,
  NOTE_MEDIUM: 40,
  NO_SECOND_FACTOR: 10,
  NEW_ADDRESS: 10,
  FIRST_WITHDRAWAL: 10,
  OTHER_COUNTRY: 25,
  OPEN_CLAIM: 100,
  TURNOVER_WAIVED: 40,
} as const;
export type RiskReason = keyof typeof POINTS;

/** How much of a risk a withdrawal is: points from 0 to 100, and for what. */
export function riskOf(facts: RiskFacts): { score: number; reasons: RiskReason[] } {
  const { country, accountCountry } = facts;
  const applies: Record<RiskReason, boolean> = {
    NOTE_HIGH: facts.worstNote === 'HIGH',
    NOTE_MEDIUM: facts.worstNote === 'MEDIUM',
    NO_SECOND_FACTOR: !facts.hasSecondFactor,
    NEW_ADDRESS: facts.isNewAddress,
    FIRST_WITHDRAWAL: facts.isFirst,
    OTHER_COUNTRY: country !== null && accountCountry !== null && country !== accountCountry,
    OPEN_CLAIM: facts.owes,
    TURNOVER_WAIVED: facts.isTurnoverWaived,
  };
  const reasons = (Object.keys(POINTS) as RiskReason[]).filter((reason) => applies[reason]);
  const score = reasons.reduce((sum, reason) => sum + POINTS[reason], 0);
  return { score: Math.min(score, HIGHEST_RISK), reasons };
}
const HIGHEST_RISK = 100;

export type HoldReason = 'SECOND_FACTOR_RESET' | 'NEW_ADDRESS' | 'UNPRICED' | 'RISK';

/** `releaseAt` undefined: until staff has looked. */
export type Start =
  | { status: 'WAITING_FOR_APPROVAL' | 'APPROVED' }
  | { status: 'ON_HOLD'; reason: HoldReason; releaseAt?: Date };

export type StartFacts = {
  at: Date;
  isPriced: boolean;
  usdAmount: Units;
  /** What else has left within a day or may still leave; null: a part of it has no price. */
  dayUsd: Units | null;
  risk: { score: number };
  accountSince: Date;
  /** When a recovery code last replaced the second factor. */
  factorResetAt: Date | null;
  /** When this recipient was first asked for; null: never. */
  addressSince: Date | null;
};

type StartRules = {
  autoApproveLimitUsd: string;
  autoApproveMinAccountDays: number;
  autoApproveMaxRisk: number;
  newAddressDelayHours: number;
  fourEyesThresholdUsd: string;
};

const HOUR_MS = 3_600_000;
/** Whoever has a stolen recovery code does not get the money on the same day. */
const RESET_HOLD_HOURS = 24;

/** Where a valid request begins: held for somebody to look or for a time, waiting, or approved by rule. */
export function startOf(facts: StartFacts, rules: StartRules): Start {
  const { at, factorResetAt, addressSince, isPriced, risk, accountSince } = facts;
  if (!isPriced) return { status: 'ON_HOLD', reason: 'UNPRICED' };
  if (risk.score >= HIGHEST_RISK) return { status: 'ON_HOLD', reason: 'RISK' };
  const waits: { reason: HoldReason; releaseAt: Date }[] = [
    { reason: 'SECOND_FACTOR_RESET' as const, releaseAt: hoursAfter(factorResetAt, RESET_HOLD_HOURS) },
    { reason: 'NEW_ADDRESS' as const, releaseAt: hoursAfter(addressSince ?? at, rules.newAddressDelayHours) },
  ].filter(({ releaseAt }) => releaseAt > at);
  const longest = waits.sort((a, b) => Number(b.releaseAt) - Number(a.releaseAt))[0];
  if (longest) return { status: 'ON_HOLD', ...longest };
  const accountDays = (Number(at) - Number(accountSince)) / (24 * HOUR_MS);
  const limit = units(rules.autoApproveLimitUsd);
  const sum = plusUsd(facts.dayUsd, facts.usdAmount);
  const isAutomatic =
    limit > 0n &&
    sum !== null &&
    sum <= limit &&
    !needsFourEyes(sum, units(rules.fourEyesThresholdUsd)) &&
    accountDays >= rules.autoApproveMinAccountDays &&
    risk.score <= rules.autoApproveMaxRisk;
  return { status: isAutomatic ? 'APPROVED' : 'WAITING_FOR_APPROVAL' };
}
const hoursAfter = (at: Date | null, hours: number) => new Date(Number(at ?? 0) + hours * HOUR_MS);

/** Whether two of the staff have to approve: also where nobody knows how much it is worth (null). */
export const needsFourEyes = (usd: Units | null, thresholdUsd: Units): boolean =>
  usd === null || usd >= thresholdUsd;

// ---------------------------------------------------------------- counters

export type Stats = Record<'total' | 'waitingForApproval' | 'approved' | 'rejected' | 'failed', number>;

const COUNTED_AS: Readonly<Record<WithdrawalStatus, Exclude<keyof Stats, 'total'>>> = {
  WAITING_FOR_APPROVAL: 'waitingForApproval',
  ON_HOLD: 'waitingForApproval',
  APPROVED: 'approved',
  PROCESSING: 'approved',
  UNKNOWN_OUTCOME: 'approved',
  SENT: 'approved',
  COMPLETED: 'approved',
  REJECTED: 'rejected',
  CANCELLED: 'rejected',
  FAILED: 'failed',
};

/** The counters of how many withdrawals there are in each state. */
export function statsOf(counts: ReadonlyMap<WithdrawalStatus, number>): Stats {
  const stats: Stats = { total: 0, waitingForApproval: 0, approved: 0, rejected: 0, failed: 0 };
  for (const [status, count] of counts) {
    stats.total += count;
    stats[COUNTED_AS[status]] += count;
  }
  return stats;
}
