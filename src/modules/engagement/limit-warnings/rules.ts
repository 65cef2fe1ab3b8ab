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

/** A limit that is nearly used up. `amount` and `used` are in units of 10^-8 US dollars, or in minutes for SESSION. */
export type Warning = {
  userId: number;
  type: LimitType;
  period: LimitPeriod;
  periodStart: Date;
  amount: bigint;
  used: bigint;
};

const PLAY = ['WAGER', 'LOSS', 'SESSION'] as const;

/** Returns true if at least 80 % of the limit is used. A limit of 0 needs no warning, because it is used up from the start. */
const isNearlyUsed = (used: bigint, amount: bigint): boolean => amount > 0n && used * 5n >= amount * 4n;

/** Returns the limits on play that a player has nearly used up. */
export const playWarnings = (player: Restrictions, at: Date): Warning[] =>
  PLAY.flatMap((type) => {
    const { play } = player;
    return play ? warningsOf(player, type, (period) => usedOf(type, period, play, at), at) : [];
  });

/** Returns the deposit limits that a player has nearly used up. `deposited`: the deposits of the current periods. */
export const depositWarnings = (
  player: Restrictions,
  deposited: Readonly<Record<LimitPeriod, Units>>,
  at: Date,
): Warning[] => warningsOf(player, 'DEPOSIT', (period) => deposited[period], at);

const warningsOf = (
  { userId, limits }: Restrictions,
  type: LimitType,
  usedIn: (period: LimitPeriod) => bigint,
  at: Date,
): Warning[] =>
  LIMIT_PERIODS.flatMap((period) => {
    const [amount, used] = [limits[type]?.[period], usedIn(period)];
    if (amount === undefined || !isNearlyUsed(used, amount)) return [];
    return [{ userId, type, period, periodStart: periodStart(period, at), amount, used }];
  });

/** The data of the event `limit.warning`. */
export const eventData = ({ type, period, periodStart: start, amount, used }: Warning) => ({
  type,
  period,
  limit: shownLimit(type, amount),
  used: shownLimit(type, used),
  periodEndsAt: periodEnd(period, start).toISOString(),
});
