import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../../../platform/database-errors.ts';
import type { Db } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { findCountryOfRegistration } from '../../base/registration-info/service.ts';
import { offIn } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import { bettingErrors } from './errors.ts';
import type { Bettor } from './play.ts';

type Deps = {
  db: Db;
  siteConfig: Pick<SiteConfig, 'get'>;
  statedCountryOf: (db: Db, userId: number) => Promise<string | null>;
  countryOf: (ip: string) => string | null;
};

/** Makes the same bet many times. */
export type SeriesOf = typeof playSeries;

const KNOWN_MS = 60_000;

/**
 * `playSeries` where the player's countries allow it, else every bet is refused with 403 SERIES_CLOSED. Every country counts that the
 * player is known by: of the address, the account, its registration and the stated identity. Those in the database are read once a minute.
 */
export function createSeries({ db, siteConfig, statedCountryOf, countryOf }: Deps): SeriesOf {
  const known = new LRUCache<number, readonly (string | null)[]>({ max: 10_000, ttl: KNOWN_MS });
  const read = async (userId: number) => {
    const countries = [
      (await getUser(db, userId)).country_code,
      await findCountryOfRegistration(db, userId),
      await statedCountryOf(db, userId),
    ];
    known.set(userId, countries);
    return countries;
  };
  const closedFor = async ({ userId, ip }: Bettor): Promise<string | undefined> => {
    const { seriesByCountry } = siteConfig.get('COMMON');
    if (!Object.values(seriesByCountry).includes(false)) return undefined;
    return offIn(seriesByCountry, [countryOf(ip), ...(known.get(userId) ?? (await read(userId)))]);
  };
  return async (by, count, bet) => {
    const country = await closedFor(by);
    const refused = country === undefined ? undefined : bettingErrors.SERIES_CLOSED({ country });
    return playSeries({ ...by, refused }, count, bet);
  };
}

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

/** The answer says which bets were made, so that a failure of another one is data in it. */
function refusedWith(reason: unknown): Refused {
  const { code, message, details = null } = reason instanceof AppError ? reason : failureOf(reason);
  return { code, message, details };
}

const failureOf = (reason: unknown): AppError =>
  isUnavailable(reason) ? commonErrors.SERVICE_UNAVAILABLE() : commonErrors.INTERNAL_ERROR();
