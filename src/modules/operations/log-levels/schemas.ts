import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { LEVELS, LOGGERS } from '../../../platform/observability/loggers.ts';

/** `default` applies to lines without a named logger. */
const NAMES = ['default', ...LOGGERS] as const;

const byName = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(NAMES.map((name) => [name, schema])) as Record<(typeof NAMES)[number], T>;

/** Absent loggers use `default`, or the configured level if `default` is absent as well. */
export const LevelChoice = z.strictObject(byName(z.enum(LEVELS).optional()));

export const LoggerLevel = object('LoggerLevel', {
  level: z.object(byName(z.enum([...LEVELS, 'silent']))),
  expiresAt: Timestamp.nullable().meta({ description: 'Null if only the configured levels apply.' }),
});
