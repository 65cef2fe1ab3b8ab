import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reconcile } from '../../../src/app/commands/reconcile.ts';
import type { TestApp } from '../app.ts';

type Books = Pick<TestApp, 'db' | 'config'>;
/**
 * A statement that makes the data inconsistent, a statement that repairs it, and the problems that reconciliation must report in between.
 */
export type Break = readonly [what: string, breaks: string, mends: string, problems: readonly string[]];

/**
 * Defines a test for each statement that makes data inconsistent. Reconciliation must find exactly the expected problems, and none after
 * the repair.
 */
export function testBreaks(app: Books, breaks: readonly Break[]): void {
  test.each(breaks)('%s', async (_, breaks, mends, problems) => {
    await sql.raw(breaks).execute(app.db);
    try {
      expect(await problemsOf(app)).toEqual(problems.toSorted());
    } finally {
      await sql.raw(mends).execute(app.db);
    }
    expect(await problemsOf(app)).toEqual([]);
  });
}

async function problemsOf({ db, config }: Books): Promise<string[]> {
  const { findings } = await reconcile(db, { seedSecret: config.SEED_SECRET });
  return [...new Set(findings.map(({ problem }) => problem))].sort();
}
