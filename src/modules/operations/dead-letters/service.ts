import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { redact } from '../../../platform/observability/redact.ts';
import { dropJob, listDeadJobs, redriveJob } from '../../../platform/queue/dead.ts';
import { recordCommand } from '../../base/audit/service.ts';
import { findUserByUsername } from '../../base/users/service.ts';

const deadLetterErrors = errors({
  DEAD_LETTER_NOT_FOUND: [404, 'No dead letter has this id. List the dead letters to see their ids.'],
  STAFF_UNKNOWN: [404, 'No staff account has this username. Pass the username of a staff account with --by.'],
});

/** A queued task that failed on every attempt. `queue` is the name of the task. */
export type DeadLetter = {
  id: string;
  kind: 'job';
  queue: string;
  attempts: number;
  reason: string;
  diedAt: Date | null;
  data: unknown;
};
type Act = 'redrive' | 'drop';

const MOST = 1000;

/**
 * Lists, retries and deletes tasks that failed on every attempt. Retries and deletions are recorded in the audit log and in the process
 * log.
 */
export function createDeadLetters({ db, log }: { db: Db; log: Log }) {
  /** Returns the oldest thousand, with secrets removed. */
  const list = async (queue?: string): Promise<DeadLetter[]> =>
    (await listDeadJobs(db, MOST))
      .map(({ task, payload, ...job }) => ({
        ...job,
        kind: 'job' as const,
        queue: task,
        data: redact(payload, 5000),
      }))
      .filter((letter) => queue === undefined || letter.queue === queue);
  const find = async (id: string): Promise<DeadLetter> => {
    const found = (await list()).find((letter) => letter.id === id);
    if (!found) throw deadLetterErrors.DEAD_LETTER_NOT_FOUND({ id });
    return found;
  };
  return {
    list,
    find,
    /**
     * Retries dead letters with the full number of attempts, or deletes them. Returns how many of them still existed. Throws
     * DEAD_LETTER_NOT_FOUND or STAFF_UNKNOWN.
     */
    async act(act: Act, which: { id: string } | { queue: string | undefined }, by: string): Promise<number> {
      const staff = await findUserByUsername(db, by);
      if (!staff?.is_staff) throw deadLetterErrors.STAFF_UNKNOWN();
      const letters = 'id' in which ? [await find(which.id)] : await list(which.queue);
      if (letters.length === 0) return 0;
      const ids = letters.map(({ id }) => id);
      const done = await transaction(db, async (tx) => {
        const change = { before: { letters: letters.map(({ id, queue }) => `${queue} ${id}`) } };
        await recordCommand(tx, { command: `dead-letters ${act}`, userId: staff.id, change });
        return actOnJobs(tx, act, ids);
      });
      log.info({ act, by: staff.id, jobs: done }, 'dead letters');
      return done;
    },
  };
}

async function actOnJobs(tx: Tx, act: Act, ids: readonly string[]): Promise<number> {
  let done = 0;
  for (const id of ids) if (await (act === 'redrive' ? redriveJob(tx, id) : dropJob(tx, id))) done++;
  return done;
}
