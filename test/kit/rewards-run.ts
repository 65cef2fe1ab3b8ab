import { sql } from 'kysely';
import { expect } from 'vitest';
import { declares } from '../../src/modules/engagement/rewards/declares.ts';
import { REWARD_CHECKS } from '../../src/modules/operations/reconcile/rewards.ts';
import type { TestApp } from './app.ts';
import { createRewardsModel } from './rewards-model.ts';

const BETS = 'a bet that counts has not exactly its reward, or one that does not count has one';

/** Operations at random, after each of which every sum is what the model says; what reconcile proves is proven now and then. */
export async function playRewards(
  app: TestApp,
  { operations, expiryDays }: { operations: number; expiryDays: number | null },
): Promise<void> {
  const model = await createRewardsModel(app, { expiryDays });
  for (let i = 1; i <= operations; i++) {
    await model.step();
    await model.compare();
    if (i % 1000 === 0) await prove(app);
  }
  await model.finish();
  await model.compare();
  await prove(app);
}

async function prove({ db }: TestApp): Promise<void> {
  const checks = { ...declares.checks, [BETS]: REWARD_CHECKS[BETS] };
  for (const [problem, query] of Object.entries(checks))
    expect((await sql.raw(query).execute(db)).rows, problem).toEqual([]);
}
