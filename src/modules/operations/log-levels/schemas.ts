import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { LEVELS, LOGGERS } from '../../../platform/loggers.ts';

/** `default` holds for the lines of no logger. */
const NAMES = ['default', ...LOGGERS] as const;

const byName = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(NAMES.map((name) => [name, schema])) as Record<(typeof NAMES)[number], T>;

/** Loggers that are not named follow `default`, or else the level that the process was started with. */
export const LevelChoice = z.strictObject(byName(z.enum(LEVELS).optional()));

export const LoggerLevelChange = z.strictObject({
  level: LevelChoice,
  ttlSeconds: z.number().int().min(1).max(3600).default(900),
});

export const LoggerLevel = object('LoggerLevel', {
  level: z.object(byName(z.enum([...LEVELS, 'silent']))),
  /** Absent while nothing but the configuration holds. */
  expiresAt: Timestamp.optional(),
});
