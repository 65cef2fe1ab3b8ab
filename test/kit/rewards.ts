import { sql } from 'kysely';
import { vi } from 'vitest';
import type { TestApp } from './app.ts';
import { cursorPosition } from './bets.ts';

/** Counts what all settled bets bring. Another transaction of the same server may hold the safe watermark back for a moment. */
export const countRewards = (app: TestApp): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      await app.services.rewards.catchUp();
      const { rows } = await sql<{ id: bigint }>`
        select greatest((select max(id) from bet_corrections),
          coalesce(max(greatest(reversal_id, coalesce(settlement_id, id))), 0)) as id from bets
        where status = 'SETTLED' or reversal_id is not null or is_corrected`.execute(app.db);
      return (await cursorPosition(app, 'rewards')) >= rows[0]!.id;
    },
    { timeout: 20_000, interval: 20 },
  );

/** Dice takes bets of any size. */
export const liftLimits = ({ db }: TestApp) =>
  sql`update games set settings = settings || '{"maxBet": "1000000", "maxProfit": "10000000"}' where slug = 'dice'`.execute(
    db,
  );

/** So many days pass for what a player has of rakeback. */
export const letDaysPass = ({ db }: TestApp, { id }: { id: number }, days: number) =>
  sql`update rakeback_periods set start = start - ${days}::int where user_id = ${id} and period <> 'instant' and start > '-infinity'`.execute(
    db,
  );
