import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { checks } from '../../../src/modules/engagement/rewards/checks.ts';
import type { TestApp } from '../app.ts';
import { createRewardsModel } from './rewards-model.ts';

/** The maximum number of changed bets between two comparisons. */
const CHANGES = 200;
const PROVE_EVERY = 10_000;

type Run = { operations: number; expiryDays: number | null };

/**
 * Runs random operations: changes to bets, then slices and claims. After each slice or claim, compares all sums with the model. Runs the
 * reconciliation checks from time to time. Returns the number of operations.
 */
export async function playRewards(app: TestApp, { operations, expiryDays }: Run): Promise<number> {
  const model = await createRewardsModel(app, { expiryDays });
  let done = 0;
  for (let proven = 0; done < operations; ) {
    const [changes, corrections] = [randomInt(1, CHANGES), randomInt(CHANGES / 10)];
    await model.change(changes, corrections);
    const steps = randomInt(1, 4);
    for (let i = 0; i < steps; i++) {
      await model.step();
      await model.compare();
    }
    done += changes + corrections + steps;
    if (done - proven < PROVE_EVERY) continue;
    await prove(app);
    proven = done;
  }
  await model.finish();
  await model.compare();
  await prove(app);
  return done;
}

async function prove({ db }: TestApp): Promise<void> {
  for (const [problem, query] of Object.entries({ ...checks.N8, ...checks.N10 }))
    expect((await sql.raw(query).execute(db)).rows, problem).toEqual([]);
}
