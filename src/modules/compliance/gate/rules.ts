import type { GateAction } from '../../../http/route.ts';
import type { CountrySet } from '../../../platform/countries/rules.ts';
import type { AppError } from '../../../platform/errors.ts';
import { formatUnits, ONE, type Units } from '../../../platform/money.ts';
import { periodEnd, periodStart } from '../../../platform/periods.ts';
import { gateErrors } from './errors.ts';

export const LIMIT_TYPES = ['DEPOSIT', 'WAGER', 'LOSS', 'SESSION'] as const;
export type LimitType = (typeof LIMIT_TYPES)[number];
export const LIMIT_PERIODS = ['DAY', 'WEEK', 'MONTH'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

/** The lowest limit of each type and period, in dollars (units). SESSION limits are in minutes. */
export type Limits = Readonly<Partial<Record<LimitType, Readonly<Partial<Record<LimitPeriod, bigint>>>>>>;

/** Play since the start of a period: stakes and payouts in dollars (units), and the time spent playing. */
export type Played = { start: Date; staked: Units; paid: Units; playedMs: number };
/** A player's play in the current periods, and the time of the last bet or payout. */
export type Play = Readonly<Record<LimitPeriod, Played>> & { lastAt: Date | null };

/** A player's restrictions other than a ban, read with the player locked. */
export type Restrictions = {
  userId: number;
  excludedUntil: Date | null;
  /** The player may play again from this time, which can be later than the end of an exclusion. */
  playFrom: Date | null;
  limits: Limits;
  /** Null until the first limit on play is set for the player. */
  play: Play | null;
};

/** Facts that are not specific to one player. */
export type World = {
  isGeoBlocked: boolean;
  isPlayOpen: boolean;
  isDepositOpen: boolean;
  isWithdrawOpen: boolean;
  /** Minimum time between two bets of a player; 0 means no minimum. */
  minBetIntervalMs: number;
  /** True if any country requires a minimum time between bets. The time of the last bet is then stored for players in every country. */
  keepsBetTimes: boolean;
};

/**
 * Returns the rules that currently apply to a player with these countries. It reads from memory, so call it each time instead of storing
 * the result.
 */
export type Outlook = (countries: CountrySet) => World;

/** Additional facts for a withdrawal. */
export type WithdrawalFacts = {
  block: { reasonPublic: string | null; blockUntil: string | null } | null;
  /** The KYC tier that must be approved before the withdrawal. */
  kycTier: string | null;
  /** The remaining turnover in dollars. */
  wagerRemainingUsd: Units;
  /** The part of `wagerRemainingUsd` that does not come from deposits but from promotional cash and tips. */
  keptWagerUsd: Units;
  /** The grant whose wagering must be completed before money in its currency can be withdrawn. */
  openGrant: { grantId: string; wagerRemaining: string; currencyId: string } | null;
};

export type GateFacts = World & {
  at: Date;
  isBanned: boolean;
  /** Undefined if the player has no restrictions. */
  restrictions?: Restrictions | undefined;
  /** The stake of the bet to check, in dollars. */
  stakeUsd?: Units;
  /** Deposits since the start of each period, in dollars. */
  depositedUsd?: Readonly<Record<LimitPeriod, Units>>;
  /** The KYC tier that must be approved before a deposit. */
  depositKycTier?: string | null;
  withdrawal?: WithdrawalFacts;
};

type Check = (facts: GateFacts) => AppError | undefined;

const banned: Check = ({ isBanned }) => (isBanned ? gateErrors.USER_BANNED() : undefined);

const excluded: Check = ({ restrictions, at }) => refuseUntil(restrictions?.excludedUntil, at);
const coolingOff: Check = (facts) => refuseUntil(facts.restrictions?.playFrom, facts.at) ?? excluded(facts);
const refuseUntil = (until: Date | null | undefined, at: Date) =>
  isAfter(until, at) ? gateErrors.SELF_EXCLUDED({ until: until.toISOString() }) : undefined;
const isAfter = (moment: Date | null | undefined, at: Date): moment is Date => !!moment && moment > at;

const geoBlocked: Check = ({ isGeoBlocked }) => (isGeoBlocked ? gateErrors.AUTH_GEO_BLOCKED() : undefined);
const playStopped: Check = ({ isPlayOpen }) => (isPlayOpen ? undefined : gateErrors.PLAY_STOPPED());
const depositsStopped: Check = ({ isDepositOpen }) =>
  isDepositOpen ? undefined : gateErrors.DEPOSIT_DISABLED();
const withdrawalsStopped: Check = ({ isWithdrawOpen }) =>
  isWithdrawOpen ? undefined : gateErrors.WITHDRAW_DISABLED();
const depositKyc: Check = ({ depositKycTier: tier }) =>
  tier ? gateErrors.KYC_REQUIRED({ tier }) : undefined;

const playLimits: Check = ({ restrictions, at, stakeUsd = 0n }) => {
  const { limits, play, userId } = restrictions ?? {};
  if (!limits || !(limits.WAGER || limits.LOSS || limits.SESSION)) return undefined;
  // If a limit cannot be checked, play is not allowed.
  if (!play) throw new Error(`what user ${userId} has played is not known`);
  const now = rollPeriods(play, at);
  return (
    worstOf(limits.WAGER, 'WAGER', at, (period) => now[period].staked, stakeUsd) ??
    // Assumes that the new stake is lost.
    worstOf(limits.LOSS, 'LOSS', at, (period) => now[period].staked - now[period].paid, stakeUsd) ??
    sessionLimit(limits, now, at)
  );
};

const depositLimits: Check = ({ restrictions, at, depositedUsd }) => {
  const limits = restrictions?.limits.DEPOSIT;
  if (!limits) return undefined;
  if (!depositedUsd) throw new Error(`what user ${restrictions.userId} has paid in is not known`);
  // The amount of the deposit is not known yet, so the deposit is rejected only if the limit is already used up.
  return worstOf(limits, 'DEPOSIT', at, (period) => depositedUsd[period], 1n);
};

const blocked: Check = ({ withdrawal }) =>
  withdrawal?.block ? gateErrors.WITHDRAWAL_BLOCKED({ ...withdrawal.block }) : undefined;
const kyc: Check = ({ withdrawal }) =>
  withdrawal?.kycTier ? gateErrors.KYC_REQUIRED({ tier: withdrawal.kycTier }) : undefined;
/**
 * Returns true if a player is self-excluded. Such a player cannot wager, so turnover required by deposits must not block their withdrawals.
 * Turnover required by promotional cash and tips must still be met, because otherwise an exclusion would make such gifts withdrawable. A
 * time-out ends automatically and waives no turnover.
 */
export const isSelfExcluded = ({ restrictions, at }: Pick<GateFacts, 'restrictions' | 'at'>): boolean => {
  const { excludedUntil, playFrom } = restrictions ?? {};
  return isAfter(excludedUntil, at) && isAfter(playFrom, excludedUntil);
};
const rollover: Check = (facts) => rolloverOf(facts.withdrawal, isSelfExcluded(facts));
function rolloverOf(withdrawal: WithdrawalFacts | undefined, isExcluded: boolean) {
  if (!withdrawal) return undefined;
  const openUsd = isExcluded ? withdrawal.keptWagerUsd : withdrawal.wagerRemainingUsd;
  return openUsd > 0n ? gateErrors.ROLLOVER_OPEN({ wagerRemainingUsd: formatUnits(openUsd) }) : undefined;
}

const bonusOpen: Check = ({ withdrawal }) =>
  withdrawal?.openGrant ? gateErrors.ROLLOVER_OPEN({ ...withdrawal.openGrant }) : undefined;

/** The actions of routes, and writing in the chat, which uses sockets. */
export type GatedAction = GateAction | 'chat';

/**
 * The checks of each action, in order. An action without checks is always allowed, so that players can always access their winnings and
 * balances.
 */
const CHECKS: Readonly<Record<GatedAction, readonly Check[]>> = {
  none: [],
  finish: [],
  staff: [],
  vault: [banned],
  bet: [banned, coolingOff, geoBlocked, playStopped, playLimits],
  launch: [banned, coolingOff, geoBlocked, playStopped, playLimits],
  deposit: [banned, excluded, geoBlocked, depositsStopped, depositLimits, depositKyc],
  bonus: [banned, excluded, geoBlocked],
  transfer: [banned, excluded, geoBlocked],
  claim: [banned, excluded],
  chat: [banned, excluded, geoBlocked],
  withdraw: [banned, withdrawalsStopped, blocked, kyc, rollover, bonusOpen],
};

/** Checks whether money may move or play may start. Returns the first error, or undefined if the action is allowed. */
export function refusalOf(action: GatedAction, facts: GateFacts): AppError | undefined {
  for (const check of CHECKS[action]) {
    const refusal = check(facts);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Returns all errors for an action. The first one is the result of `refusalOf`. */
export const refusalsOf = (action: GatedAction, facts: GateFacts): AppError[] =>
  CHECKS[action].flatMap((check) => check(facts) ?? []);

/** The actions that an exclusion blocks. */
export const CLOSED_BY_EXCLUSION = (Object.keys(CHECKS) as GatedAction[]).filter((action) =>
  CHECKS[action].some((check) => check === excluded || check === coolingOff),
);

/** The actions that a blocked country prevents. */
export const CLOSED_BY_COUNTRY: ReadonlySet<GatedAction> = new Set(
  (Object.keys(CHECKS) as GatedAction[]).filter((action) => CHECKS[action].includes(geoBlocked)),
);

function worstOf(
  limits: Limits[LimitType],
  type: LimitType,
  at: Date,
  usedIn: (period: LimitPeriod) => Units,
  more: Units,
): AppError | undefined {
  for (const period of LIMIT_PERIODS) {
    const limit = limits?.[period];
    if (limit === undefined) continue;
    const used = usedIn(period);
    // With a limit of 0, no stake is allowed, not even one that is paid from winnings.
    if (limit === 0n || used + more > limit)
      return reached(type, period, { at, limit: formatUnits(limit), used: formatUnits(atLeastZero(used)) });
  }
  return undefined;
}

function sessionLimit({ SESSION }: Limits, now: Play, at: Date): AppError | undefined {
  for (const period of LIMIT_PERIODS) {
    const minutes = SESSION?.[period];
    const used = minutesOf(now[period]);
    if (minutes === undefined || used < minutes) continue;
    return reached('SESSION', period, { at, limit: String(minutes), used: String(used) });
  }
  return undefined;
}

const reached = (type: LimitType, period: LimitPeriod, facts: { at: Date; limit: string; used: string }) =>
  gateErrors.LIMIT_REACHED({
    type,
    period,
    limit: facts.limit,
    used: facts.used,
    periodEndsAt: periodEnd(period, facts.at).toISOString(),
  });

const minutesOf = ({ playedMs }: Played): bigint => BigInt(Math.floor(playedMs / 60_000));
const atLeastZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** A longer gap between two bets is a break and does not count as play. */
const BREAK_MS = 600_000;

/** Returns the time between two events that counts as play in the period from `start`, in whole milliseconds. */
export function playedBetween(from: Date | null, to: Date, start: Date): number {
  if (!from) return 0;
  const gap = to.getTime() - from.getTime();
  return gap > BREAK_MS ? 0 : Math.max(0, Math.min(gap, to.getTime() - start.getTime()));
}

const playIn = (lastAt: Date | null, playedIn: (period: LimitPeriod) => Played): Play => ({
  lastAt,
  DAY: playedIn('DAY'),
  WEEK: playedIn('WEEK'),
  MONTH: playedIn('MONTH'),
});

/** Returns a record without any play. */
export const noPlay = (at: Date): Play =>
  playIn(null, (period) => ({ start: periodStart(period, at), staked: 0n, paid: 0n, playedMs: 0 }));

/**
 * Returns the recorded play as it is at a given time. Periods that have ended start again from zero, and the time since the last event is
 * added.
 */
export const rollPeriods = (play: Play, at: Date): Play =>
  playIn(play.lastAt, (period) => {
    const start = periodStart(period, at);
    const last = play[period];
    const passed = playedBetween(play.lastAt, at, start);
    if (last.start >= start) return { ...last, playedMs: last.playedMs + passed };
    return { start, staked: 0n, paid: 0n, playedMs: passed };
  });

/**
 * Records a stake, a payout or both. A payout is added to the period in which it is paid, even if the stake was placed in an earlier
 * period.
 */
export function recordUsage(
  play: Play,
  { at, staked, paid }: { at: Date; staked: Units; paid: Units },
): Play {
  const now = rollPeriods(play, at);
  // Transactions may lock a player in a different order from the one in which they began. In that case, the same time must not be counted
  // twice.
  const lastAt = now.lastAt && now.lastAt > at ? now.lastAt : at;
  return playIn(lastAt, (period) => {
    const played = now[period];
    return { ...played, staked: played.staked + staked, paid: played.paid + paid };
  });
}

/** A returned stake and the payout that is reversed with it, with the times at which they were recorded. */
export type ReversedUsage = { madeAt: Date; staked: Units; settled?: { at: Date; paid: Units } };

/** Removes a bet from the periods in which it was recorded. Play times are not changed, because a reversal is not play. */
export const reverseUsage = (play: Play, { madeAt, staked, settled }: ReversedUsage): Play =>
  playIn(play.lastAt, (period) => {
    const played = play[period];
    return {
      ...played,
      staked: madeAt < played.start ? played.staked : played.staked - staked,
      paid: !settled || settled.at < played.start ? played.paid : played.paid - settled.paid,
    };
  });

/** Returns how much of a limit is used at a given time, in dollars (units). SESSION limits are in minutes. */
export function usedOf(
  type: Exclude<LimitType, 'DEPOSIT'>,
  period: LimitPeriod,
  play: Play,
  at: Date,
): bigint {
  const played = rollPeriods(play, at)[period];
  if (type === 'SESSION') return minutesOf(played);
  return atLeastZero(type === 'WAGER' ? played.staked : played.staked - played.paid);
}

/** Returns a limit in display form: dollars with decimals, or whole minutes for SESSION. */
export const shownLimit = (type: LimitType, amount: bigint): string =>
  type === 'SESSION' ? String(amount) : formatUnits(amount);

/** The highest limit that can be set. Higher limits would have no effect. */
export const HIGHEST_LIMIT: Units = 1_000_000_000n * ONE;
