import type { PaymentDeps } from './deps.ts';

type Deps = Pick<PaymentDeps, 'log' | 'metrics'>;

/** Adds reasons for a review to those that a deposit has; counts and logs the new ones. Null: there are none. */
export function withReasons(
  { log, metrics }: Deps,
  { id, review_reason }: { id: string; review_reason: string | null },
  reasons: readonly string[],
): string | null {
  const known = review_reason?.split(',') ?? [];
  const fresh = reasons.filter((reason) => !known.includes(reason));
  for (const reason of fresh) metrics.depositFindings.inc({ reason });
  if (fresh.length > 0) log.warn({ depositId: id, reasons: fresh }, 'a deposit has to be reviewed');
  return [...known, ...fresh].join(',') || null;
}
