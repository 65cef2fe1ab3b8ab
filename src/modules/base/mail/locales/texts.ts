import type { MailInput, Template } from '../schemas.ts';

/** The values that a text may contain: the data of its email and the name of the site (`brand`). */
export type Facts<T extends Template> = MailInput<T> & { brand: string };
type Text<T extends Template> = string | ((facts: Facts<T>) => string);

/** The texts that every email has. `why` is in the footer and explains why the email was sent. */
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

/** All email texts in one language. They are plain text, which the templates escape. */
export type Texts = {
  mails: { readonly [T in Template]: Readonly<Record<Always | Own[T], Text<T>>> };
  labels: Readonly<Record<(typeof FACTS)[number], string>>;
  /** The text before the URL of a button, for readers who cannot click the button. */
  orCopy: string;
  automatic: string;
};
