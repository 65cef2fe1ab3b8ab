import type { StaffCall } from '../../../http/access.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Abandoned } from './abandoned.ts';

export type BetQueue = ReturnType<typeof createBetQueue>;

const AT_ONCE = 500;

/** Bets that could not be settled (ERROR): tried again when staff says so. One that fails once more stays, with the newest reason. */
export function createBetQueue(parts: {
  db: Db;
  abandoned: Pick<Abandoned, 'retry'>;
  /** Tries to end a bet of a shared round. */
  retryShared: (betId: bigint) => Promise<unknown>;
}) {
  const { db, abandoned, retryShared } = parts;
  const shared = (after: bigint) =>
    db
      .selectFrom('bets')
      .select('id')
      .where('status', '=', 'ERROR')
      .where('round_id', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
  const count = async () => {
    const query = db.selectFrom('bets').where('status', '=', 'ERROR');
    return (await query.select(({ fn }) => fn.countAll<bigint>().as('n')).executeTakeFirstOrThrow()).n;
  };
  return {
    async retry(by: StaffCall): Promise<void> {
      await transaction(db, (tx) => freshActor(tx, by));
      const waiting = Number(await count());
      try {
        await abandoned.retry();
        for (let last = 0n, found = AT_ONCE; found === AT_ONCE; ) {
          const bets = await shared(last);
          for (const { id } of bets) await retryShared(id);
          found = bets.length;
          last = bets.at(-1)?.id ?? last;
        }
      } finally {
        // What has ended stays ended, whatever became of the others.
        const left = Number(await count());
        const [before, after] = [{ waiting }, { waiting: left }];
        await transaction(db, (tx) => recordAudit(tx, by, { before, after }));
      }
    },
  };
}
