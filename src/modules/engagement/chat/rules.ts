import type { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { chatErrors } from './schemas.ts';
import { sameness } from './text/rules.ts';

/** The data that determines whether a player may write at all. */
export type Writer = {
  isEmailVerified: boolean;
  canUseChat: boolean;
  /** The error with which the gate refuses a player because of a ban, an exclusion or a blocked country. */
  gate: AppError | undefined;
  mutedUntil: Date | null;
  isUnderage: boolean;
  wageredUsd: Units;
  minWageredUsd: Units;
};

const banRefusal = ({ canUseChat }: Pick<Writer, 'canUseChat'>) =>
  canUseChat ? undefined : chatErrors.CHAT_NOT_ALLOWED();
const muteRefusal = ({ mutedUntil }: Pick<Writer, 'mutedUntil'>) =>
  mutedUntil ? chatErrors.CHAT_MUTED({ until: mutedUntil.toISOString() }) : undefined;

const WRITER: readonly ((writer: Writer) => AppError | undefined)[] = [
  ({ isEmailVerified }) => (isEmailVerified ? undefined : chatErrors.EMAIL_NOT_VERIFIED()),
  banRefusal,
  ({ gate }) => gate,
  muteRefusal,
  ({ isUnderage }) => (isUnderage ? chatErrors.CHAT_UNDERAGE() : undefined),
  ({ wageredUsd, minWageredUsd }) =>
    wageredUsd < minWageredUsd
      ? chatErrors.CHAT_WAGER_NEEDED({
          minWageredUsd: formatUnits(minWageredUsd),
          wageredUsd: formatUnits(wageredUsd),
        })
      : undefined,
];

/** Returns an error if a player may not write, otherwise undefined. */
export function writerRefusal(writer: Writer): AppError | undefined {
  for (const check of WRITER) {
    const refusal = check(writer);
    if (refusal) return refusal;
  }
  return undefined;
}

type StaffWriter = Pick<Writer, 'canUseChat' | 'mutedUntil'> & Pick<Pace, 'now' | 'recent'>;

/** Returns an error if a member of staff may not write this message, otherwise undefined. Slow mode does not apply to staff. */
export const staffRefusal = (text: string, writer: StaffWriter): AppError | undefined =>
  banRefusal(writer) ??
  muteRefusal(writer) ??
  paceRefusal(text, { ...writer, lastInRoom: null, slowModeSeconds: 0 });

const MIN_INTERVAL_MS = 2000;
const MINUTE_MS = 60_000;
const PER_MINUTE = 20;
const REPEAT_MS = 30_000;
/** The number of a player's latest messages that the rate limits need. */
export const RECENT_MESSAGES = PER_MINUTE;

export type Written = { text: string; at: Date };
/** `recent`: the player's latest messages, newest first. `lastInRoom`: time of the player's latest message in this room. */
export type Pace = {
  now: Date;
  recent: readonly Written[];
  lastInRoom: Date | null;
  slowModeSeconds: number;
};

/** Returns an error with the time until a retry if a message is sent too soon, otherwise undefined. */
export function paceRefusal(text: string, { now, recent, lastInRoom, slowModeSeconds }: Pace) {
  /**
   * Returns the remaining part of the period of `ms` milliseconds that began at `at`. The result is at most `ms`, even if the clock of
   * another process is ahead.
   */
  const left = (at: Date | null | undefined, ms: number): number =>
    at ? Math.min(ms, at.getTime() + ms - now.getTime()) : 0;
  const tooFast = Math.max(left(recent[0]?.at, MIN_INTERVAL_MS), left(recent[PER_MINUTE - 1]?.at, MINUTE_MS));
  if (tooFast > 0) return chatErrors.CHAT_TOO_FAST(retryAfter(tooFast));
  const slow = left(lastInRoom, slowModeSeconds * 1000);
  if (slow > 0) return chatErrors.CHAT_SLOW_MODE(retryAfter(slow));
  const compared = sameness(text);
  const repeated = left(recent.find((one) => sameness(one.text) === compared)?.at, REPEAT_MS);
  return repeated > 0 ? chatErrors.CHAT_REPEATED(retryAfter(repeated)) : undefined;
}

const retryAfter = (ms: number) => ({ retryAfterSeconds: Math.ceil(ms / 1000) });
