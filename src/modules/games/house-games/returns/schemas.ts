import { z } from 'zod';
import { Decimal, Id, Moment, object, Timestamp } from '../../../../http/schemas.ts';

export const GamePath = z.object({ slug: Id });

export const RtpQuery = z.strictObject({ startDate: Moment.optional(), endDate: Moment.optional() });

/** Returns in percent. */
export const GameRtpReport = object('GameRtpReport', {
  slug: z.string(),
  startDate: Timestamp,
  endDate: Timestamp,
  rounds: z.number().int(),
  turnoverUsd: Decimal,
  payoutUsd: Decimal,
  actualRtp: z.number().nullable(),
  configuredRtp: z.number().nullable(),
  deviation: z.number().nullable(),
  bandLow: z.number().nullable(),
  bandHigh: z.number().nullable(),
  withinBand: z.boolean().nullable(),
});
