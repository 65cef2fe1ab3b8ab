import type { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { chatErrors } from './errors.ts';
import { sameness } from './text/rules.ts';

/** What decides whether a player may write at all. */
export type Writer = {
  isEmailVerified: boolean;
  canUseChat: boolean;
  /** What the gate answers: a ban, an exclusion, a blocked country. */
  gate: AppError | undefined;
  mutedUntil: Date | null;
  isUnderage: boolean;
  wageredUsd: Units;
  minWageredUsd: Units;
};

const WRITER: readonly ((writer: Writer) => AppError | undefined)[] = [
  ({ isEmailVerified }) => (isEmailVerified ? undefined : chatErrors.EMAIL_NOT_VERIFIED()),
  ({ canUseChat }) => (canUseChat ? undefined : chatErrors.CHAT_NOT_ALLOWED()),
  ({ gate }) => gate,
  ({ mutedUntil }) => (mutedUntil ? chatErrors.CHAT_MUTED({ until: mutedUntil.toISOString() }) : undefined),
  ({ isUnderage }) => (isUnderage ? chatErrors.CHAT_UNDERAGE() : undefined),
  ({ wageredUsd, minWageredUsd }) =>
    wageredUsd < minWageredUsd
      ? chatErrors.CHAT_WAGER_NEEDED({
          minWageredUsd: formatUnits(minWageredUsd),
          wageredUsd: formatUnits(wageredUsd),
        })
      : undefined,
];

/** Why a player may not write; undefined: they may. */
export function writerRefusal(writer: Writer): AppError | undefined {
  for (const check of WRITER) {
    const refusal = check(writer);
    if (refusal) return refusal;
  }
  return undefined;
}

const EVERY_MS = 2000;
const MINUTE_MS = 60_000;
const PER_MINUTE = 20;
const REPEAT_MS = 30_000;
/** Of so many of a player's latest messages the limits have to know. */
export const MOST_RECENT = PER_MINUTE;

export type Written = { text: string; at: Date };
/** What a player has written: their latest messages, the newest first, and the latest one in the room. */
export type Pace = {
  now: Date;
  recent: readonly Written[];
  lastInRoom: Date | null;
  slowModeSeconds: number;
};

/** Why a message comes too soon, and when it may be sent again; undefined: it does not. */
export function paceRefusal(text: string, { now, recent, lastInRoom, slowModeSeconds }: Pace) {
  /** Until so long after a moment; never more than that, whatever the order in which two processes looked at the clock. */
  const left = (at: Date | null | undefined, ms: number): number =>
    at ? Math.min(ms, at.getTime() + ms - now.getTime()) : 0;
  const soon = Math.max(left(recent[0]?.at, EVERY_MS), left(recent[PER_MINUTE - 1]?.at, MINUTE_MS));
  if (soon > 0) return chatErrors.CHAT_TOO_FAST(retryAfter(soon));
  const slow = left(lastInRoom, slowModeSeconds * 1000);
  if (slow > 0) return chatErrors.CHAT_SLOW_MODE(retryAfter(slow));
  const said = sameness(text);
  const same = left(recent.find((one) => sameness(one.text) === said)?.at, REPEAT_MS);
  return same > 0 ? chatErrors.CHAT_REPEATED(retryAfter(same)) : undefined;
}

const retryAfter = (ms: number) => ({ retryAfterSeconds: Math.ceil(ms / 1000) });
