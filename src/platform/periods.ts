/** Calendar periods in UTC. Weeks begin on Monday. ALL has no start and no end. */
export const PERIODS = ['ALL', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type Period = (typeof PERIODS)[number];

/** Returns the start of the period that contains a given time. For ALL it is `-infinity`. */
export function periodStart(period: Exclude<Period, 'ALL'>, at: Date): Date;
export function periodStart(period: Period, at: Date): Date | '-infinity';
export function periodStart(period: Period, at: Date): Date | '-infinity' {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (period) {
    case 'ALL':
      return '-infinity';
    case 'HOUR':
      return new Date(Date.UTC(year, month, day, at.getUTCHours()));
    case 'DAY':
      return new Date(Date.UTC(year, month, day));
    case 'WEEK':
      return new Date(Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7)));
    case 'MONTH':
      return new Date(Date.UTC(year, month, 1));
  }
}

/** Returns the end of the period that contains a given time. */
export function periodEnd(period: 'DAY' | 'WEEK' | 'MONTH', at: Date): Date {
  const start = periodStart(period, at);
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  if (period === 'MONTH') return new Date(Date.UTC(year, month + 1, 1));
  return new Date(Date.UTC(year, month, day + (period === 'DAY' ? 1 : 7)));
}
