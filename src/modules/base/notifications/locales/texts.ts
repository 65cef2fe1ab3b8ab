/** Amounts are exact decimal text, moments ISO 8601 in UTC. */
type Money = { amount: string; currencyId: string };
type Limit = { limit: 'DEPOSIT' | 'WAGER' | 'LOSS' | 'SESSION'; period: 'DAY' | 'WEEK' | 'MONTH' };
/** US dollars; of SESSION minutes. */
type LimitAmount = Limit & { amount: string };
type Tier = { tier: 'BASIC' | 'IDENTITY' | 'ADDRESS' | 'SOURCE_OF_FUNDS' };
type Nothing = Record<never, never>;

/** What each message tells. A code and its facts are the payload of a notification: both only ever grow. */
export type Facts = {
  'deposit.completed': Money & { depositId: string };
  'deposit.held': Money & { depositId: string };
  'deposit.reversed': Money & { depositId: string };
  'withdraw.sent': Money & { withdrawalId: string };
  'withdraw.completed': Money & { withdrawalId: string };
  'withdraw.rejected': Money & { withdrawalId: string; reason: string };
  'withdraw.failed': Money & { withdrawalId: string };
  'kyc.approved': Tier;
  'kyc.rejected': Tier;
  'kyc.resubmit': Tier;
  'kyc.expired': Tier;
  'security.new-device': {
    device: string | null;
    browser: string | null;
    os: string | null;
    country: string | null;
  };
  'security.sign-in-failures': Nothing;
  'security.password-changed': Nothing;
  'security.mfa-enabled': Nothing;
  'security.mfa-disabled': Nothing;
  'security.mfa-reset': Nothing;
  'security.mfa-recovery-code-used': Nothing;
  'limit.active': LimitAmount;
  'limit.removed': Limit;
  'limit.waiting': Limit & { amount: string | null; confirmableFrom: string; lapsesAt: string };
  'exclusion.started': { expiresAt: string };
  'exclusion.ended': Nothing;
};
export type Code = keyof Facts;

type Text<F> = string | ((facts: F) => string);

/** Everything that notifications say in one language: plain text, short, without anything that only another place may show. */
export type Texts = { readonly [C in Code]: { title: Text<Facts[C]>; body: Text<Facts[C]> } };

/** `2026-11-21 09:30 UTC` in every language. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
