import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { ShortPrivateUser, userErrors } from '../../base/users/schemas.ts';
import { getUser, shortUsers, sightOf } from '../../base/users/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import {
  type CurrencyBalances,
  claimable,
  expiryDaysOf,
  groupByCurrency,
  type RakebackDeps,
  readBalances,
  totalsUsd,
} from './balances.ts';
import { expiresAt, type LongPeriod, type Period, ratesAt, unlocksAt } from './rules.ts';

const RakebackPeriod = object('RakebackPeriod', {
  claimable: Decimal,
  accumulated: Decimal.meta({
    description: 'The amount accumulated in the current period. It can be claimed from `unlocksAt` onwards.',
  }),
  unlocksAt: Timestamp,
  expiresAt: Timestamp.nullable().meta({
    description: 'When the oldest claimable amount expires. Null if it never expires.',
  }),
});

const RakebackCurrency = object('RakebackCurrency', {
  currencyId: CurrencyId,
  instant: z.object({ claimable: Decimal }),
  daily: RakebackPeriod,
  weekly: RakebackPeriod,
  monthly: RakebackPeriod,
});

const RakebackTotals = object('RakebackTotals', {
  instant: Decimal,
  daily: Decimal,
  weekly: Decimal,
  monthly: Decimal,
  totalClaimed: Decimal.meta({
    description: 'The total of all claims, each converted at the exchange rate at the time of the claim.',
  }),
});

const RakebackRates = object('RakebackRates', {
  instant: z.number(),
  daily: z.number(),
  weekly: z.number(),
  monthly: z.number(),
}).meta({ description: "Percent of the house edge, including the boost of the player's level." });

const RakebackState = object('RakebackState', {
  currencies: z.array(RakebackCurrency),
  totalsUsd: RakebackTotals,
  rates: RakebackRates,
});

export const getRakeback = operation({
  method: 'GET',
  path: '/rakeback',
  tag: 'Rakeback',
  access: 'auth',
  summary: 'Get your rakeback and its current rates',
  description: 'Returns the claimable and the accumulated amounts in each currency, and the current rates.',
  response: RakebackState,
  handler: async (deps: RakebackDeps, { user: { id: userId } }) => {
    const { db, currencies, databaseClock, siteConfig } = deps;
    const expiryDays = expiryDaysOf(deps);
    const { vip_level: level } = await getUser(db, userId);
    const balances = await readBalances(db, sql`user_id = ${userId}`, expiryDays);
    const at = new Date(databaseClock.now());
    const claimedUsd = await readClaimedUsd(db, userId);
    return {
      currencies: groupByCurrency(balances).map((group) => toCurrency({ currencies, expiryDays, at }, group)),
      totalsUsd: { ...totalsUsd(currencies, balances), totalClaimed: formatUnits(claimedUsd) },
      rates: ratesAt(siteConfig.get('COMMON'), level),
    };
  },
});

type View = { currencies: RakebackDeps['currencies']; expiryDays: number | null; at: Date };

function toCurrency(
  { currencies, expiryDays, at }: View,
  { currencyId, byPeriod }: CurrencyBalances,
): z.input<typeof RakebackCurrency> {
  const claimableIn = (period: Period) => formatUnits(claimable(currencies, byPeriod[period]));
  const toPeriod = (period: LongPeriod) => {
    const { accumulated = 0n, oldest = null } = byPeriod[period] ?? {};
    const expires = expiresAt(period, oldest, expiryDays);
    return {
      claimable: claimableIn(period),
      accumulated: formatUnits(accumulated > 0n ? accumulated : 0n),
      unlocksAt: iso(unlocksAt(period, at)),
      expiresAt: expires && iso(expires),
    };
  };
  return {
    currencyId,
    instant: { claimable: claimableIn('instant') },
    daily: toPeriod('daily'),
    weekly: toPeriod('weekly'),
    monthly: toPeriod('monthly'),
  };
}

/** Returns the total of a player's claims in US dollars, at the exchange rate at the time of each claim. */
async function readClaimedUsd(db: DbOrTx, userId: number): Promise<Units> {
  const { rows } = await sql<{ usd: string }>`
    select coalesce(sum(usd_amount), 0) as usd from money_hours where user_id = ${userId} and kind = 'rakeback.claim'`.execute(
    db,
  );
  return BigInt(rows[0]!.usd);
}

const UserId = z.number().int().min(1).max(2_147_483_647);
const MAX_ROWS = 500;

const FindManyRakebackWhere = strictObject('FindManyRakebackWhere', {
  userId: UserId.optional(),
  userIds: z.array(UserId).max(500).optional(),
  currencyId: CurrencyId.optional(),
});

const RakebackBalance = object('RakebackBalance', {
  instantClaimable: Decimal,
  instantTotalClaimed: Decimal,
  dailyClaimable: Decimal,
  dailyTotalClaimed: Decimal,
  dailyAccumulated: Decimal,
  weeklyClaimable: Decimal,
  weeklyTotalClaimed: Decimal,
  weeklyAccumulated: Decimal,
  monthlyClaimable: Decimal,
  monthlyTotalClaimed: Decimal,
  monthlyAccumulated: Decimal,
  userId: z.number(),
  user: ShortPrivateUser.optional().meta({ description: 'The player who has the rakeback.' }),
  currencyId: CurrencyId,
  updatedAt: Timestamp,
});

const ClaimableUsd = object('ClaimableUsd', {
  instant: Decimal,
  daily: Decimal,
  weekly: Decimal,
  monthly: Decimal,
  userId: z.number(),
});

const shared = { tag: 'Admin Rakeback', access: { permission: 'rakeback.read' } } as const;

export const findRakeback = operation({
  ...shared,
  method: 'POST',
  path: '/admin/rakeback/find-many',
  gate: 'none',
  summary: "List players' rakeback",
  description:
    'Returns at most 500 rows, the most recently updated first. A claimable amount is negative if bets were rolled back after ' +
    'their rakeback had been claimed; later rakeback offsets it.',
  body: z.strictObject({ where: FindManyRakebackWhere }),
  response: z.array(RakebackBalance),
  handler: async (deps: RakebackDeps, { by, body: { where } }) => {
    const { userId, userIds, currencyId = null } = where;
    const users =
      userId === undefined ? (userIds ?? null) : [userId].filter((id) => userIds?.includes(id) ?? true);
    const newest = sql`(user_id, currency_id) in (
      select user_id, currency_id from rakeback_periods where period = 'instant'
        and currency_id = coalesce(${currencyId}, currency_id)
        ${users === null ? sql`` : sql`and user_id = any(${users}::int4[])`}
      order by updated_at desc limit ${MAX_ROWS})`;
    const balances = await readBalances(deps.reads, newest, expiryDaysOf(deps));
    const groups = groupByCurrency(balances);
    const listed = groups.map((group) => group.userId);
    const people = await shortUsers(deps.reads, listed, sightOf(by.user));
    return groups
      .map((group) => ({ ...toRow(deps.currencies, group), user: people.get(group.userId) }))
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  },
});

export const getClaimableUsd = operation({
  ...shared,
  method: 'GET',
  path: '/admin/rakeback/find-one-claimable-usd',
  summary: "Get a player's claimable rakeback in US dollars",
  query: z.strictObject({ userId: UserId }),
  response: ClaimableUsd,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async (deps: RakebackDeps, { query: { userId } }) => {
    await getUser(deps.reads, userId);
    const balances = await readBalances(deps.reads, sql`user_id = ${userId}`, expiryDaysOf(deps));
    return { ...totalsUsd(deps.currencies, balances), userId };
  },
});

/**
 * Converts a balance to a row for staff. Claimable amounts are rounded as in the player's view. Amounts that the player owes are negative.
 * In disabled currencies, amounts are shown with all digits, although they cannot be claimed.
 */
function toRow(
  currencies: Currencies,
  { userId, currencyId, byPeriod }: CurrencyBalances,
): z.input<typeof RakebackBalance> {
  const amountOf = (period: Period, figure: 'rest' | 'claimed' | 'accumulated') => {
    const exact = byPeriod[period]?.[figure] ?? 0n;
    const isRounded = figure === 'rest' && exact > 0n && currencies.find(currencyId) !== undefined;
    return formatUnits(isRounded ? claimable(currencies, byPeriod[period]) : exact);
  };
  const times = Object.values(byPeriod).map(({ updatedAt }) => updatedAt.getTime());
  return {
    instantClaimable: amountOf('instant', 'rest'),
    instantTotalClaimed: amountOf('instant', 'claimed'),
    dailyClaimable: amountOf('daily', 'rest'),
    dailyTotalClaimed: amountOf('daily', 'claimed'),
    dailyAccumulated: amountOf('daily', 'accumulated'),
    weeklyClaimable: amountOf('weekly', 'rest'),
    weeklyTotalClaimed: amountOf('weekly', 'claimed'),
    weeklyAccumulated: amountOf('weekly', 'accumulated'),
    monthlyClaimable: amountOf('monthly', 'rest'),
    monthlyTotalClaimed: amountOf('monthly', 'claimed'),
    monthlyAccumulated: amountOf('monthly', 'accumulated'),
    userId,
    currencyId,
    updatedAt: iso(new Date(Math.max(...times))),
  };
}
