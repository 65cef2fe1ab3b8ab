import type { TestApp } from './app.ts';

/**
 * As if one person had been enough for whatever staff sets since yesterday. Setting it by the API would change nothing today, as the lowest
 * threshold of a day counts.
 */
export async function letOneAdjust({ db }: Pick<TestApp, 'db'>): Promise<void> {
  const [code, version, config] = ['WITHDRAWALS', 1, JSON.stringify({ adjustmentApprovalUsd: '999999999' })];
  await db.insertInto('site_config').values({ code, version, config }).execute();
  const changed_at = new Date(Date.now() - 2 * 86_400_000);
  await db.insertInto('site_config_history').values({ code, version, config, changed_at }).execute();
}
