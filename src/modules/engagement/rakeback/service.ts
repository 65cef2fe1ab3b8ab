import { sql } from 'kysely';
import type { z } from 'zod';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { getUser } from '../../base/users/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { type ClaimDeps, claimRakeback } from './claim.ts';
import { type Balance, newestOf, ofPlayer, readBalances, readClaimedUsd } from './queries.ts';
import { claimableOf, expiresAt, type LongPeriod, type Period, ratesAt, unlocksAt } from './rules.ts';
import type {
  ClaimableUsd,
  ClaimRequest,
  FindManyRakeback,
  RakebackBalance,
  RakebackState,
} from './schemas.ts';

export type Rakeback = ReturnType<typeof createRakeback>;

type RakebackDeps = ClaimDeps & { reads: Db; databaseClock: Clock };

/** Rows that one answer holds. */
const MOST_ROWS = 500;

/** A part of the house edge that comes back to players: bets add it (accrue.ts), players claim it. */
export function createRakeback(deps: RakebackDeps) {
  const { db, reads, siteConfig, currencies } = deps;
  const expiryDays = () => siteConfig.get('COMMON').rakeback.expiryDays;
  return {
    /** What the player has, may claim, and earns at their level. */
    async state(userId: number): Promise<z.input<typeof RakebackState>> {
      const { vip_level: level } = await getUser(db, userId);
      const balances = await readBalances(db, ofPlayer(userId), expiryDays());
      const view = { currencies, expiryDays: expiryDays(), at: new Date(deps.databaseClock.now()) };
      const claimedUsd = await readClaimedUsd(db, userId);
      return {
        currencies: byCurrency(balances).map((own) => currencyOf(view, own)),
        totalsUsd: { ...totalsUsd(currencies, balances), totalClaimed: formatUnits(claimedUsd) },
        rates: ratesAt(siteConfig.get('COMMON'), level),
      };
    },

    claim: (caller: Parameters<typeof claimRakeback>[1], input: z.output<typeof ClaimRequest>) =>
      claimRakeback(deps, caller, input),

    /** For staff: at most 500 rows, the latest first. */
    async findMany({ where }: z.output<typeof FindManyRakeback>): Promise<z.input<typeof RakebackBalance>[]> {
      const { userId, userIds, currencyId = null } = where;
      const users =
        userId === undefined ? (userIds ?? null) : [userId].filter((id) => userIds?.includes(id) ?? true);
      const chosen = sql`currency_id = coalesce(${currencyId}, currency_id)
        ${users === null ? sql`` : sql`and user_id = any(${users}::int4[])`}`;
      const balances = await readBalances(reads, newestOf(chosen, MOST_ROWS), expiryDays());
      return byCurrency(balances)
        .map(rowOf)
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    },

    /** For staff: what a player can claim. Throws 404 USER_NOT_FOUND. */
    async claimableUsd(userId: number): Promise<z.input<typeof ClaimableUsd>> {
      await getUser(reads, userId);
      const balances = await readBalances(reads, ofPlayer(userId), expiryDays());
      return { ...totalsUsd(currencies, balances), userId };
    },
  };
}

type Own = { userId: number; currencyId: string; of: Partial<Record<Period, Balance>> };
type View = { currencies: Currencies; expiryDays: number | null; at: Date };

const byCurrency = (balances: readonly Balance[]): Own[] =>
  [...Map.groupBy(balances, ({ userId, currencyId }) => `${userId} ${currencyId}`).values()].map((own) => ({
    userId: own[0]!.userId,
    currencyId: own[0]!.currencyId,
    of: Object.fromEntries(own.map((balance) => [balance.period, balance])),
  }));

/** In a currency that is disabled nothing can be claimed. */
function claimable(currencies: Currencies, balance: Balance | undefined): Units {
  const currency = balance && currencies.find(balance.currencyId);
  return currency ? claimableOf(balance.rest, currency.decimals) : 0n;
}

function currencyOf(
  { currencies, expiryDays, at }: View,
  { currencyId, of }: Own,
): z.input<typeof RakebackState>['currencies'][number] {
  const shown = (period: Period) => formatUnits(claimable(currencies, of[period]));
  const periodOf = (period: LongPeriod) => {
    const { accumulated = 0n, oldest = null } = of[period] ?? {};
    const lostAt = expiresAt(period, oldest, expiryDays);
    return {
      claimable: shown(period),
      accumulated: formatUnits(accumulated > 0n ? accumulated : 0n),
      unlocksAt: iso(unlocksAt(period, at)),
      expiresAt: lostAt && iso(lostAt),
    };
  };
  return {
    currencyId,
    instant: { claimable: shown('instant') },
    daily: periodOf('daily'),
    weekly: periodOf('weekly'),
    monthly: periodOf('monthly'),
  };
}

function totalsUsd(currencies: Currencies, balances: readonly Balance[]): Record<Period, string> {
  const usdOf = (period: Period) =>
    formatUnits(
      balances
        .filter((balance) => balance.period === period)
        .reduce((sum, each) => sum + currencies.toUsd(each.currencyId, claimable(currencies, each)), 0n),
    );
  return {
    instant: usdOf('instant'),
    daily: usdOf('daily'),
    weekly: usdOf('weekly'),
    monthly: usdOf('monthly'),
  };
}

/** Amounts to the last digit; what is owed back is negative. */
function rowOf({ userId, currencyId, of }: Own): z.input<typeof RakebackBalance> {
  const shown = (period: Period, figure: 'rest' | 'claimed' | 'accumulated') =>
    formatUnits(of[period]?.[figure] ?? 0n);
  const times = Object.values(of).map(({ updatedAt }) => updatedAt.getTime());
  return {
    instantClaimable: shown('instant', 'rest'),
    instantTotalClaimed: shown('instant', 'claimed'),
    dailyClaimable: shown('daily', 'rest'),
    dailyTotalClaimed: shown('daily', 'claimed'),
    dailyAccumulated: shown('daily', 'accumulated'),
    weeklyClaimable: shown('weekly', 'rest'),
    weeklyTotalClaimed: shown('weekly', 'claimed'),
    weeklyAccumulated: shown('weekly', 'accumulated'),
    monthlyClaimable: shown('monthly', 'rest'),
    monthlyTotalClaimed: shown('monthly', 'claimed'),
    monthlyAccumulated: shown('monthly', 'accumulated'),
    userId,
    currencyId,
    updatedAt: iso(new Date(Math.max(...times))),
  };
}
