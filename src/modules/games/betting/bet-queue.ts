import { operation } from '../../../http/operation.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Abandoned } from './abandoned.ts';

export type BetQueueDeps = {
  db: Db;
  abandoned: Pick<Abandoned, 'retry'>;
  /** Retries a bet of a shared round. */
  speedRoulette: { retry: (betId: bigint) => Promise<unknown> };
};

const BATCH = 500;

export const retryBets = operation({
  method: 'POST',
  path: '/admin/bet-queue/retry',
  tag: 'AdminBetQueue',
  access: { permission: 'bet.write' },
  gate: 'none',
  summary: 'Retry bets that could not be settled',
  description:
    'Tries once to settle or roll back each bet, which then has the status SETTLED or ROLLBACK. A bet that fails again keeps the ' +
    'status ERROR and gets the new reason.',
  handler: async (deps: BetQueueDeps, { by }) => {
    const { db, abandoned } = deps;
    await transaction(db, (tx) => freshActor(tx, by));
    const waiting = await countFailed(db);
    try {
      await abandoned.retry();
      await retryShared(deps);
    } finally {
      // The bets that have already ended stay ended, even if a later one fails.
      const [before, after] = [{ waiting }, { waiting: await countFailed(db) }];
      await transaction(db, (tx) => recordAudit(tx, by, { before, after }));
    }
  },
});

async function retryShared({ db, speedRoulette }: BetQueueDeps): Promise<void> {
  for (let last = 0n, found = BATCH; found === BATCH; ) {
    const bets = await db
      .selectFrom('bets')
      .select('id')
      .where('status', '=', 'ERROR')
      .where('round_id', 'is not', null)
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id } of bets) await speedRoulette.retry(id);
    found = bets.length;
    last = bets.at(-1)?.id ?? last;
  }
}

async function countFailed(db: Db): Promise<number> {
  const query = db.selectFrom('bets').where('status', '=', 'ERROR');
  return Number((await query.select(({ fn }) => fn.countAll<bigint>().as('n')).executeTakeFirstOrThrow()).n);
}
