import { randomUUID } from 'node:crypto';
import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { type ChatDeps, lockWriters, readWriters } from './queries.ts';
import { staffRefusal } from './rules.ts';
import { chatErrors } from './schemas.ts';
import { readText } from './text/rules.ts';
import { assertEnabled, insert, isSameMessage } from './write.ts';

export const staffMessageErrors = [
  chatErrors.CHAT_DISABLED,
  chatErrors.CHAT_TEXT_EMPTY,
  chatErrors.CHAT_TEXT_TOO_LONG,
  chatErrors.CHAT_LINK,
  chatErrors.CHAT_NOT_ALLOWED,
  chatErrors.CHAT_MUTED,
  chatErrors.CHAT_TOO_FAST,
  chatErrors.CHAT_REPEATED,
  commonErrors.IDEMPOTENCY_KEY_REUSED,
];

type Message = { roomId: string; text: string; key: string | undefined };

/** Writes a message that clients mark as written by staff, once per key. Throws `staffMessageErrors`. */
export async function sendAsStaff(
  tx: Tx,
  deps: Pick<ChatDeps, 'siteConfig'>,
  by: StaffCall,
  { roomId, text: typed, key = randomUUID() }: Message,
): Promise<void> {
  assertEnabled(deps);
  const read = readText(typed);
  if ('refusal' in read) throw read.refusal();
  const { text } = read;
  const userId = by.user.id;
  await lockWriters(tx, [userId]);
  await freshActor(tx, by);
  const [writer] = await readWriters(tx, [{ userId, roomId, key }]);
  const { existing } = writer!;
  if (existing) {
    if (!isSameMessage(existing, { roomId, text, isStaff: true }))
      throw commonErrors.IDEMPOTENCY_KEY_REUSED();
    const message = { messageId: String(existing.id), roomId, text };
    return recordAudit(tx, by, { before: message, after: message });
  }
  const refusal = staffRefusal(text, { ...writer!, now: await transactionTime(tx) });
  if (refusal) throw refusal;
  const [sent] = await insert(tx, [{ userId, roomId, text, key, tipId: null, isStaff: true }]);
  await recordAudit(tx, by, { before: { roomId }, after: { roomId, messageId: sent!.messageId, text } });
}
