import { errors } from '../../../platform/errors.ts';

export const paymentErrors = errors({
  DEPOSIT_NOT_FOUND: [404, 'This deposit does not exist.'],
  PAYMENT_METHOD_NOT_FOUND: [
    404,
    'This currency is not available on this network. See GET /payments/methods.',
  ],
});

export const withdrawalErrors = errors({
  AMOUNT_BELOW_FEE: [400, 'The amount does not exceed the fee. See details.fee.'],
  RECIPIENT_ADDRESS_INVALID: [
    400,
    'Withdrawals to this address are not possible on this network. Check the address; see details.reason.',
  ],
  RECIPIENT_MEMO_INVALID: [400, 'This memo is not valid on this network. See details.'],
  QUOTE_EXPIRED: [
    409,
    'This quote has expired, was used, or is for another withdrawal. Request a new estimate.',
  ],
  TOO_MANY_WITHDRAWALS: [409, 'You have too many open withdrawals. Wait for one to finish, or cancel one.'],
  WITHDRAWAL_NOT_FOUND: [404, 'This withdrawal does not exist.'],
  WITHDRAWAL_CANCEL_CLOSED: [
    403,
    'A withdrawal cannot be cancelled in your country. Staff will pay or reject it.',
  ],
  WITHDRAWAL_NOT_CANCELLABLE: [409, 'Only a withdrawal that is waiting for approval can be cancelled.'],
  WITHDRAWAL_NOT_APPROVABLE: [
    409,
    'Only a withdrawal that is waiting for approval or on hold can be approved.',
  ],
  WITHDRAWAL_NOT_REJECTABLE: [
    409,
    'Only a withdrawal that is waiting for approval or on hold can be rejected.',
  ],
  WITHDRAWAL_NOT_RETRYABLE: [
    409,
    'Only a withdrawal that failed, or that the provider never received, can be retried.',
  ],
  SECOND_PERSON_NEEDED: [
    409,
    "A second person must approve this withdrawal. Their account must not be connected to the first approver's.",
  ],
  PROVIDER_SILENT: [503, 'The payment provider is not responding. Try again in a moment.'],
  WITHDRAWAL_BLOCK_NOT_FOUND: [404, "This user's withdrawals are not blocked."],
});

export const reviewErrors = errors({
  APPROVAL_NEEDED: [
    409,
    'A second person must approve this. Ask a colleague to approve details.proposalId before details.expiresAt.',
  ],
  DEPOSIT_NOT_REVIEWABLE: [
    409,
    'The status of this deposit does not allow this action. See its status and the allowed actions.',
  ],
  DEPOSIT_OWNER_REQUIRED: [409, 'This deposit has no owner yet. Assign it to a player.'],
  DEPOSIT_PROPOSAL_CHANGED: [
    409,
    'This proposal is no longer open, or the deposit has changed since. Review the deposit again.',
  ],
  SECOND_PERSON_NEEDED: [
    409,
    "A second person must approve this proposal. Their account must not be connected to the proposer's.",
  ],
});
