import type { Refused } from '../../client/call.ts';

/** The texts of the kit. Applications in another language call `speak` before the first render. */
export const kit = {
  locale: 'en-GB',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  confirm: 'Confirm',
  loading: 'Loading',
  again: 'Try again',
  reload: 'Reload page',
  request: 'Request ID',
  copy: 'Copy',
  copied: 'Copied',
  yes: 'Yes',
  no: 'No',
  refused: 'That didn’t work',
  nothing: 'Nothing here yet',
  noMatches: 'No matches',
  messages: 'Messages',
  details: 'Details',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  rangeOf: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
  search: 'Search',
  any: 'All',
  all: 'All',
  half: 'Half',
  double: 'Double',
  needs: (right: string) => `Needs the permission ${right}`,
  factor: 'Two-step verification',
  code: 'Code from your authenticator app',
  wrongCode: 'That code is wrong or was already used. Wait for the next one.',
  usePasskey: 'Use a passkey',
  /** Asked when an operation requires a recent sign-in. */
  reauth: {
    title: 'Confirm it’s you',
    hint: 'Enter your password to continue.',
    password: 'Your password',
    noPassword: 'Signed up with Google or Steam?',
    again: 'Sign in again',
  },
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  passkeyRefusals: {
    NotAllowedError: 'No passkey was chosen.',
    InvalidStateError: 'This device already has a passkey for this account.',
    SecurityError: 'Passkeys only work with the site’s domain name, not with an IP address.',
  } as Readonly<Record<string, string>>,
  lost: 'This page didn’t load',
  lostHint: 'Check your connection, then try again. You stay signed in.',
  crashed: 'Something went wrong on this page',
  crashedHint: 'Try again. You stay signed in, and nothing you did is lost.',
  /** Problems of fields. */
  wrong: {
    missing: 'Fill in this field',
    tick: 'Tick this box to continue',
    email: 'Enter an email address, like name@example.com',
    url: 'Enter an address, like https://example.com',
    amount: 'Enter an amount, like 12.50',
    decimals: (most: number) => `At most ${most} decimals`,
    number: 'Enter a number',
    format: 'Check the format',
    short: (least: number) => `Use at least ${least} characters`,
    long: (most: number) => `Use at most ${most} characters`,
    low: (least: string) => `Enter ${least} or more`,
    high: (most: string) => `Enter ${most} or less`,
  },
  /** Returns the text of a server error. */
  refusal: (of: Pick<Refused, 'code' | 'message' | 'details'>): string => of.message,
};

/** The texts of the kit, except those of server errors. */
export type KitWords = Omit<typeof kit, 'refusal'>;

export const speak = (words: KitWords, refusal: typeof kit.refusal): void =>
  void Object.assign(kit, words, { refusal });
