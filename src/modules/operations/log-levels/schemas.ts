import { z } from 'zod';
import { Timestamp } from '../../../http/schemas.ts';

/** The loggers of platform/log and what holds for the rest of the lines. */
const NAMES = [
  'default',
  'http',
  'db',
  'jobs',
  'broker',
  'mail',
  'auth',
  'bets',
  'rates',
  'payments',
  'webhooks',
  'kyc',
  'sockets',
] as const;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
const Level = z.enum(LEVELS);

const byName = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(NAMES.map((name) => [name, schema])) as Record<(typeof NAMES)[number], T>;

/** Loggers that are not named follow `default`; without it what the process was started with. */
export const LevelChoice = z.strictObject(byName(Level.optional()));

export const LoggerLevelChange = z.strictObject({
  level: LevelChoice,
  ttlSeconds: z.number().int().min(1).max(3600).default(900),
});

export const LoggerLevel = z
  .object({
    level: z.object(byName(z.enum([...LEVELS, 'silent']))),
    /** Absent while nothing but the configuration holds. */
    expiresAt: Timestamp.optional(),
  })
  .meta({ id: 'LoggerLevel' });
