import { errors } from '../../../../platform/errors.ts';

/** Errors with the sportsbook's own codes. Each error is final. The sportsbook resends a call that gets neither 200 nor 400. */
export const sportsbookErrors = errors({
  'error.general': [400, 'The bet has ended and can no longer change.'],
  'error.request.invalid': [400, 'The request is invalid; see details.'],
  'error.user.not-found': [400, 'The player does not exist.'],
  'error.retry.incorrect': [
    400,
    'The id belongs to another transaction, or was rolled back before it arrived.',
  ],
  'limit.exceeded': [400, "The transaction would exceed one of the player's gambling limits."],
  'decline.limit.conflict': [400, "The player's limits do not allow the transaction."],
  'decline.balance.conflict': [400, "The player's balance does not allow the transaction."],
  'decline.parent.notfound': [400, 'The bet or parent transaction does not exist.'],
  'decline.parent.failed': [400, 'The parent transaction was rejected or rolled back.'],
  'decline.player.blocked': [400, 'The player is banned.'],
  'decline.lowbalance': [400, 'The balance is too low; see details.balances.'],
  'decline.restrictions': [400, 'The player cannot bet here now.'],
});

export type DeclineCode = keyof typeof sportsbookErrors;

/** Rejects a transaction. `leavesTombstone`: the parent transaction is rejected as well when it arrives. */
export class Decline extends Error {
  readonly code: DeclineCode;
  readonly leavesTombstone: boolean;
  constructor(code: DeclineCode, { leavesTombstone = false } = {}) {
    super(code);
    this.code = code;
    this.leavesTombstone = leavesTombstone;
  }
}
