import { ONE, parseUnits } from '../../../platform/money.ts';
import { HIGHEST_LIMIT, type LimitPeriod, type Limits, type LimitType } from '../gate/rules.ts';

export type LimitSource = 'PLAYER' | 'STAFF';

/** A limit as it is stored: dollars (units), of SESSION minutes; null once it was removed. */
export type StoredLimit = {
  type: LimitType;
  period: LimitPeriod;
  source: LimitSource;
  amount: bigint | null;
};

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** From so many days on an exclusion is no time-out any more, and play begins a day later than it ends. */
const SELF_EXCLUSION_DAYS = 180;
const PAUSE_MS = DAY_MS;
/** Five years. */
export const LONGEST_EXCLUSION_DAYS = 1826;

/** What a loosened limit waits for its confirmation, and when it is too late for that. */
export const CONFIRMABLE_AFTER_MS = 24 * HOUR_MS;
export const LAPSES_AFTER_MS = 168 * HOUR_MS;

/**
 * Which exclusion lasts from one moment to another, and when play may begin again. An extension is measured from where the
 * exclusion began: no chain of short ones is without its pause.
 */
export function exclusionOf(startedAt: Date, expiresAt: Date) {
  const isLong = expiresAt.getTime() - startedAt.getTime() >= SELF_EXCLUSION_DAYS * DAY_MS;
  return isLong
    ? { kind: 'SELF_EXCLUSION' as const, playFrom: new Date(expiresAt.getTime() + PAUSE_MS) }
    : { kind: 'COOL_OFF' as const, playFrom: expiresAt };
}

const MINUTES: Readonly<Record<LimitPeriod, bigint>> = { DAY: 1440n, WEEK: 10_080n, MONTH: 44_640n };

/** Bounds of a limit, as they are shown. */
export const boundsOf = (type: LimitType, period: LimitPeriod) =>
  type === 'SESSION'
    ? { min: '1', max: String(MINUTES[period]) }
    : { min: '0', max: String(HIGHEST_LIMIT / ONE) };

/** Reads a limit: dollars with up to 8 decimals, of SESSION whole minutes. Undefined when it is out of bounds. */
export function readLimit(type: LimitType, period: LimitPeriod, text: string): bigint | undefined {
  if (type !== 'SESSION') {
    const amount = parseUnits(text);
    return amount === undefined || amount > HIGHEST_LIMIT ? undefined : amount;
  }
  const scaled = parseUnits(text, 0);
  const minutes = scaled === undefined ? 0n : scaled / ONE;
  return minutes < 1n || minutes > MINUTES[period] ? undefined : minutes;
}

/** What a change does to a limit: a tighter one applies immediately, a looser one has to wait. */
export function directionOf(present: bigint | null, wanted: bigint | null): 'same' | 'tighter' | 'looser' {
  if (present === wanted) return 'same';
  if (present === null) return 'tighter';
  return wanted === null || wanted > present ? 'looser' : 'tighter';
}

/** The lowest of all limits by type and period. */
export function lowest(stored: readonly StoredLimit[]): Limits {
  const limits: Partial<Record<LimitType, Partial<Record<LimitPeriod, bigint>>>> = {};
  for (const { type, period, amount } of stored) {
    if (amount === null) continue;
    const known = limits[type]?.[period];
    if (known === undefined || amount < known) limits[type] = { ...limits[type], [period]: amount };
  }
  return limits;
}

/** Whether what is played has to be known to check these limits. */
export const limitsPlay = ({ WAGER, LOSS, SESSION }: Limits): boolean =>
  [WAGER, LOSS, SESSION].some((periods) => periods !== undefined);
