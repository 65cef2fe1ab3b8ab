import { ONE, parseUnits } from '../../../platform/money.ts';
import { HIGHEST_LIMIT, type LimitPeriod, type Limits, type LimitType } from '../gate/rules.ts';

export type LimitSource = 'PLAYER' | 'STAFF';

/** A limit as stored: US dollars in units, or minutes for SESSION. Null if the limit was removed. */
export type StoredLimit = {
  type: LimitType;
  period: LimitPeriod;
  source: LimitSource;
  amount: bigint | null;
};

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Exclusions of at least this length are self-exclusions and not time-outs, so play resumes only a day after they end. */
const SELF_EXCLUSION_DAYS = 180;
const WAITING_PERIOD_MS = DAY_MS;
/** Five years. */
export const LONGEST_EXCLUSION_DAYS = 1826;

/** A looser limit can be confirmed once the first of these periods has passed since the request, and until the second has passed. */
export const CONFIRMABLE_AFTER_MS = 24 * HOUR_MS;
export const LAPSES_AFTER_MS = 168 * HOUR_MS;

/**
 * Returns the kind of an exclusion and when play may resume. Extensions are measured from the start of the exclusion, so that several short
 * extensions in a row also lead to a waiting period.
 */
export function exclusionOf(startedAt: Date, expiresAt: Date) {
  const isLong = expiresAt.getTime() - startedAt.getTime() >= SELF_EXCLUSION_DAYS * DAY_MS;
  return isLong
    ? { kind: 'SELF_EXCLUSION' as const, playFrom: new Date(expiresAt.getTime() + WAITING_PERIOD_MS) }
    : { kind: 'COOL_OFF' as const, playFrom: expiresAt };
}

const MINUTES: Readonly<Record<LimitPeriod, bigint>> = { DAY: 1440n, WEEK: 10_080n, MONTH: 44_640n };

/** Bounds of a limit, formatted for responses. */
export const boundsOf = (type: LimitType, period: LimitPeriod) =>
  type === 'SESSION'
    ? { min: '1', max: String(MINUTES[period]) }
    : { min: '0', max: String(HIGHEST_LIMIT / ONE) };

/** Parses a limit: US dollars with up to 8 decimals, or whole minutes for SESSION. Returns undefined if it is invalid or out of bounds. */
export function readLimit(type: LimitType, period: LimitPeriod, text: string): bigint | undefined {
  if (type !== 'SESSION') {
    const amount = parseUnits(text);
    return amount === undefined || amount > HIGHEST_LIMIT ? undefined : amount;
  }
  const scaled = parseUnits(text, 0);
  const minutes = scaled === undefined ? 0n : scaled / ONE;
  return minutes < 1n || minutes > MINUTES[period] ? undefined : minutes;
}

/** Compares a requested limit with the current one. Tighter limits apply immediately. Looser limits must be confirmed later. */
export function directionOf(current: bigint | null, requested: bigint | null): 'same' | 'tighter' | 'looser' {
  if (current === requested) return 'same';
  if (current === null) return 'tighter';
  return requested === null || requested > current ? 'looser' : 'tighter';
}

/** Returns the lowest limit of each type and period. */
export function lowest(stored: readonly StoredLimit[]): Limits {
  const limits: Partial<Record<LimitType, Partial<Record<LimitPeriod, bigint>>>> = {};
  for (const { type, period, amount } of stored) {
    if (amount === null) continue;
    const current = limits[type]?.[period];
    if (current === undefined || amount < current) limits[type] = { ...limits[type], [period]: amount };
  }
  return limits;
}

/** Returns true if the player's play is needed to check these limits. */
export const limitsPlay = ({ WAGER, LOSS, SESSION }: Limits): boolean =>
  [WAGER, LOSS, SESSION].some((periods) => periods !== undefined);
