import type { Frame } from './feed.ts';

/** An amount that each key may use: `spend` counts, `wait` returns the seconds until something is left; 0: now. */
export type Allowance = {
  wait: (key: string) => number;
  spend: (key: string, amount: number) => void;
};
export type ResumeLimit = ReturnType<typeof createResumeLimit>;

/** What a resumption costs that missed too much: as many frames were read as are sent at most. */
const TOO_MUCH = 1000;

/**
 * Limits what is sent again to a user within a minute, on all sockets and processes together: in frames, which cost reads, and in bytes,
 * which cost the network. One answer is never cut short; the next resumption waits.
 */
export function createResumeLimit({ frames, bytes }: { frames: Allowance; bytes: Allowance }) {
  return {
    /** Seconds until the user may resume again. */
    wait: (userId: number): number => Math.max(frames.wait(String(userId)), bytes.wait(String(userId))),
    /** Undefined: it was too much to be sent. */
    spend(userId: number, told: readonly Frame[] | undefined): void {
      frames.spend(String(userId), told ? told.length : TOO_MUCH);
      const size = (sum: number, frame: Frame) => sum + Buffer.byteLength(JSON.stringify(frame));
      if (told && told.length > 0) bytes.spend(String(userId), told.reduce(size, 0));
    },
  };
}
