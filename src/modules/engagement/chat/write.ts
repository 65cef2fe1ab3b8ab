import { iso } from '../../../platform/clock.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { units } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { wageredOfEach } from '../user-stats/totals.ts';
import {
  type ChatDeps,
  insertMessages,
  lockWriters,
  type NewMessage,
  readWriters,
  type StoredMessage,
} from './queries.ts';
import { paceRefusal, writerRefusal } from './rules.ts';
import { chatErrors, chatEvents } from './schemas.ts';
import { readText } from './text/rules.ts';

/** Returns the id of a room named `chat:<id>`. */
export const roomIdOf = (room: string): string | undefined => /^chat:(.+)$/.exec(room)?.[1];

export const roomExists = ({ siteConfig }: Pick<ChatDeps, 'siteConfig'>, roomId: string): boolean =>
  siteConfig.get('COMMON').chat.rooms.some(({ id }) => id === roomId);

/** Throws 403 CHAT_DISABLED while the chat is off. */
export function assertEnabled({ siteConfig }: Pick<ChatDeps, 'siteConfig'>): void {
  if (!siteConfig.get('COMMON').isChatEnabled) throw chatErrors.CHAT_DISABLED();
}

export type Acknowledged = { messageId: string; at: string };

/**
 * Writes messages of different players in one transaction, each once per key. Each message succeeds or is rejected independently. Returns
 * the results in the same order.
 */
export function writeTogether(
  deps: ChatDeps,
  drafts: readonly Draft[],
): Promise<(Acknowledged | AppError)[]> {
  return transaction(deps.db, async (tx) => {
    await lockWriters(
      tx,
      drafts.map(({ userId }) => userId),
    );
    const verdicts = await judge(tx, deps, drafts);
    const accepted = drafts.filter((_, i) => !verdicts[i]!.existing && !verdicts[i]!.refusal);
    const written = await insert(
      tx,
      accepted.map((draft) => ({ ...draft, tipId: null, isStaff: false })),
    );
    return drafts.map((draft, i) => written[accepted.indexOf(draft)] ?? resultOf(draft, verdicts[i]!));
  });
}

/** Returns the existing message for a repeated key, or an error if the room or the text is different. */
function resultOf({ roomId, text }: Draft, { existing, refusal }: Verdict): Acknowledged | AppError {
  if (!existing) return refusal!;
  if (!isSameMessage(existing, { roomId, text, isStaff: false }))
    return commonErrors.IDEMPOTENCY_KEY_REUSED();
  return { messageId: String(existing.id), at: iso(existing.createdAt) };
}

/** Returns true if a request with a known key repeats the message that was written with the key. */
export const isSameMessage = (
  existing: StoredMessage,
  { roomId, text, isStaff }: Pick<StoredMessage, 'roomId' | 'text' | 'isStaff'>,
): boolean => existing.roomId === roomId && existing.text === text && existing.isStaff === isStaff;

/** Stores messages and emits their events. The writers must be locked. */
export async function insert(tx: Tx, messages: readonly Omit<NewMessage, 'id'>[]): Promise<Acknowledged[]> {
  if (messages.length === 0) return [];
  const events = messages.map(({ roomId }) => ({ event: chatEvents['chat.message'], data: { roomId } }));
  const ids = await emitEvent(tx, ...events);
  await insertMessages(
    tx,
    messages.map((message, i) => ({ ...message, id: ids[i]! })),
  );
  const at = iso(await transactionTime(tx));
  return ids.map((id) => ({ messageId: String(id), at }));
}

/** A public tip with the sender's message to the recipient. */
export type PublicTip = { tipId: number; sender: Pick<UserRow, 'id'>; message: string | null; ip: string };

/**
 * Announces a public tip in the first room if the sender may write there now, otherwise does nothing. Omits the sender's message if the
 * chat would reject it.
 */
export async function addTipLine(
  tx: Tx,
  deps: Omit<ChatDeps, 'db'>,
  { tipId, sender, message, ip }: PublicTip,
): Promise<void> {
  const { isChatEnabled, chat } = deps.siteConfig.get('COMMON');
  if (!isChatEnabled) return;
  const read = readText(message ?? '');
  const text = 'text' in read ? read.text : '';
  const line: Draft = { userId: sender.id, ip, roomId: chat.rooms[0]!.id, text, key: null };
  await lockWriters(tx, [sender.id]);
  const [verdict] = await judge(tx, deps, [line]);
  if (!verdict!.refusal) await insert(tx, [{ ...line, tipId, isStaff: false }]);
}

type Write = (drafts: readonly Draft[]) => Promise<(Acknowledged | AppError)[]>;
type Waiting = { draft: Draft; resolve: (result: Acknowledged) => void; reject: (error: unknown) => void };

/** The number of concurrent transactions. While one waits for a lock, the other can continue. */
const LANES = 2;
const MAX_PER_TRANSACTION = 100;
const MAX_WAITING = 5000;
const MAX_WAITING_PER_PLAYER = 3;

/**
 * Groups messages that arrive during a transaction into the next one, with at most one message per player. The chat therefore uses few
 * connections under any load. Each message is acknowledged after its commit.
 */
export function createQueue(write: Write) {
  let waiting: Waiting[] = [];
  const inFlight = new Set<number>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const nextBatch = (): Waiting[] => {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    for (const one of waiting) {
      const { userId } = one.draft;
      const fits = batch.length < MAX_PER_TRANSACTION && !inFlight.has(userId);
      (fits ? batch : left).push(one);
      if (fits) inFlight.add(userId);
    }
    waiting = left;
    return batch;
  };
  const startBatches = (): void => {
    while (running.size < LANES && waiting.length > 0) {
      const batch = nextBatch();
      if (batch.length === 0) return;
      const run = writeBatch(write, batch).finally(() => {
        for (const { draft } of batch) inFlight.delete(draft.userId);
        running.delete(run);
        startBatches();
      });
      running.add(run);
    }
  };
  return {
    /**
     * Resolves after the commit. Throws an error if the message is rejected, 429 CHAT_TOO_FAST if too many of the player's messages are
     * waiting, or 503 SERVICE_UNAVAILABLE if too many messages are waiting in total.
     */
    add(draft: Draft): Promise<Acknowledged> {
      if (isClosed || waiting.length >= MAX_WAITING)
        throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
      if (waiting.filter((one) => one.draft.userId === draft.userId).length >= MAX_WAITING_PER_PLAYER)
        throw chatErrors.CHAT_TOO_FAST({ retryAfterSeconds: 1 });
      return new Promise((resolve, reject) => {
        waiting.push({ draft, resolve, reject });
        startBatches();
      });
    },
    /** Rejects waiting messages and waits for running transactions. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(commonErrors.SERVICE_UNAVAILABLE());
      await Promise.all(running);
    },
  };
}

/** Never throws. If the batch fails, each message is retried separately, so that one bad message does not make the others fail. */
async function writeBatch(write: Write, batch: readonly Waiting[]): Promise<void> {
  try {
    const results = await write(batch.map(({ draft }) => draft));
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]!;
      if (result instanceof AppError) reject(result);
      else resolve(result);
    }
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
    else for (const one of batch) await writeBatch(write, [one]);
  }
}

/** A message before it is written. `ip`: the writer's IP address. `key`: the client's idempotency key, or null. */
type Draft = { userId: number; ip: string; roomId: string; text: string; key: string | null };

/** `existing`: the message that was already written with this key. `refusal`: the error if the message is rejected, otherwise undefined. */
type Verdict = { existing: StoredMessage | undefined; refusal: AppError | undefined };

/** Applies the chat rules to drafts of different players, who must be locked. Returns one result per draft, in the same order. */
export async function judge(
  tx: Tx,
  deps: Omit<ChatDeps, 'db'>,
  drafts: readonly Draft[],
): Promise<Verdict[]> {
  const { siteConfig, gate, kyc } = deps;
  const userIds = drafts.map(({ userId }) => userId);
  const minWageredUsd = units(siteConfig.get('COMMON').chat.minWageredUsd);
  const actions = drafts.map(({ userId, ip }) => ({ userId, country: countryOfIp(ip) }));
  // These queries are independent and are sent together to save round trips.
  const [writers, gateRefusals, underage, wagered, now] = await Promise.all([
    readWriters(tx, drafts),
    gate.look(tx, 'chat', actions),
    kyc.underageAmong(tx, userIds),
    minWageredUsd > 0n ? wageredOfEach(tx, userIds) : undefined,
    transactionTime(tx),
  ]);
  return drafts.map(({ userId, text }, i) => {
    const { existing, isEmailVerified, canUseChat, mutedUntil, ...pace } = writers[i]!;
    const refusal = writerRefusal({
      isEmailVerified,
      canUseChat,
      mutedUntil,
      gate: gateRefusals[i],
      isUnderage: underage.has(userId),
      wageredUsd: wagered?.get(userId) ?? 0n,
      minWageredUsd,
    });
    return { existing, refusal: refusal ?? paceRefusal(text, { ...pace, now }) };
  });
}
