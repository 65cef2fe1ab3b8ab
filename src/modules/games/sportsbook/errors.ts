import { errors } from '../../../platform/errors.ts';

/** Answers to the sportsbook's calls: the codes are its own, and each is final. Anything but 200 and 400 is sent again. */
export const sportsbookErrors = errors({
  'error.general': [400, 'The bet has ended: nothing can be booked on it any more.'],
  'error.request.invalid': [400, 'The request cannot be carried out as it is; see details.'],
  'error.user.not-found': [400, 'No such player.'],
  'error.retry.incorrect': [400, 'This id stands for another transaction, or was taken back before it came.'],
  'limit.exceeded': [400, 'A gambling limit of the player would be exceeded.'],
  'decline.limit.conflict': [400, 'The limits of the player do not allow it.'],
  'decline.balance.conflict': [400, 'The balance of the player does not allow it.'],
  'decline.parent.notfound': [400, 'The bet or the transaction that it belongs to is not known.'],
  'decline.parent.failed': [400, 'The transaction that it belongs to was refused or taken back.'],
  'decline.player.blocked': [400, 'The player is banned.'],
  'decline.lowbalance': [400, 'The player has less than this amount; see details.balances.'],
  'decline.restrictions': [400, 'The player may not bet here at the moment.'],
});

/** Why a transaction is not carried out. */
export type DeclineCode = keyof typeof sportsbookErrors;

export const transactionErrors = errors({
  TRANSACTION_NOT_FOUND: [404, 'No such transaction was carried out.'],
});
