import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { UserRow } from '../../../base/users/service.ts';

type Change = 'enabled' | 'disabled' | 'reset' | 'recovery-code-used';
export type NotifyOwner = ReturnType<typeof createNotifyOwner>;

/** Tells users what happened to their second factor once `tx` commits: by notification, and by mail if they have an address. */
export function createNotifyOwner(mail: Pick<Mail, 'send'>) {
  return async (tx: Tx, { id, email, language }: UserRow, change: Change): Promise<void> => {
    await notify(tx, id, `security.mfa-${change}`, {});
    if (email === null) return;
    const data = { change, at: iso(new Date()) };
    await mail.send(tx, { to: email, language, template: 'mfa-changed', data });
  };
}
