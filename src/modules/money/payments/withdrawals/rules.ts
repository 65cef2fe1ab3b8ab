import { type Units, units } from '../../../../platform/money.ts';

export const STATUSES = [
  'WAITING_FOR_APPROVAL',
  'ON_HOLD',
  'APPROVED',
  'PROCESSING',
  'UNKNOWN_OUTCOME',
  'SENT',
  'COMPLETED',
  'REJECTED',
  'CANCELLED',
  'FAILED',
] as const;
export type WithdrawalStatus = (typeof STATUSES)[number];

/** Every allowed transition. A withdrawal that the provider definitely never received returns to APPROVED. */
const TRANSITIONS: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
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
export const canTransition = (from: WithdrawalStatus, to: WithdrawalStatus): boolean =>
  TRANSITIONS[from].includes(to);

/** UNKNOWN_OUTCOME is shown to players as PROCESSING. Staff resolve it. */
export const playerStatusOf = (status: WithdrawalStatus) =>
  status === 'UNKNOWN_OUTCOME' ? ('PROCESSING' as const) : status;
/** Returns the statuses that are shown to players as this one. */
export const statusesOf = (status: WithdrawalStatus): WithdrawalStatus[] =>
  status === 'PROCESSING' ? ['PROCESSING', 'UNKNOWN_OUTCOME'] : [status];

/** Statuses in which the money is in the player's `hold` account. */
export const HELD = STATUSES.slice(0, 5);
/** Statuses in which staff, the worker or the provider still have to do something. */
export const OPEN = STATUSES.slice(0, 6);
/**
 * Statuses in which a withdrawal waits for staff, who decide about it or find out whether it was paid. A temporary hold counts, because
 * staff may decide before it ends.
 */
export const WAITING: readonly WithdrawalStatus[] = ['WAITING_FOR_APPROVAL', 'ON_HOLD', 'UNKNOWN_OUTCOME'];
/** Statuses in which the money has left the platform. */
export const GONE: readonly WithdrawalStatus[] = ['SENT', 'COMPLETED'];
const isHeld = (status: WithdrawalStatus) => HELD.includes(status);
const isGone = (status: WithdrawalStatus) => GONE.includes(status);

/**
 * The ledger entries that a withdrawal can have, in order: `hold` cash → hold, `sent` hold → treasury and fees, `return` reverses `sent`,
 * `release` hold → cash.
 */
export type Leg = 'hold' | 'sent' | 'return' | 'release';
export function legsOf(from: WithdrawalStatus, to: WithdrawalStatus): Leg[] {
  if (isHeld(from)) return isHeld(to) ? [] : isGone(to) ? ['sent'] : ['release'];
  if (isGone(from)) return isGone(to) ? [] : ['return', 'release'];
  return isHeld(to) ? ['hold'] : [];
}

/** A provider's report about a payout. */
export type Reported = { status: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED'; confirmations: number };

/**
 * Returns the status that follows from a provider's report. A withdrawal only moves forward. Returns `contradiction` if the provider
 * reports a payment although the money was returned to the player, or a failure after completion. Returns undefined if the report contains
 * nothing new.
 */
export function nextStatus(
  status: WithdrawalStatus,
  reported: Reported,
  requiredConfirmations: number,
): WithdrawalStatus | 'contradiction' | undefined {
  const isDeep = reported.status === 'SENT' && reported.confirmations >= requiredConfirmations;
  const next = isDeep ? 'COMPLETED' : reported.status;
  if (canTransition(status, next)) return next;
  const gaveBack = !isHeld(status) && !isGone(status);
  if (gaveBack ? isGone(next) : status === 'COMPLETED' && next === 'FAILED') return 'contradiction';
  return undefined;
}

/**
 * Returns the seconds until the worker's next check, by status and number of checks so far. Returns undefined if the worker never checks
 * this status.
 */
export function checkAfterSeconds(status: WithdrawalStatus, checks: number): number | undefined {
  const first = FIRST_CHECK_SECONDS[status];
  return first === undefined ? undefined : Math.min(first * 2 ** Math.min(checks, 12), 3600);
}
const FIRST_CHECK_SECONDS: Partial<Record<WithdrawalStatus, number>> = {
  APPROVED: 5,
  // This is longer than any request takes. If no response has been recorded by then, the process that sent the payout has died.
  PROCESSING: 60,
  UNKNOWN_OUTCOME: 5,
  SENT: 300,
};

/** Returns the reference of a payout at the provider. Each attempt has its own reference. */
export const referenceOf = (id: string, attempt: number): string => (attempt === 1 ? id : `${id}.${attempt}`);
/** Returns the id of the withdrawal that a reference belongs to, or undefined if it is not one of our references. */
export const idIn = (reference: string): string | undefined =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.\d{1,4})?$/.exec(reference)?.[1];

/** The failure reason of a withdrawal whose payout the provider definitely does not have. */
export const NEVER_RECEIVED = 'the provider never received it';

/** The rolling periods over which withdrawals are added up for the four-eyes rule and for identity verification. */
export const FOUR_EYES_HOURS = 24;
export const KYC_HOURS = 30 * 24;

// ---------------------------------------------------------------- identity, risk and review

/** Returns the sum in US dollars, or null if any of the amounts has no price. */
export const plusUsd = (a: Units | null, b: Units | null): Units | null =>
  a === null || b === null ? null : a + b;

type Thresholds = { kycThresholdUsd: string; kycSingleThresholdUsd: string };
export type Identified = { kycLevel: number; depositsUsd: Units };

/** The KYC level from which a player's identity is verified. */
const IDENTITY_LEVEL = 2;

/** Returns true if the player's deposits require identity verification. */
export const needsIdentity = ({ kycLevel, depositsUsd }: Identified, thresholdUsd: string): boolean =>
  kycLevel < IDENTITY_LEVEL && depositsUsd >= units(thresholdUsd);

/**
 * Returns the KYC tier that a player needs for a withdrawal, or null if none is needed. `recentUsd`: withdrawals sent within KYC_HOURS or
 * pending. `usdAmount`: this withdrawal (undefined: the smallest possible amount). A null in either means that an amount has no price.
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

/** Returns the US dollars left before identity verification is required: negative if it is already required, null if there is no limit. */
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
  /** The country of the player's current IP address; null if unknown. `accountCountry` is the country of the player's account. */
  country: string | null;
  accountCountry: string | null;
  /** True if the player has self-excluded. Their deposits need not be wagered then. */
  isTurnoverWaived: boolean;
};

const POINTS = {
  NOTE_HIGH: 100,
  NOTE_MEDIUM: 40,
  NO_SECOND_FACTOR: 10,
  NEW_ADDRESS: 10,
  FIRST_WITHDRAWAL: 10,
  OTHER_COUNTRY: 25,
  TURNOVER_WAIVED: 40,
} as const;
export type RiskReason = keyof typeof POINTS;

/** Returns the risk score of a withdrawal, 0 to 100, and its reasons. */
export function riskOf(facts: RiskFacts): { score: number; reasons: RiskReason[] } {
  const { country, accountCountry } = facts;
  const applies: Record<RiskReason, boolean> = {
    NOTE_HIGH: facts.worstNote === 'HIGH',
    NOTE_MEDIUM: facts.worstNote === 'MEDIUM',
    NO_SECOND_FACTOR: !facts.hasSecondFactor,
    NEW_ADDRESS: facts.isNewAddress,
    FIRST_WITHDRAWAL: facts.isFirst,
    OTHER_COUNTRY: country !== null && accountCountry !== null && country !== accountCountry,
    TURNOVER_WAIVED: facts.isTurnoverWaived,
  };
  const reasons = (Object.keys(POINTS) as RiskReason[]).filter((reason) => applies[reason]);
  const score = reasons.reduce((sum, reason) => sum + POINTS[reason], 0);
  return { score: Math.min(score, HIGHEST_RISK), reasons };
}
const HIGHEST_RISK = 100;

/** Returns the points that each of these reasons adds to a score. Reasons of earlier versions have none. */
export const pointsOf = (reasons: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    reasons.flatMap((reason) =>
      Object.hasOwn(POINTS, reason) ? [[reason, POINTS[reason as RiskReason]]] : [],
    ),
  );

export type HoldReason = 'SECOND_FACTOR_RESET' | 'NEW_ADDRESS' | 'UNPRICED' | 'RISK';

/** If `releaseAt` is missing, the withdrawal is on hold until staff review it. */
export type InitialStatus =
  | { status: 'WAITING_FOR_APPROVAL' | 'APPROVED' }
  | { status: 'ON_HOLD'; reason: HoldReason; releaseAt?: Date };

export type InitialFacts = {
  at: Date;
  isPriced: boolean;
  usdAmount: Units;
  /** The sum of other withdrawals that are pending or were sent within FOUR_EYES_HOURS. Null if one of them has no price. */
  dayUsd: Units | null;
  risk: { score: number };
  accountSince: Date;
  /** When the second factor was last reset with a recovery code. */
  factorResetAt: Date | null;
  /** When the player first requested a withdrawal to this recipient; null if never. */
  addressSince: Date | null;
};

type InitialRules = {
  autoApproveLimitUsd: string;
  autoApproveMinAccountDays: number;
  autoApproveMaxRisk: number;
  newAddressDelayHours: number;
  /** The lowest four-eyes threshold in the last 24 hours. */
  fourEyesUsd: Units;
};

const HOUR_MS = 3_600_000;
/** A thief with a stolen recovery code must not be able to withdraw the money on the same day. */
const RESET_HOLD_HOURS = 24;

/** Returns the first status of a valid request: on hold for review or for a period, waiting for approval, or approved automatically. */
export function initialStatus(facts: InitialFacts, rules: InitialRules): InitialStatus {
  const { at, factorResetAt, addressSince, isPriced, risk, accountSince } = facts;
  if (!isPriced) return { status: 'ON_HOLD', reason: 'UNPRICED' };
  if (risk.score >= HIGHEST_RISK) return { status: 'ON_HOLD', reason: 'RISK' };
  // A concurrent request may have recorded the first use of the same address slightly later than `at`.
  const since = addressSince !== null && addressSince < at ? addressSince : at;
  const waits: { reason: HoldReason; releaseAt: Date }[] = [
    { reason: 'SECOND_FACTOR_RESET' as const, releaseAt: hoursAfter(factorResetAt, RESET_HOLD_HOURS) },
    { reason: 'NEW_ADDRESS' as const, releaseAt: hoursAfter(since, rules.newAddressDelayHours) },
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
    !needsFourEyes(sum, rules.fourEyesUsd) &&
    accountDays >= rules.autoApproveMinAccountDays &&
    risk.score <= rules.autoApproveMaxRisk;
  return { status: isAutomatic ? 'APPROVED' : 'WAITING_FOR_APPROVAL' };
}
const hoursAfter = (at: Date | null, hours: number) => new Date(Number(at ?? 0) + hours * HOUR_MS);

/** Returns true if two staff members must approve. If the value has no price (null), two must approve. */
export const needsFourEyes = (usd: Units | null, thresholdUsd: Units): boolean =>
  usd === null || usd >= thresholdUsd;
