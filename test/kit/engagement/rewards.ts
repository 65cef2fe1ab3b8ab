import { sql } from 'kysely';
import type { TestApp } from '../app.ts';
import { countBets } from '../games/bets.ts';

/** Lets the rewards consumer process all settled bets. */
export const countRewards = (app: TestApp): Promise<boolean> =>
  countBets(app, 'rewards', app.services.rewards);

/** Removes the limits on dice bets. */
export const liftLimits = ({ db }: TestApp) =>
  sql`update games set settings = settings || '{"maxBet": "1000000", "maxProfit": "10000000"}' where slug = 'dice'`.execute(
    db,
  );

/** Moves a player's rakeback a number of days into the past. */
export const letDaysPass = ({ db }: TestApp, { id }: { id: number }, days: number) =>
  sql`update rakeback_periods set start = start - ${days}::int where user_id = ${id} and period <> 'instant' and start > '-infinity'`.execute(
    db,
  );
