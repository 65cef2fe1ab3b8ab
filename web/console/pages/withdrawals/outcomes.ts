import type { Withdrawal } from '../../../../client/call.ts';
import { NEVER_RECEIVED } from '../../../../src/modules/money/payments/withdrawals/rules.ts';
import { plural } from '../../../kit/intl.ts';

type Found = Pick<Withdrawal, 'status' | 'confirmations' | 'failedReason'>;

/** Says what the provider has reported, and what happens next. `before`: the withdrawal as it was on the screen. */
export const foundFor = (before: Found, found: Found): string =>
  isUnchanged(before, found)
    ? (UNCHANGED[found.status] ?? 'The provider reports nothing new.')
    : stateOf(found);

/** True if the provider has reported nothing new. */
export const isUnchanged = (before: Found, found: Found): boolean =>
  found.status === before.status && found.confirmations === before.confirmations;

const UNCHANGED: Readonly<Record<string, string>> = {
  PROCESSING:
    'The provider reports nothing new. The payout is still being sent, and the platform keeps checking.',
  UNKNOWN_OUTCOME:
    'The provider has no news of this payout. The platform keeps checking. If this stays so, send it again.',
  SENT: 'The provider reports no new confirmations. The platform keeps checking.',
};

/** Says what “Send again” did to a withdrawal, and what happens next. */
export function retriedFor(before: Pick<Withdrawal, 'status'>, found: Found): string {
  if (found.status === 'APPROVED') return 'Queued. It goes to the provider within seconds.';
  const isFirstOfTwo = before.status === 'FAILED' && found.status === 'FAILED';
  if (isFirstOfTwo) return 'Approved by you. A second person must press “Send again”, too.';
  const isDebt = found.status === 'FAILED' && found.failedReason === NEVER_RECEIVED;
  if (isDebt)
    return 'Not sent again: the player owes money. The amount went back to the balance, where it pays the debt first.';
  return `Not sent again, because the provider has this payout. ${stateOf(found)}`;
}

function stateOf({ status, confirmations, failedReason }: Found): string {
  const confirmed = plural(confirmations, { one: '# confirmation', other: '# confirmations' });
  const states: Readonly<Record<string, string>> = {
    PROCESSING: 'The provider is sending it. The platform keeps checking.',
    SENT: `It is sent, with ${confirmed} so far. The platform keeps checking.`,
    COMPLETED: `It is paid, with ${confirmed}. Nothing is left to do.`,
    FAILED: `It failed (${failedReason ?? 'no reason given'}). The amount is back in the balance. You can send it again.`,
    APPROVED: 'The provider never received it. It is sent again within seconds.',
  };
  return states[status] ?? 'The status has changed.';
}
