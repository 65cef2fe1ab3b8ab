import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { createRewardsModel } from '../../../../test/kit/rewards-model.ts';
import { REWARD_CHECKS } from '../../operations/reconcile/rewards.ts';
import { declares } from './declares.ts';

const BETS = 'a bet that counts has not exactly its reward, or one that does not count has one';

// The bets have no money: the rest of the books does not balance with them.
const app = fixture(() => startApp({ reconcileOnStop: false }));

/** A long run says how many. */
const OPERATIONS = Number(process.env.REWARDS_OPERATIONS ?? 4000);

test(`N10 bets, wins, rollbacks, corrections and claims, consumed in slices of any size: ${OPERATIONS} operations, every sum is what plain arithmetic says`, async () => {
  const model = await createRewardsModel(app);
  for (let i = 0; i < OPERATIONS; i++) {
    await model.step();
    if (i % 100 === 0) await model.compare();
  }
  await model.finish();
  await model.compare();
  const checks = { ...declares.checks, [BETS]: REWARD_CHECKS[BETS] };
  for (const [problem, query] of Object.entries(checks))
    expect((await sql.raw(query).execute(app.db)).rows, problem).toEqual([]);
}, 1_800_000);
