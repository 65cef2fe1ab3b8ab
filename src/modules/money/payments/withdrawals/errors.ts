import { errors } from '../../../../platform/errors.ts';

export const withdrawalErrors = errors({
  AMOUNT_BELOW_FEE: [400, 'The fee would take all of this amount; see details.fee.'],
  RECIPIENT_ADDRESS_INVALID: [400, 'This is not an address of this network; check it letter by letter.'],
  RECIPIENT_MEMO_INVALID: [400, 'This network needs a memo of another form, or none; see details.'],
  QUOTE_EXPIRED: [409, 'This quote has expired or is for another withdrawal; request a new estimate.'],
  TOO_MANY_WITHDRAWALS: [409, 'Too many withdrawals are open; wait for one of them, or cancel it.'],
  WITHDRAWAL_NOT_FOUND: [404, 'No such withdrawal.'],
  WITHDRAWAL_CANCEL_CLOSED: [
    403,
    'A waiting withdrawal cannot be cancelled in this country: it is paid out, or rejected by staff.',
  ],
  WITHDRAWAL_NOT_CANCELLABLE: [409, 'Only a withdrawal that waits for approval can be cancelled.'],
  WITHDRAWAL_NOT_APPROVABLE: [
    409,
    'Only a withdrawal that waits for approval or is on hold can be approved.',
  ],
  WITHDRAWAL_NOT_REJECTABLE: [
    409,
    'Only a withdrawal that waits for approval or is on hold can be rejected.',
  ],
  WITHDRAWAL_NOT_RETRYABLE: [
    409,
    'Only a withdrawal that has failed, or that the provider certainly does not know, can be retried.',
  ],
  CLAIMS_OPEN: [
    409,
    'The player owes what was taken back from them, see details: reject the withdrawal, and what is released pays it.',
  ],
  SECOND_PERSON_NEEDED: [
    409,
    'Two people have to approve this withdrawal: neither the same person twice, nor two of whom one opened the account of the other.',
  ],
  PROVIDER_SILENT: [503, 'The payment provider does not answer; try again in a moment.'],
  WITHDRAWAL_BLOCK_NOT_FOUND: [404, 'Withdrawals of this user are not blocked.'],
});
