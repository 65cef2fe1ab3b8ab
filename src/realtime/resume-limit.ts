import type { Frame } from './feed.ts';

/**
 * A quota per key. `spend` adds to the usage. `wait` returns the number of seconds until part of the quota is available again, or 0 if some
 * is available now.
 */
export type Allowance = {
  wait: (key: string) => number;
  spend: (key: string, amount: number) => void;
};
export type ResumeLimit = ReturnType<typeof createResumeLimit>;

/** The cost, in frames, of a resumption with too many missed frames to send. It is the maximum that one read returns. */
const TOO_MUCH = 1000;

/**
 * Limits the frames that are resent to a user within a minute, across all sockets and processes. Frames are limited because they cost
 * reads, and bytes because they cost bandwidth. A response is always complete. If it exceeds the limit, the next resumption must wait.
 */
export function createResumeLimit({ frames, bytes }: { frames: Allowance; bytes: Allowance }) {
  return {
    /** Returns the number of seconds until the user may resume again. */
    wait: (userId: number): number => Math.max(frames.wait(String(userId)), bytes.wait(String(userId))),
    /** Counts the resent frames. `told` is undefined if there were too many frames to send. */
    spend(userId: number, told: readonly Frame[] | undefined): void {
      frames.spend(String(userId), told ? told.length : TOO_MUCH);
      const size = (sum: number, frame: Frame) => sum + Buffer.byteLength(JSON.stringify(frame));
      if (told && told.length > 0) bytes.spend(String(userId), told.reduce(size, 0));
    },
  };
}
