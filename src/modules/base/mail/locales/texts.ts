import type { MailInput, Template } from '../schemas.ts';

/** What a text may mention: the data of its mail, facts as the reader sees them, and the name of the site. */
export type Facts<T extends Template> = MailInput<T> & { brand: string };
type Text<T extends Template> = string | ((facts: Facts<T>) => string);

/** Every mail has these; `why` stands in the footer and says why one got it. */
type Always = 'subject' | 'preview' | 'title' | 'body' | 'why';
type Own = {
  'verify-email': 'button' | 'expiry' | 'notYou';
  'reset-password': 'button' | 'expiry' | 'notYou';
  'new-device': 'notYou';
  'mfa-changed': 'notYou';
  'email-change-old': 'button' | 'expiry' | 'notYou';
  'email-change-new': 'button' | 'expiry' | 'notYou';
  'email-changed': 'notYou';
  'already-registered': 'signIn' | 'forgot' | 'reset' | 'notYou';
  'password-changed': 'notYou';
  'sign-in-failures': 'button' | 'notYou';
  'return-alert': 'next';
  'uniformity-alert': 'next';
};
export const FACTS = [
  'at',
  'passkey',
  'address',
  'device',
  'browser',
  'os',
  'country',
  'ip',
  'game',
  'bets',
  'actual',
  'band',
  'rounds',
  'chance',
] as const;

/** Everything that mails say in one language. Plain text: templates escape it. */
export type Texts = {
  mails: { readonly [T in Template]: Readonly<Record<Always | Own[T], Text<T>>> };
  labels: Readonly<Record<(typeof FACTS)[number], string>>;
  /** Above the address of a button that cannot be pressed. */
  orCopy: string;
  automatic: string;
};
