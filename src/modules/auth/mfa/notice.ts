import { iso } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db.ts';
import type { Mail } from '../../mail/service.ts';
import type { UserRow } from '../../users/service.ts';

type Change = 'enabled' | 'disabled' | 'reset' | 'recovery-code-used';
export type Tell = ReturnType<typeof createTell>;

/** Mails a user what happened to his second factor, if `tx` commits and he has an address. */
export function createTell(mail: Pick<Mail, 'send'>) {
  return async (tx: Tx, { email, language }: UserRow, change: Change): Promise<void> => {
    if (email === null) return;
    const data = { change, at: iso(new Date()) };
    await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
  };
}
