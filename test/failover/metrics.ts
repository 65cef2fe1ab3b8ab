import type { HaNode } from './node.ts';

/** Patroni metrics that dashboards and alerts query. Each run of the cluster checks that Patroni serves them. */
export const PATRONI_METRICS = [
  'patroni_dcs_last_seen',
  'patroni_is_paused',
  'patroni_postgres_running',
  'patroni_postgres_timeline',
  'patroni_primary',
  'patroni_replica',
  'patroni_sync_standby',
  'patroni_xlog_location',
  'patroni_xlog_replayed_location',
] as const;

/** Returns the metrics that the node does not serve. */
export async function missingMetrics(node: HaNode): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${node.apiPort}/metrics`);
  const text = await answer.text();
  return PATRONI_METRICS.filter((name) => !new RegExp(`^${name}\\{`, 'm').test(text));
}
