import type { GateAction } from '../../../http/route.ts';
import type { AppError } from '../../../platform/errors.ts';
import { formatUnits, ONE, type Units } from '../../../platform/money.ts';
import { periodEnd, periodStart } from '../../../platform/periods.ts';
import { gateErrors } from './errors.ts';

export const LIMIT_TYPES = ['DEPOSIT', 'WAGER', 'LOSS', 'SESSION'] as const;
export type LimitType = (typeof LIMIT_TYPES)[number];
export const LIMIT_PERIODS = ['DAY', 'WEEK', 'MONTH'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

/** The lowest limit in force by type and period: dollars (units), of SESSION minutes. */
export type Limits = Readonly<Partial<Record<LimitType, Readonly<Partial<Record<LimitPeriod, bigint>>>>>>;

/** What was played since a period began: stakes and payouts in dollars (units), and how long play took. */
export type Played = { start: Date; staked: Units; paid: Units; playedMs: number };
/** What was played in the running periods, and when last. */
export type Play = Readonly<Record<LimitPeriod, Played>> & { lastAt: Date | null };

/** A player's restrictions beyond a ban, read with the player locked. */
export type Restrictions = {
  userId: number;
  excludedUntil: Date | null;
  /** Play begins later than the end of an exclusion. */
  playFrom: Date | null;
  limits: Limits;
  /** Null while no limit on play was ever set. */
  play: Play | null;
};

/** Facts that do not hang on the player. */
export type World = {
  isGeoBlocked: boolean;
  isPlayOpen: boolean;
  isDepositOpen: boolean;
  isWithdrawOpen: boolean;
  /** Least time between two bets of a player; 0: none. */
  minBetIntervalMs: number;
  /** Somewhere bets need time between them: when they are made is kept everywhere. */
  keepsBetTimes: boolean;
};

/** What a withdrawal is asked besides. */
export type WithdrawalFacts = {
  block: { reasonPublic: string | null; blockUntil: string | null } | null;
  /** The tier that has to be approved first. */
  kycTier: string | null;
  /** Dollars that are still to be wagered. */
  wagerRemainingUsd: Units;
  /** The bonus that has to be wagered before money in its currency leaves. */
  openGrant: { grantId: string; wagerRemaining: string } | null;
};

export type GateFacts = World & {
  at: Date;
  isBanned: boolean;
  /** Undefined: the player has no restrictions. */
  restrictions?: Restrictions | undefined;
  /** What a bet costs. */
  stakeUsd?: Units;
  /** What was paid in since the periods began. */
  depositedUsd?: Readonly<Record<LimitPeriod, Units>>;
  /** A deposit needs an approved tier first. */
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
  // Nobody plays against a limit that cannot be checked.
  if (!play) throw new Error(`what user ${userId} has played is not known`);
  const now = rollPeriods(play, at);
  return (
    worstOf(limits.WAGER, 'WAGER', at, (period) => now[period].staked, stakeUsd) ??
    // As if the stake were lost.
    worstOf(limits.LOSS, 'LOSS', at, (period) => now[period].staked - now[period].paid, stakeUsd) ??
    sessionLimit(limits, now, at)
  );
};

const depositLimits: Check = ({ restrictions, at, depositedUsd }) => {
  const limits = restrictions?.limits.DEPOSIT;
  if (!limits) return undefined;
  if (!depositedUsd) throw new Error(`what user ${restrictions.userId} has paid in is not known`);
  // How much will come is not known: it is refused once nothing is left.
  return worstOf(limits, 'DEPOSIT', at, (period) => depositedUsd[period], 1n);
};

const blocked: Check = ({ withdrawal }) =>
  withdrawal?.block ? gateErrors.WITHDRAWAL_BLOCKED({ ...withdrawal.block }) : undefined;
const kyc: Check = ({ withdrawal }) =>
  withdrawal?.kycTier ? gateErrors.KYC_REQUIRED({ tier: withdrawal.kycTier }) : undefined;
/** A self-excluded player cannot wager, so open rollover must not hold their money back. A time-out ends by itself. */
const isSelfExcluded = ({ restrictions, at }: GateFacts): boolean => {
  const { excludedUntil, playFrom } = restrictions ?? {};
  return isAfter(excludedUntil, at) && isAfter(playFrom, excludedUntil);
};
const rollover: Check = (facts) => rolloverOf(facts.withdrawal, isSelfExcluded(facts));
const rolloverOf = (withdrawal: WithdrawalFacts | undefined, isWaived: boolean) =>
  withdrawal && !isWaived && withdrawal.wagerRemainingUsd > 0n
    ? gateErrors.ROLLOVER_OPEN({ wagerRemainingUsd: formatUnits(withdrawal.wagerRemainingUsd) })
    : undefined;

const bonusOpen: Check = ({ withdrawal }) =>
  withdrawal?.openGrant ? gateErrors.ROLLOVER_OPEN({ ...withdrawal.openGrant }) : undefined;

/** What routes ask for, and writing in the chat, which comes over sockets. */
export type GatedAction = GateAction | 'chat';

/**
 * The checks of each action, in order. An action without checks is always possible: players can always get at what they have won or
 * hold.
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

/** The one decision whether money may move or play may start. Undefined: go on. */
export function refusalOf(action: GatedAction, facts: GateFacts): AppError | undefined {
  for (const check of CHECKS[action]) {
    const refusal = check(facts);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Everything that speaks against an action, the first being what `refusalOf` answers. */
export const refusalsOf = (action: GatedAction, facts: GateFacts): AppError[] =>
  CHECKS[action].flatMap((check) => check(facts) ?? []);

/** The actions that an exclusion closes. */
export const CLOSED_BY_EXCLUSION = (Object.keys(CHECKS) as GatedAction[]).filter((action) =>
  CHECKS[action].some((check) => check === excluded || check === coolingOff),
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
    // At 0 nothing is staked, not even what was won before.
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

/** A pause between two bets that is longer than this is a break and no time of play. */
const BREAK_MS = 600_000;

/** How much of the time between two moments of play lies in the period that began at `start`, in whole milliseconds. */
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

/** Nothing played yet. */
export const noPlay = (at: Date): Play =>
  playIn(null, (period) => ({ start: periodStart(period, at), staked: 0n, paid: 0n, playedMs: 0 }));

/** As it stands at a moment: periods that are over start again, and time that has passed in play counts. */
export const rollPeriods = (play: Play, at: Date): Play =>
  playIn(play.lastAt, (period) => {
    const start = periodStart(period, at);
    const last = play[period];
    const passed = playedBetween(play.lastAt, at, start);
    if (last.start >= start) return { ...last, playedMs: last.playedMs + passed };
    return { start, staked: 0n, paid: 0n, playedMs: passed };
  });

/** Records a stake, a payout or both. A round that pays later records its payout in the period of then. */
export function recordUsage(
  play: Play,
  { at, staked, paid }: { at: Date; staked: Units; paid: Units },
): Play {
  const now = rollPeriods(play, at);
  // Transactions do not get a player's lock in the order in which they began: time that was counted is not counted again.
  const lastAt = now.lastAt && now.lastAt > at ? now.lastAt : at;
  return playIn(lastAt, (period) => {
    const played = now[period];
    return { ...played, staked: played.staked + staked, paid: played.paid + paid };
  });
}

/** A stake that was returned, and a payout that was taken back with it; when each of them was recorded. */
export type ReversedUsage = { madeAt: Date; staked: Units; settled?: { at: Date; paid: Units } };

/** Removes a bet from the periods in which it was recorded. This is no play: times stay as they are. */
export const reverseUsage = (play: Play, { madeAt, staked, settled }: ReversedUsage): Play =>
  playIn(play.lastAt, (period) => {
    const played = play[period];
    return {
      ...played,
      staked: madeAt < played.start ? played.staked : played.staked - staked,
      paid: !settled || settled.at < played.start ? played.paid : played.paid - settled.paid,
    };
  });

/** What of a limit is used at a moment: dollars (units), of SESSION minutes. */
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

/** A limit as it is shown: dollars with decimals, of SESSION whole minutes. */
export const shownLimit = (type: LimitType, amount: bigint): string =>
  type === 'SESSION' ? String(amount) : formatUnits(amount);

/** Largest limit: more says nothing. */
export const HIGHEST_LIMIT: Units = 1_000_000_000n * ONE;
