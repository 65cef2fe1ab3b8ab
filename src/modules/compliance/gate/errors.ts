import { errors } from '../../../platform/errors.ts';

export const gateErrors = errors({
  USER_BANNED: [403, 'This account is banned.'],
  SELF_EXCLUDED: [403, 'This account is excluded from play and deposits until details.until.'],
  AUTH_GEO_BLOCKED: [403, 'The service is not offered in this country.'],
  LIMIT_REACHED: [403, 'A gambling limit of this account would be exceeded; see details.'],
  KYC_REQUIRED: [
    403,
    'Your identity is not verified to the required tier. GET /kyc shows which tier you need.',
  ],
  ROLLOVER_OPEN: [
    403,
    'Finish wagering your deposits and any active bonus first; GET /payments/withdraw/eligibility returns how much is left.',
  ],
  WITHDRAWAL_BLOCKED: [403, 'Withdrawals from this account are blocked; see details.'],
  PLAY_STOPPED: [409, 'Play is stopped on the whole site at the moment. Open rounds can be finished.'],
  DEPOSIT_DISABLED: [409, 'Deposits are not possible here at the moment.'],
  WITHDRAW_DISABLED: [409, 'Withdrawals are not possible here at the moment.'],
});

/** Errors of every route that accepts money or starts play. */
export const moneyInErrors = [
  gateErrors.USER_BANNED,
  gateErrors.SELF_EXCLUDED,
  gateErrors.AUTH_GEO_BLOCKED,
  gateErrors.LIMIT_REACHED,
];
