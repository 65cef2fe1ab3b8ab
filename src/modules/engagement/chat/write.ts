import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { type EligibilityDeps, judge, type Verdict, type Wish } from './eligibility.ts';
import { insertMessages, lockWriters, type NewMessage } from './queries.ts';
import { readText } from './text/rules.ts';

export type WriteDeps = EligibilityDeps & { db: Db };
export type Acknowledged = { messageId: string; at: string };

/** Writes messages of different players in one transaction, each once per key; each succeeds or is refused alone. Answers in their order. */
export function writeTogether(
  deps: WriteDeps,
  wishes: readonly Wish[],
): Promise<(Acknowledged | AppError)[]> {
  return transaction(deps.db, async (tx) => {
    await lockWriters(
      tx,
      wishes.map(({ userId }) => userId),
    );
    const verdicts = await judge(tx, deps, wishes);
    const taken = wishes.filter((_, i) => !verdicts[i]!.known && !verdicts[i]!.refusal);
    const written = await write(
      tx,
      taken.map((wish) => ({ ...wish, tipId: null })),
    );
    return wishes.map((wish, i) => written[taken.indexOf(wish)] ?? answerOf(wish, verdicts[i]!));
  });
}

/** The same message again is the first one; another one with its key is none. */
function answerOf({ roomId, text }: Wish, { known, refusal }: Verdict): Acknowledged | AppError {
  if (!known) return refusal!;
  if (known.roomId !== roomId || known.text !== text) return commonErrors.IDEMPOTENCY_KEY_REUSED();
  return { messageId: String(known.id), at: iso(known.createdAt) };
}

async function write(tx: Tx, messages: readonly Omit<NewMessage, 'id'>[]): Promise<Acknowledged[]> {
  if (messages.length === 0) return [];
  const events = messages.map(({ roomId }) => ({ event: 'chat.message' as const, data: { roomId } }));
  const ids = await emitEvent(tx, ...events);
  await insertMessages(
    tx,
    messages.map((message, i) => ({ ...message, id: ids[i]! })),
  );
  const at = iso(await transactionTime(tx));
  return ids.map((id) => ({ messageId: String(id), at }));
}

/** A tip that its sender has made public, with what they say to the recipient. */
export type PublicTip = { tipId: number; sender: Pick<UserRow, 'id'>; message: string | null; ip: string };

/**
 * Shows a tip in the first room, if its sender may write there now. Words that a message may not have are left out. Never in the way of the
 * tip itself.
 */
export async function addTipLine(
  tx: Tx,
  deps: EligibilityDeps,
  { tipId, sender, message, ip }: PublicTip,
): Promise<void> {
  const { isChatEnabled, chat } = deps.siteConfig.get('COMMON');
  if (!isChatEnabled) return;
  const read = readText(message ?? '');
  const text = 'text' in read ? read.text : '';
  const line: Wish = { userId: sender.id, ip, roomId: chat.rooms[0]!.id, text, key: null };
  await lockWriters(tx, [sender.id]);
  const [verdict] = await judge(tx, deps, [line]);
  if (!verdict!.refusal) await write(tx, [{ ...line, tipId }]);
}
