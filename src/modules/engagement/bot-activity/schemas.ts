import { z } from 'zod';
import { object, PageNumber, page, SortOrder, Timestamp, take, text } from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { BEHAVIORS, DAYS, TYPES } from './rules.ts';

const areDifferent = (all: readonly string[]) => new Set(all).size === all.length;

const Type = z
  .enum(TYPES)
  .meta({ description: 'Which games it may name: HOUSE_GAME, SLOTS, or MIXED for both.' });
const Behavior = z.enum(BEHAVIORS).meta({
  description:
    'CALM: for an hour, about a bet a minute of up to 2 US dollars; NORMAL: two hours, one in 20 seconds, 10 dollars; AGGRESSIVE: four hours, one in 8 seconds, 50 dollars.',
});
const Day = z.enum(DAYS);
const PlayDays = z
  .array(Day)
  .min(1)
  .max(7)
  .refine(areDifferent, 'names a day twice')
  .meta({ description: 'Days (UTC) on which it begins.' });
const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'needs a time such as "20:30"')
  .meta({ example: '20:30' });
const StartTime = Time.meta({ description: 'When it begins on its days, UTC.', example: '20:30' });
const Games = z
  .array(text(100))
  .min(1)
  .max(50)
  .refine(areDifferent, 'names a game twice')
  .meta({ description: 'Slugs of games of its type.' });

export const BotActivity = object('BotActivity', {
  id: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  type: Type,
  behavior: Behavior,
  playDays: z.array(Day),
  isActive: z.boolean(),
  games: z.array(z.string()),
  startTime: z.string(),
  lastRunAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const BotActivityPage = page(BotActivity);

export const BotActivityPath = z.object({ id: z.uuid() });

export const BotActivityQuery = z.strictObject({
  sortBy: z.enum(['createdAt', 'updatedAt', 'lastRunAt', 'startTime', 'userId']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  type: Type.optional(),
  behavior: Behavior.optional(),
  playDays: z.array(Day).max(7).optional().meta({ description: 'It begins on any of them.' }),
  isActive: z.boolean(),
  username: text(64).optional().meta({ description: 'The whole name, whatever its case.' }),
  fromTime: Time.optional().meta({
    description: 'It begins at this time or later. Later than `toTime`: the range goes beyond midnight.',
  }),
  toTime: Time.optional(),
  page: PageNumber,
  take: take(100),
});

export const NewBotActivity = z.strictObject({
  userId: UserId,
  type: Type,
  behavior: Behavior,
  playDays: PlayDays,
  isActive: z.boolean(),
  games: Games,
  startTime: StartTime,
});

export const BotActivityChange = z.strictObject({
  userId: UserId,
  type: Type.optional(),
  behavior: Behavior.optional(),
  playDays: PlayDays.optional(),
  isActive: z.boolean().optional(),
  games: Games.optional(),
  startTime: StartTime.optional(),
});

export const BotToggle = z.strictObject({ isBot: z.boolean(), userId: UserId });
