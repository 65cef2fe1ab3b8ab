import type { Refused } from '../../client/call.ts';

/** The texts of the kit. Applications in another language call `speak` before the first render. */
export const kit = {
  locale: 'en-GB',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  confirm: 'Confirm',
  loading: 'Loading …',
  again: 'Try again',
  request: 'Request',
  copy: 'Copy',
  copied: 'Copied',
  yes: 'yes',
  no: 'no',
  refused: 'Refused',
  nothing: 'Nothing here.',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  pageOf: (page: number, pages: number, total: string) => `page ${page} of ${pages}, ${total} in all`,
  search: 'Search',
  any: 'any',
  needs: (right: string) => `Needs the right ${right}`,
  factor: 'Your second factor',
  code: 'Code of your authenticator app',
  wrongCode: 'That code is wrong or was used before. Wait for the next one.',
  usePasskey: 'Use a passkey',
  passkeyRefusals: {
    NotAllowedError: 'No passkey was given.',
    InvalidStateError: 'This device has a passkey for this account already.',
    SecurityError: 'Browsers keep passkeys for names, not for addresses: open this page under its name.',
  } as Readonly<Record<string, string>>,
  /** Returns the text of a server error. */
  refusal: (of: Pick<Refused, 'code' | 'message' | 'details'>): string => of.message,
};

/** The texts of the kit, except those of server errors. */
export type KitWords = Omit<typeof kit, 'refusal'>;

export const speak = (words: KitWords, refusal: typeof kit.refusal): void =>
  void Object.assign(kit, words, { refusal });
