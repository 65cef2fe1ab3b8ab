import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue.ts';
import { emitEvent } from '../../base/events/service.ts';
import { toShortPublicUser, usersById } from '../../base/users/service.ts';
import { type Leader, lockRun, type RunRow, topOf, usd } from './queries.ts';

/** Announces the first ten of a run, some time after they were announced last. */
export const ANNOUNCE = 'leaderboard-news';

const LEADERS = 10;
/** How often standings of a run are announced at most. */
const EVERY_MS = 5000;

const Job = z.object({ leaderboardId: z.number().int() });

/** Announces these runs where their first ten have changed, now or when they were not announced for a while. The runs must be locked. */
export async function announceChanged(tx: Tx, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const run = (await lockRun(tx, id))!;
    const leaders = await leadersOf(tx, id);
    if (isSame(leaders, run.leaders)) continue;
    const { rows } = await sql<{ waitsMs: number }>`
      select coalesce(extract(epoch from announced_at - now()) * 1000 + ${EVERY_MS}, 0)::float8 as "waitsMs" from leaderboards
      where id = ${id}`.execute(tx);
    if (rows[0]!.waitsMs <= 0) await announce(tx, run, leaders);
    else
      await addJob(
        tx,
        ANNOUNCE,
        { leaderboardId: id },
        { key: `${ANNOUNCE}:${id}`, runAt: new Date(run.announced_at!.getTime() + EVERY_MS) },
      );
  }
}

/** Announces a run with its new state. */
export const announceState = async (tx: Tx, run: RunRow): Promise<void> =>
  announce(tx, run, await leadersOf(tx, run.id));

/** The job of the queue. */
export const createNews =
  (db: Db) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('names no leaderboard');
    await transaction(db, async (tx) => {
      const run = await lockRun(tx, job.data.leaderboardId);
      if (!run) throw new JobHopeless('there is no such leaderboard');
      await announceChanged(tx, [run.id]);
    });
  };

const leadersOf = async (tx: Tx, id: number): Promise<Leader[]> =>
  (await topOf(tx, id, LEADERS)).map(({ userId, score }) => ({ userId, score }));

const isSame = (a: readonly Leader[], b: readonly Leader[]): boolean =>
  a.length === b.length &&
  a.every(({ userId, score }, i) => userId === b[i]!.userId && score === b[i]!.score);

async function announce(tx: Tx, run: RunRow, leaders: readonly Leader[]): Promise<void> {
  const users = await usersById(
    tx,
    leaders.map(({ userId }) => userId),
  );
  const shown = leaders.map(({ userId, score }, i) => {
    const { id, username } = toShortPublicUser(users.get(userId)!, undefined);
    return { place: i + 1, username: id === null ? null : username, score: usd(score) };
  });
  const data = { leaderboardId: String(run.id), status: run.status, leaders: shown };
  await emitEvent(tx, { event: 'leaderboard.updated', data });
  await sql`
    update leaderboards set leaders = ${JSON.stringify(leaders)}, announced_at = now() where id = ${run.id}`.execute(
    tx,
  );
}
