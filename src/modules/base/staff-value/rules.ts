import type { Units } from '../../../platform/money.ts';

/** A staff action that creates or moves player funds. */
export type StaffValue = {
  /** Together with `input`, identifies the action. A second person approves the action by making the same call. */
  operation: string;
  input: Readonly<Record<string, string | number | boolean | null>>;
  /** The absolute USD value. Null if the value has no upper limit or there is no reliable exchange rate. */
  usdAmount: Units | null;
  recipients: readonly { userId: number; usdAmount: Units | null }[];
  reason?: string | undefined;
  /**
   * The people who set up the source of the payment. If all of them are treated as the same person as the caller, every amount needs a
   * second approver.
   */
  setUpBy?: readonly (number | null)[];
  /**
   * True if two people have approved the budget. The value then counts towards the recipients' totals, but no longer towards the caller's.
   */
  isBudgeted?: boolean;
};

/** Who must approve an action: no one else, a second person, or a superadmin because the value exceeds the caller's limit. */
export const APPROVALS = ['NONE', 'SECOND_PERSON', 'SUPERADMIN'] as const;
export type ApprovalNeeded = (typeof APPROVALS)[number];

/**
 * USD value that was moved within 24 hours without a second person: by this staff member in total, and for each recipient by any staff
 * member.
 */
type Sums = { ofActorUsd: Units; ofRecipientsUsd: readonly Units[] };
/**
 * The USD value of an action: the total, and the value per recipient in the order of the recipients. Null if the value has no upper limit
 * or no reliable rate.
 */
type Amounts = { usdAmount: Units | null; recipientsUsd: readonly (Units | null)[] };

/**
 * Returns true if a second person must approve, because the amounts reach the threshold or the value is unknown. Returns false for a value
 * of zero.
 */
export function needsAnother(amounts: Amounts, sums: Sums, thresholdUsd: Units): boolean {
  const { usdAmount, recipientsUsd } = amounts;
  const reaches = (usd: Units | null, before: Units): boolean =>
    usd === null || (usd > 0n && before + usd >= thresholdUsd);
  return (
    reaches(usdAmount, sums.ofActorUsd) ||
    recipientsUsd.some((usd, i) => reaches(usd, sums.ofRecipientsUsd[i] ?? 0n))
  );
}

/** Returns true if an action exceeds the value that staff below superadmin may move within 24 hours, with or without a second person. */
export const exceedsLimit = (usdAmount: Units | null, movedUsd: Units, limitUsd: Units): boolean =>
  usdAmount === null || (usdAmount > 0n && movedUsd + usdAmount > limitUsd);
