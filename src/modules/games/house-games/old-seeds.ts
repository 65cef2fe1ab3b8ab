import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Fairness } from '../fairness/service.ts';

const AT_ONCE = 200;

export type OldSeeds = ReturnType<typeof createOldSeeds>;

/**
 * Rotates seed pairs that have served for `afterBets` bets, once their player has not bet for `idleMs` and has no open round: the
 * announced seed comes into force, the old one is revealed, and the client seed stays what it was.
 */
export function createOldSeeds(parts: {
  db: Db;
  fairness: Pick<Fairness, 'rotate'>;
  afterBets: number;
  idleMs: number;
  log: Log;
}) {
  const { db, fairness, afterBets, idleMs, log } = parts;
  return {
    async sweep(): Promise<void> {
      for (let after = 0, found = AT_ONCE; found === AT_ONCE; ) {
        const { rows } = await sql<{ userId: number; clientSeed: string }>`
          select p.user_id as "userId", s.client_seed as "clientSeed"
          from players p join seed_pairs s on s.id = p.seed_pair_id
          where p.nonce >= ${afterBets} and p.user_id > ${after} and not exists (select from rounds r where r.user_id = p.user_id)
            and (select b.created_at from bets b where b.user_id = p.user_id order by b.id desc limit 1)
              < now() - ${idleMs} * interval '1 millisecond'
          order by p.user_id limit ${AT_ONCE}`.execute(db);
        for (const { userId, clientSeed } of rows) await rotate(userId, clientSeed);
        found = rows.length;
        after = rows.at(-1)?.userId ?? after;
      }
    },
  };

  async function rotate(userId: number, clientSeed: string): Promise<void> {
    try {
      await fairness.rotate(userId, { clientSeed });
      log.info({ userId }, 'a seed pair was rotated after many bets');
    } catch (error) {
      // They have started a round since they were read: the next sweep tries again.
      if (!(error instanceof AppError && error.code === 'FAIRNESS_ROUND_OPEN')) throw error;
    }
  }
}
