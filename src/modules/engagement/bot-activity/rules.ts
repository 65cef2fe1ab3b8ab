export const TYPES = ['HOUSE_GAME', 'SLOTS', 'MIXED'] as const;
export const BEHAVIORS = ['CALM', 'NORMAL', 'AGGRESSIVE'] as const;
/** In the order of `Date.getUTCDay`. */
export const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

export type ActivityType = (typeof TYPES)[number];
export type Behavior = (typeof BEHAVIORS)[number];
export type Day = (typeof DAYS)[number];

type Schedule = { behavior: Behavior; playDays: readonly Day[]; startMinute: number };

/**
 * How a bot plays. `minutes`: length of a session. `oneTurnIn`: average number of turns per bet; a turn is two seconds. `stakesInCents`:
 * possible stakes in US cents.
 */
export const MANNERS: Readonly<
  Record<Behavior, { minutes: number; oneTurnIn: number; stakesInCents: readonly number[] }>
> = {
  CALM: { minutes: 60, oneTurnIn: 30, stakesInCents: [10, 20, 50, 100, 200] },
  NORMAL: { minutes: 120, oneTurnIn: 10, stakesInCents: [50, 100, 200, 500, 1000] },
  AGGRESSIVE: { minutes: 240, oneTurnIn: 4, stakesInCents: [200, 500, 1000, 2000, 5000] },
};

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1440;

/** Returns true if a bot plays at this time. A session that starts on one of its days continues after midnight. */
export function isPlaying({ behavior, playDays, startMinute }: Schedule, at: Date): boolean {
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  const dayOf = (ms: number) => DAYS[new Date(ms).getUTCDay()]!;
  const sinceStart = (minute - startMinute + MINUTES_A_DAY) % MINUTES_A_DAY;
  const startedOn = dayOf(at.getTime() - sinceStart * MINUTE_MS);
  return sinceStart < MANNERS[behavior].minutes && playDays.includes(startedOn);
}

/** Returns the minutes after midnight of a time such as "20:30". */
export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

export function timeOf(minute: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** The types of games that an activity of each type can contain. */
export const GAME_TYPES: Readonly<Record<ActivityType, readonly string[]>> = {
  HOUSE_GAME: ['HOUSE_GAME'],
  SLOTS: ['SLOTS'],
  MIXED: ['HOUSE_GAME', 'SLOTS'],
};
