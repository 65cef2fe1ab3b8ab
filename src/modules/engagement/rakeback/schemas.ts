import { z } from 'zod';
import { CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { PERIODS } from './rules.ts';

const UserId = z.number().int().min(1).max(2_147_483_647);

const RakebackPeriod = object('RakebackPeriod', {
  claimable: Decimal,
  accumulated: Decimal.meta({ description: 'Of the running period: can be claimed from `unlocksAt` on.' }),
  unlocksAt: Timestamp,
  expiresAt: Timestamp.nullable().meta({
    description: 'When the oldest of what can be claimed is lost; null: it never is.',
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
  totalClaimed: Decimal.meta({ description: 'Of all periods and times, at the rates of then.' }),
});

const RakebackRates = object('RakebackRates', {
  instant: z.number(),
  daily: z.number(),
  weekly: z.number(),
  monthly: z.number(),
}).meta({ description: "Percent of the house edge, with the boost of the player's level." });

export const RakebackState = object('RakebackState', {
  currencies: z.array(RakebackCurrency),
  totalsUsd: RakebackTotals,
  rates: RakebackRates,
});

export const ClaimRequest = z.strictObject({
  period: z.enum(PERIODS),
  currencyId: CurrencyId.optional().meta({ description: 'Absent: every currency.' }),
});

export const RakebackClaim = object('RakebackClaim', {
  claimed: z.array(z.object({ currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal })),
  totalUsd: Decimal,
});

const FindManyRakebackWhere = strictObject('FindManyRakebackWhere', {
  userId: UserId.optional(),
  userIds: z.array(UserId).max(500).optional(),
  currencyId: CurrencyId.optional(),
});

export const FindManyRakeback = z.strictObject({ where: FindManyRakebackWhere });

/** What can be claimed is negative where claimed bets were rolled back: owed back, and made up for by further rakeback. */
export const RakebackBalance = object('RakebackBalance', {
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
  currencyId: CurrencyId,
  updatedAt: Timestamp,
});

export const OfUser = z.strictObject({ userId: UserId });

export const ClaimableUsd = object('ClaimableUsd', {
  instant: Decimal,
  daily: Decimal,
  weekly: Decimal,
  monthly: Decimal,
  userId: z.number(),
});
