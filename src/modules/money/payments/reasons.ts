import type { PaymentDeps } from './deps.ts';

type Deps = Pick<PaymentDeps, 'log' | 'metrics'>;

/** Adds reasons to those of a deposit, and counts and logs the new ones. Returns null if there are none. */
export function withReasons(
  { log, metrics }: Deps,
  { id, review_reason }: { id: string; review_reason: string | null },
  reasons: readonly string[],
): string | null {
  const existing = review_reason?.split(',') ?? [];
  const fresh = reasons.filter((reason) => !existing.includes(reason));
  for (const reason of fresh) metrics.depositFindings.inc({ reason });
  if (fresh.length > 0) log.warn({ depositId: id, reasons: fresh }, 'deposit needs review');
  return [...existing, ...fresh].join(',') || null;
}
