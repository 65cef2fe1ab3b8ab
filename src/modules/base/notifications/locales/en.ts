import { type Facts, moment, type Texts } from './texts.ts';

const LIMITS = { DEPOSIT: 'deposits', WAGER: 'wagers', LOSS: 'losses', SESSION: 'time of play' };
const PERIODS = { DAY: 'day', WEEK: 'week', MONTH: 'month' };
const TIERS = {
  BASIC: 'personal data',
  IDENTITY: 'identity',
  ADDRESS: 'address',
  SOURCE_OF_FUNDS: 'source of funds',
};
const limitOf = ({ limit, period }: Pick<Facts['limit.active'], 'limit' | 'period'>) =>
  `${LIMITS[limit]} per ${PERIODS[period]}`;
const amountOf = ({ limit, amount }: { limit: keyof typeof LIMITS; amount: string }) =>
  limit === 'SESSION' ? `${amount} minutes` : `${amount} USD`;
const money = ({ amount, currencyId }: { amount: string; currencyId: string }) => `${amount} ${currencyId}`;

export const en: Texts = {
  'deposit.completed': {
    title: 'Deposit received',
    body: (f) => `${money(f)} have been added to your balance.`,
  },
  'deposit.held': {
    title: 'Deposit on hold',
    body: (f) => `Your deposit of ${money(f)} is being looked at.`,
  },
  'deposit.reversed': {
    title: 'Deposit reversed',
    body: (f) => `Your deposit of ${money(f)} was taken back by where it came from.`,
  },
  'withdraw.sent': { title: 'Withdrawal sent', body: (f) => `${money(f)} are on their way to you.` },
  'withdraw.completed': { title: 'Withdrawal completed', body: (f) => `${money(f)} have arrived.` },
  'withdraw.rejected': {
    title: 'Withdrawal rejected',
    body: (f) => `Your withdrawal of ${money(f)} was rejected and is back in your balance: ${f.reason}`,
  },
  'withdraw.failed': {
    title: 'Withdrawal failed',
    body: (f) => `Your withdrawal of ${money(f)} could not be paid out and is back in your balance.`,
  },
  'kyc.approved': { title: 'Verification approved', body: (f) => `Verified: ${TIERS[f.tier]}.` },
  'kyc.rejected': { title: 'Verification rejected', body: (f) => `Not accepted: ${TIERS[f.tier]}.` },
  'kyc.resubmit': {
    title: 'Verification: please try again',
    body: (f) => `We need your documents once more: ${TIERS[f.tier]}.`,
  },
  'kyc.expired': {
    title: 'Verification expired',
    body: (f) => `A document is too old. Please show a new one: ${TIERS[f.tier]}.`,
  },
  'security.new-device': {
    title: 'A new device signed in',
    body: 'Your account was used on a device that we have not seen before. If it was not you, change your password at once.',
  },
  'security.sign-in-failures': {
    title: 'Somebody may know your password',
    body: 'The right password was entered three times, but never the second factor. If it was not you, change your password.',
  },
  'security.password-changed': {
    title: 'Password changed',
    body: 'The password of your account was changed. If it was not you, write to our support at once.',
  },
  'security.mfa-enabled': {
    title: 'Two-factor sign-in switched on',
    body: 'Your account is now protected by a second factor.',
  },
  'security.mfa-disabled': {
    title: 'Two-factor sign-in switched off',
    body: 'Your account is no longer protected by a second factor.',
  },
  'security.mfa-reset': {
    title: 'Two-factor sign-in was reset',
    body: 'The second factor of your account was removed. Set up a new one.',
  },
  'security.mfa-recovery-code-used': {
    title: 'A recovery code was used',
    body: 'One of your recovery codes took the place of your second factor. Each code works once.',
  },
  'limit.active': { title: 'Limit in force', body: (f) => `Your limit on ${limitOf(f)}: ${amountOf(f)}.` },
  'limit.removed': { title: 'Limit removed', body: (f) => `Your limit on ${limitOf(f)} was removed.` },
  'limit.waiting': {
    title: 'Limit change requested',
    body: (f) =>
      `Your limit on ${limitOf(f)} stays as it is until you confirm the change, from ${moment(f.confirmableFrom)} on.`,
  },
  'exclusion.started': {
    title: 'You are excluded from play',
    body: (f) => `Until ${moment(f.expiresAt)}. You can withdraw your money at any time.`,
  },
  'exclusion.ended': { title: 'Your exclusion has ended', body: 'Your account is open for play again.' },
};
