import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue.ts';
import { emitEvent } from '../../base/events/service.ts';
import { toShortPublicUser, usersById } from '../../base/users/service.ts';
import { type Leader, lockRun, type RunRow, topOf, usd } from './queries.ts';

/** Announces a run whose turn had not come when it changed. */
export const ANNOUNCE = 'leaderboard-news';

const LEADERS = 10;
/** How often a run is announced at most. */
const EVERY_MS = 5000;

const Job = z.object({ leaderboardId: z.number().int() });

/**
 * Announces these runs where their state or their first ten have changed since they were announced: immediately, or by a job five seconds after
 * the last time. The runs must be locked.
 */
export async function announce(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const run = (await lockRun(tx, id))!;
    const leaders = await leadersOf(tx, id);
    if (run.status === run.announced_status && isSame(leaders, run.leaders)) continue;
    const { dueAt, isDue } = await readTurn(tx, id);
    if (isDue) await emit(tx, run, leaders);
    else await addJob(tx, ANNOUNCE, { leaderboardId: id }, { key: `${ANNOUNCE}:${id}`, runAt: dueAt });
  }
}

/** The job of the queue. */
export const createNews =
  (db: Db) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('names no leaderboard');
    const { leaderboardId: id } = job.data;
    await transaction(db, async (tx) => {
      if (!(await lockRun(tx, id))) throw new JobHopeless('there is no such leaderboard');
      await announce(tx, [id]);
    });
  };

const leadersOf = async (tx: Tx, id: number): Promise<Leader[]> =>
  (await topOf(tx, id, LEADERS)).map(({ userId, score }) => ({ userId, score }));

const isSame = (a: readonly Leader[], b: readonly Leader[]): boolean =>
  a.length === b.length &&
  a.every(({ userId, score }, i) => userId === b[i]!.userId && score === b[i]!.score);

/** When a run may be announced again, and whether it may now: not by the start of the transaction, which may be long ago. */
async function readTurn(tx: Tx, id: number): Promise<{ dueAt: Date; isDue: boolean }> {
  const { rows } = await sql<{ dueAt: Date; isDue: boolean }>`
    select due as "dueAt", due <= clock_timestamp() as "isDue" from (
      select coalesce(date_trunc('milliseconds', announced_at) + ${EVERY_MS + 1} * interval '1 ms', created_at) as due
      from leaderboards where id = ${id}) turn`.execute(tx);
  return rows[0]!;
}

async function emit(tx: Tx, { id, status }: RunRow, leaders: readonly Leader[]): Promise<void> {
  const users = await usersById(
    tx,
    leaders.map(({ userId }) => userId),
  );
  const shown = leaders.map(({ userId, score }, i) => {
    const { id, username } = toShortPublicUser(users.get(userId)!, undefined);
    return { place: i + 1, username: id === null ? null : username, score: usd(score) };
  });
  await emitEvent(tx, {
    event: 'leaderboard.updated',
    data: { leaderboardId: String(id), status, leaders: shown },
  });
  await sql`
    update leaderboards set leaders = ${JSON.stringify(leaders)}, announced_status = status, announced_at = clock_timestamp()
    where id = ${id}`.execute(tx);
}
