import { z } from 'zod';
import {
  Time as AnyTime,
  CurrencyId,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { Category } from '../../games/bets/schemas.ts';
import { EARLIEST, findZone, LATEST, TIME_GROUPS, TIME_RANGES } from './periods/rules.ts';

const common = { method: 'GET', access: { permission: 'dashboard.read' } } as const;
/** Settings shared by all operations that compare a period with the previous one. */
export const comparison = {
  ...common,
  tag: 'Admin Dashboard',
  errors: [commonErrors.CURRENCY_NOT_FOUND],
} as const;
/** Settings shared by all operations that return series. */
export const chart = { ...common, tag: 'Admin Dashboard V2' } as const;

export const count = z.number().int();

const Time = AnyTime.refine(
  (at) => Date.parse(at) >= EARLIEST && Date.parse(at) < LATEST,
  'must be between 1970 and 2100',
);
const TimeZone = z
  .string()
  .max(64)
  .refine((name) => findZone(name) !== undefined, 'must be a time zone such as "Europe/Malta"')
  .default('UTC')
  .meta({ example: 'Europe/Malta' });

export const DashboardQuery = z.strictObject({
  startDate: Time,
  endDate: Time,
  timezone: TimeZone,
  currencyId: CurrencyId.optional().meta({
    description:
      'Includes only payments and rewards in this currency. Bets and player counts always include all currencies.',
  }),
});
export const RankingQuery = DashboardQuery.extend({ take: take(30) });

/** The figures of a chart, and those of the previous period if the request has `compare`. */
export const comparable = <All extends z.ZodRawShape, Of extends z.ZodRawShape>(all: All, before: Of) =>
  z.object({ ...all, previous: z.object(before).optional() });

/** The figures of a period and of the previous one. */
export const compared = <T extends z.ZodType>(one: T) => z.object({ current: one, previous: one });

const step = { timeRange: z.enum(TIME_RANGES), timeGroup: z.enum(TIME_GROUPS) };

const compare = z.boolean().default(false).meta({
  description: 'Adds the figures of the previous period of the same length.',
});

export const MainQuery = z.strictObject({
  ...step,
  compare,
  debug: z.boolean().optional().meta({ description: 'Accepted but has no effect.' }),
});

const GAME_ORDERS = ['ggr', 'turnover', 'betCount', 'activePlayers', 'margin', 'name'] as const;
const slug = text(64);

export const GameQuery = z.strictObject({
  ...step,
  compare,
  startDate: Time.meta({ description: 'Only used with timeRange `CUSTOM`.' }),
  endDate: Time.meta({ description: 'Only used with timeRange `CUSTOM`.' }),
  orderBy: z.enum(GAME_ORDERS).default('ggr'),
  orderDirection: SortOrder.default('desc'),
  gameCategory: Category.optional(),
  providerSlugs: z.array(slug).max(50).optional(),
  take: take(10_000),
  page: PageNumber,
  gameSlug: slug.optional(),
  gameName: text(100).optional().meta({ description: 'Part of the name. Case and accents are ignored.' }),
});

export const TimeSeriesPoint = object('TimeSeriesPoint', { at: Timestamp, value: z.number() });
export const series = z.array(TimeSeriesPoint);
