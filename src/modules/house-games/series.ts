import { isUnavailable } from '../../platform/db.ts';
import { AppError, commonErrors } from '../../platform/errors.ts';
import type { Bettor } from './round.ts';

export type Refused = { code: string; message: string; details: Record<string, unknown> | null };
export type Series<R> = { bets: R[]; refused: Refused | null; unknown: number };

/**
 * Makes the same bet `count` times, each as if it had been sent alone: they lie in the queue together, and most share one
 * transaction. `bets` are those that were made, in order; `refused` is the first refusal; of `unknown` bets the database did not say
 * whether they were made. When none was made for certain, throws 503 BET_OUTCOME_UNKNOWN where that is so of any, else the refusal.
 */
export async function playSeries<R>(
  by: Bettor,
  count: number,
  bet: (by: Bettor) => Promise<R>,
): Promise<Series<R>> {
  const { idempotencyKey: key } = by;
  const make = (i: number) => bet({ ...by, idempotencyKey: key && `${key}:${i}` });
  // A key that was used for something else shows at the first bet: none of the others may be made then.
  const first = key ? [await make(0)] : [];
  const others = Array.from({ length: count - first.length }, (_, i) => make(first.length + i));
  const made = await Promise.allSettled(others);
  const bets = [...first, ...made.flatMap((m) => (m.status === 'fulfilled' ? [m.value] : []))];
  const failures: unknown[] = made.flatMap((m) => (m.status === 'rejected' ? [m.reason] : []));
  const unknown = failures.filter(isUnknown);
  const [refusal] = failures.filter((failure) => !isUnknown(failure));
  if (bets.length === 0 && failures.length > 0) throw unknown[0] ?? refusal;
  return { bets, refused: refusal === undefined ? null : refusedWith(refusal), unknown: unknown.length };
}

const isUnknown = (failure: unknown): boolean =>
  failure instanceof AppError && failure.code === 'BET_OUTCOME_UNKNOWN';

/** What was made is told, whatever the others failed of. */
function refusedWith(reason: unknown): Refused {
  const { code, message, details = null } = reason instanceof AppError ? reason : failureOf(reason);
  return { code, message, details };
}

const failureOf = (reason: unknown): AppError =>
  isUnavailable(reason) ? commonErrors.SERVICE_UNAVAILABLE() : commonErrors.INTERNAL_ERROR();
