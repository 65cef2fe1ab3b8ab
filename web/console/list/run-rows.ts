import type { Refused } from '../../../client/call.ts';

export type Failure<Row> = { row: Row; why: Refused };

type Running<Row> = {
  rows: readonly Row[];
  send: (row: Row) => Promise<unknown>;
  /** The id of the user who is signed in now. */
  userId: () => number | undefined;
  isStopped: () => boolean;
  asRefused: (error: unknown) => Refused;
  /** Called before the first row and after each one. */
  onProgress: (done: number, failed: readonly Failure<Row>[]) => void;
};

/** Error codes of a missing or wrong code or password. Every further row would prompt for it again. */
const NOT_PROVEN: readonly string[] = ['MFA_REQUIRED', 'MFA_INVALID', 'SIGN_IN_AGAIN'];

const endsRun = ({ status, code }: Refused): boolean => status === 401 || NOT_PROVEN.includes(code);

/**
 * Sends one request for each row, one after the other. Stops when the session has ended, when the user cancels the prompt for a code or the
 * password, and when another user has signed in, whose permissions would apply to the remaining rows.
 */
export async function runRows<Row>(of: Running<Row>): Promise<void> {
  const { rows, send, userId, isStopped, asRefused, onProgress } = of;
  const beganAs = userId();
  const failed: Failure<Row>[] = [];
  onProgress(0, []);
  for (const [at, row] of rows.entries()) {
    if (isStopped() || userId() !== beganAs) return;
    const why = await send(row).then(() => undefined, asRefused);
    if (why) failed.push({ row, why });
    onProgress(at + 1, [...failed]);
    if (why && endsRun(why)) return;
  }
}
