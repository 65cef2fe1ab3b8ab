import { errors } from '../../../platform/errors.ts';

export const gateErrors = errors({
  USER_BANNED: [403, 'This account is banned.'],
  SELF_EXCLUDED: [403, 'This account is excluded from play and payments in until details.until.'],
  AUTH_GEO_BLOCKED: [403, 'The service is not offered in this country.'],
  LIMIT_REACHED: [403, 'A gambling limit of this account would be exceeded; see details.'],
  KYC_REQUIRED: [403, 'Verify your identity first: GET /kyc says which tier is needed.'],
  ROLLOVER_OPEN: [
    403,
    'What was deposited, or an active bonus, has to be wagered first; GET /payments/withdraw/eligibility says how much is left.',
  ],
  WITHDRAWAL_BLOCKED: [403, 'Withdrawals of this account are blocked; see details.'],
  PLAY_STOPPED: [409, 'Play is stopped on the whole site at the moment. Open rounds can be finished.'],
  DEPOSIT_DISABLED: [409, 'Deposits are not possible here at the moment.'],
  WITHDRAW_DISABLED: [409, 'Withdrawals are not possible here at the moment.'],
});

/** What every route that lets money in or starts play may be refused with. */
export const moneyInErrors = [
  gateErrors.USER_BANNED,
  gateErrors.SELF_EXCLUDED,
  gateErrors.AUTH_GEO_BLOCKED,
  gateErrors.LIMIT_REACHED,
];
