import { z } from 'zod';
import { type Tx, transaction } from '../../../platform/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { UserId } from '../../base/users/schemas.ts';
import type { PromoDeps } from './deps.ts';
import { grantEach } from './grant.ts';
import { activePromos } from './queries.ts';
import { sourceKeyOf } from './rules.ts';

/** The job that grants a player the WELCOME promotion that fits. */
export const WELCOME_BONUS = 'welcome-bonus';

/** Queues it, in the transaction after which one may fit: sign-up, a proven address, the first deposit. */
export const queueWelcomeBonus = (tx: Tx, userId: number): Promise<void> =>
  addJob(tx, WELCOME_BONUS, { userId }, { key: `${WELCOME_BONUS}:${userId}` });

const Job = z.object({ userId: UserId });

/** Grants a player the first active WELCOME promotion that they may have, once in their life. */
export const createWelcome =
  (deps: PromoDeps) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('names no user');
    await transaction(deps.db, (tx) => welcome(tx, deps, job.data.userId));
  };

async function welcome(tx: Tx, deps: PromoDeps, userId: number): Promise<void> {
  const promos = (await activePromos(tx, ['WELCOME'])).reverse();
  if (promos.length === 0) return;
  await lockPlayers(tx, [userId]);
  for (const promo of promos) {
    const sourceKey = sourceKeyOf(promo.id, userId);
    const outcome = (await grantEach(tx, deps, promo, [{ userId, source: 'OFFER', sourceKey }])).get(userId)!;
    if ('grantId' in outcome || outcome.refusal.code === 'PROMO_ALREADY_USED') return;
  }
}
