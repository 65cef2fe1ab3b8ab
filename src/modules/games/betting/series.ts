import type { Caller } from '../../../http/access.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { offIn } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { PlayerCountries } from '../../compliance/countries/service.ts';
import { bettingErrors } from './errors.ts';

type Deps = {
  siteConfig: Pick<SiteConfig, 'get'>;
  playerCountries: Pick<PlayerCountries, 'rememberedOf'>;
};

/** Places the same bet many times. */
export type SeriesOf = typeof playSeries;

/**
 * Returns a `playSeries` that accepts only players whose countries all allow series. For other players every bet is rejected with 403
 * SERIES_CLOSED.
 */
export function createSeries({ siteConfig, playerCountries }: Deps): SeriesOf {
  const closedFor = async (by: Caller): Promise<string | undefined> => {
    const { seriesByCountry } = siteConfig.get('COMMON');
    if (!Object.values(seriesByCountry).includes(false)) return undefined;
    return offIn(seriesByCountry, await playerCountries.rememberedOf(by));
  };
  return async (by, count, bet) => {
    const country = await closedFor(by);
    const refused = country === undefined ? undefined : bettingErrors.SERIES_CLOSED({ country });
    return playSeries(by, count, (each) => bet(each, refused));
  };
}

export type Refused = { code: string; message: string; details: Record<string, unknown> | null };
export type Series<R> = { bets: R[]; refused: Refused | null; unknown: number };

/**
 * Places the same bet `count` times, each as if it had been sent separately. The bets are queued together, and most share one transaction.
 * Returns the placed bets in order, the first rejection, and the number of bets whose outcome the database did not confirm. If no bet was
 * placed, throws 503 BET_OUTCOME_UNKNOWN if any outcome is unknown, otherwise the first rejection.
 */
export async function playSeries<R>(
  by: Caller,
  count: number,
  bet: (by: Caller, refused?: AppError) => Promise<R>,
): Promise<Series<R>> {
  const { idempotencyKey: key } = by;
  const make = (i: number) => bet({ ...by, idempotencyKey: key && `${key}:${i}` });
  // If the key was already used for another request, the first bet fails before any other bet is placed.
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

/** Returns a failure as a value, because the response contains the placed bets as well. */
function refusedWith(reason: unknown): Refused {
  const { code, message, details = null } = reason instanceof AppError ? reason : failureOf(reason);
  return { code, message, details };
}

const failureOf = (reason: unknown): AppError =>
  isUnavailable(reason) ? commonErrors.SERVICE_UNAVAILABLE() : commonErrors.INTERNAL_ERROR();
