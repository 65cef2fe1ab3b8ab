import { z } from 'zod';
import { betFields, limitFields, resultFields } from '../schemas.ts';

export const LimboBet = z
  .strictObject({ ...betFields, multiplier: z.number().min(1.01).max(1_000_000) })
  .meta({ id: 'LimboBet' });

export const LimboResult = z
  .object({ ...resultFields, randomMultiplier: z.number() })
  .meta({ id: 'LimboResult' });

export const LimboConfig = z
  .object({ ...limitFields, minMultiplier: z.number(), maxMultiplier: z.number(), rtp: z.number() })
  .meta({ id: 'LimboConfig' });
