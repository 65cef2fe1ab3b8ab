import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { UserRow } from '../../../base/users/service.ts';

type Change = 'enabled' | 'disabled' | 'reset' | 'recovery-code-used';
export type Tell = ReturnType<typeof createTell>;

/** Tells a user what happened to his second factor, if `tx` commits: by a notification, and by mail when he has an address. */
export function createTell(mail: Pick<Mail, 'send'>) {
  return async (tx: Tx, { id, email, language }: UserRow, change: Change): Promise<void> => {
    await notify(tx, id, `security.mfa-${change}`, {});
    if (email === null) return;
    const data = { change, at: iso(new Date()) };
    await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
  };
}
