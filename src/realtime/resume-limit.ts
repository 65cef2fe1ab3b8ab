import type { Frame } from './feed.ts';

/** Counts an amount of a key, or (`wait`) says how many seconds there is nothing left of it; 0: there is. */
export type Allowance = {
  wait: (key: string) => number;
  spend: (key: string, amount: number) => void;
};
export type ResumeLimit = ReturnType<typeof createResumeLimit>;

/** What a question costs whose answer is too long: as many frames were read as are told at most. */
const TOO_MUCH = 1000;

/**
 * How much a user is told again within a minute, on all sockets and processes together: in frames, which cost reads, and in bytes,
 * which cost the network. What is told once is never cut short; the next question waits.
 */
export function createResumeLimit({ frames, bytes }: { frames: Allowance; bytes: Allowance }) {
  return {
    /** Seconds until something may be asked for again. */
    wait: (userId: number): number => Math.max(frames.wait(String(userId)), bytes.wait(String(userId))),
    /** Undefined: it was too much to be told. */
    spend(userId: number, told: readonly Frame[] | undefined): void {
      frames.spend(String(userId), told ? told.length : TOO_MUCH);
      const size = (sum: number, frame: Frame) => sum + Buffer.byteLength(JSON.stringify(frame));
      if (told && told.length > 0) bytes.spend(String(userId), told.reduce(size, 0));
    },
  };
}
