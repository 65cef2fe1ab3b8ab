import type { Units } from '../../../platform/money.ts';
import { periodEnd, periodStart } from '../../../platform/periods.ts';
import {
  LIMIT_PERIODS,
  type LimitPeriod,
  type LimitType,
  type Restrictions,
  shownLimit,
  usedOf,
} from '../../compliance/gate/rules.ts';

/** A limit of which most is used: dollars (units), of SESSION minutes. */
export type Warning = {
  userId: number;
  type: LimitType;
  period: LimitPeriod;
  periodStart: Date;
  amount: bigint;
  used: bigint;
};

const PLAY = ['WAGER', 'LOSS', 'SESSION'] as const;

/** Four fifths. A limit of nothing is used up from the beginning: whoever set it knows. */
const isMostUsed = (used: bigint, amount: bigint): boolean => amount > 0n && used * 5n >= amount * 4n;

/** The limits on play of which a player has used most at a moment. */
export function playWarnings({ userId, limits, play }: Restrictions, at: Date): Warning[] {
  if (!play) return [];
  return PLAY.flatMap((type) =>
    LIMIT_PERIODS.flatMap((period): Warning[] => {
      const amount = limits[type]?.[period];
      const used = usedOf(type, period, play, at);
      if (amount === undefined || !isMostUsed(used, amount)) return [];
      return [{ userId, type, period, periodStart: periodStart(period, at), amount, used }];
    }),
  );
}

/** The same of limits on deposits, from what was paid in in the running periods. */
export function depositWarnings(
  { userId, limits }: Restrictions,
  deposited: Readonly<Record<LimitPeriod, Units>>,
  at: Date,
): Warning[] {
  return LIMIT_PERIODS.flatMap((period): Warning[] => {
    const [amount, used] = [limits.DEPOSIT?.[period], deposited[period]];
    if (amount === undefined || !isMostUsed(used, amount)) return [];
    return [{ userId, type: 'DEPOSIT', period, periodStart: periodStart(period, at), amount, used }];
  });
}

/** What the player is told. */
export const told = ({ type, period, periodStart: start, amount, used }: Warning) => ({
  type,
  period,
  limit: shownLimit(type, amount),
  used: shownLimit(type, used),
  periodEndsAt: periodEnd(period, start).toISOString(),
});
