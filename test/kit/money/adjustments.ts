import type { TestApp } from '../app.ts';

const NO_THRESHOLDS = { adjustmentApprovalUsd: '999999999', staffValueLimitUsd: '999999999' };

/**
 * Raises the approval thresholds so high that one person can create and move any amount, except where approval is always required. The
 * settings change is backdated by two days, because the lowest threshold of the last day applies. A change through the API would have
 * no effect today.
 */
export async function letOneAdjust({ db }: Pick<TestApp, 'db'>): Promise<void> {
  const [code, version, config] = ['WITHDRAWALS', 1, JSON.stringify(NO_THRESHOLDS)];
  const set = await db
    .insertInto('site_config')
    .values({ code, version, config })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst();
  if (set.numInsertedOrUpdatedRows === 0n) return;
  const changed_at = new Date(Date.now() - 2 * 86_400_000);
  await db.insertInto('site_config_history').values({ code, version, config, changed_at }).execute();
}
