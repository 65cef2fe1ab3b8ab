import type { Units } from '../../../../platform/money.ts';
import type { DepositStatus } from '../deposits/rules.ts';

export const ACTIONS = ['CREDIT', 'ASSIGN', 'RETURN', 'WRITE_OFF', 'ACKNOWLEDGE'] as const;
export type Action = (typeof ACTIONS)[number];

/** The facts that determine which actions staff may take on a deposit. */
export type ReviewFacts = {
  status: DepositStatus;
  hasOwner: boolean;
  /** True if the chain has confirmed the coins. */
  isConfirmed: boolean;
  /** True if the reported currency and network are listed on this site. */
  isListed: boolean;
  /** True if the provider has converted an unlisted coin to a listed one. */
  hasOutcome: boolean;
  hasFinding: boolean;
  /** USD value of the coins; null if no rate is known. */
  usdAmount: Units | null;
};

export type Thresholds = { approvalUsd: Units; writeOffBelowUsd: Units };
export type Refusal = 'DEPOSIT_NOT_REVIEWABLE' | 'DEPOSIT_OWNER_REQUIRED';

/** Returns the reason why an action is not possible, or undefined if the action is possible. */
export function refusalOf(
  action: Action,
  facts: ReviewFacts,
  { writeOffBelowUsd }: Pick<Thresholds, 'writeOffBelowUsd'>,
): Refusal | undefined {
  const { status, hasOwner, isConfirmed, isListed, hasOutcome, hasFinding, usdAmount } = facts;
  const isOpen = status === 'UNDER_REVIEW';
  const isWorthLittle = usdAmount !== null && usdAmount < writeOffBelowUsd;
  const isAllowed: Record<Action, boolean> = {
    CREDIT: isOpen && isConfirmed && (isListed || hasOutcome),
    ASSIGN: isOpen && isConfirmed && !hasOwner && (isListed || hasOutcome),
    RETURN: isOpen && isConfirmed && isListed,
    // Coins that are not confirmed or not listed may be written off at any value.
    WRITE_OFF: isOpen && (!isConfirmed || !isListed || isWorthLittle),
    ACKNOWLEDGE: !isOpen && hasFinding,
  };
  if (!isAllowed[action]) return 'DEPOSIT_NOT_REVIEWABLE';
  return action === 'CREDIT' && !hasOwner ? 'DEPOSIT_OWNER_REQUIRED' : undefined;
}

/** Returns the actions that are possible now. */
export const actionsFor = (facts: ReviewFacts, thresholds: Pick<Thresholds, 'writeOffBelowUsd'>): Action[] =>
  ACTIONS.filter((action) => refusalOf(action, facts, thresholds) === undefined);

/**
 * Returns true if a second person must approve. One person may credit the reported amount if its sum with the other credits that this
 * person made alone in the last day stays below the threshold.
 */
export function needsSecondPerson(
  action: Action,
  credit: { isOtherAmount: boolean; usdAmount: Units; aloneUsd: Units },
  { approvalUsd }: Pick<Thresholds, 'approvalUsd'>,
): boolean {
  if (action === 'ACKNOWLEDGE') return false;
  if (action !== 'CREDIT') return true;
  return credit.isOtherAmount || credit.usdAmount + credit.aloneUsd >= approvalUsd;
}

/** Returns the reference of a payout that returns a deposit. Each attempt has its own reference. */
export const returnReference = (depositId: string, attempt: number): string =>
  attempt === 1 ? `return:${depositId}` : `return:${depositId}.${attempt}`;

/** Returns true if a provider's reference belongs to a returned deposit. */
export const isReturn = (reference: string): boolean => reference.startsWith('return:');

export type ReturnStatus = 'QUEUED' | 'PROCESSING' | 'UNKNOWN_OUTCOME' | 'SENT' | 'COMPLETED' | 'FAILED';
const OPEN: readonly ReturnStatus[] = ['QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME'];

/**
 * Returns the status of a payout after a provider's report, or undefined if the report contains nothing new. The status only moves forward.
 * Returns `contradiction` if the provider reports that a payout was paid although its deposit is under review again, or that it failed
 * after its completion.
 */
export function nextReturnStatus(
  status: ReturnStatus,
  reported: 'PROCESSING' | 'SENT' | 'COMPLETED' | 'FAILED',
): ReturnStatus | 'contradiction' | undefined {
  if (OPEN.includes(status)) return reported === status ? undefined : reported;
  if (status === 'SENT') return reported === 'COMPLETED' || reported === 'FAILED' ? reported : undefined;
  const isPaid = reported === 'SENT' || reported === 'COMPLETED';
  if (status === 'FAILED') return isPaid ? 'contradiction' : undefined;
  return reported === 'FAILED' ? 'contradiction' : undefined;
}
