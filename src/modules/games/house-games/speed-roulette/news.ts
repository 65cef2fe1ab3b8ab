import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { toShortPublicUser } from '../../../base/users/service.ts';
import type { Range } from '../../../money/ledger/touched.ts';
import { isColor } from './rules.ts';
import type { ShownBet } from './schemas.ts';

/** A bet and its player. */
type Row = Parameters<typeof toShortPublicUser>[0] & { currency_id: string; bet_usd: bigint; color: unknown };

/** New bets of a round, the oldest first, as everybody sees them; `more` were made and are not among them. */
export type NewBets = { roundId: string; bets: z.input<typeof ShownBet>[]; more: number };

/** The last bets of a range of ids, `most` at most, of the latest round among them; undefined when none was made. */
export async function newBetsIn(db: Db, { after, below }: Range, most: number): Promise<NewBets | undefined> {
  const { rows } = await sql<Row & { roundId: bigint; all: number }>`
    with made as materialized (
      select id, round_id, user_id, currency_id, coalesce(bet_usd, usd_amount) as bet_usd, inputs -> 'color' as color from (
        select * from bets where id > ${after} and id < ${below} offset 0) b
      where round_id is not null
    ),
    newest as (select * from made where round_id = (select max(round_id) from made))
    select n.round_id as "roundId", u.id, username, avatar, vip_level, is_private, is_streamer_mode, currency_id, bet_usd, color,
      (select count(*) from newest)::int as all
    from (select * from newest order by id desc limit ${most}) n join users u on u.id = n.user_id order by n.id`.execute(
    db,
  );
  const [first] = rows;
  if (!first) return undefined;
  const bets = rows.flatMap((bet) => shownBet(bet, 0));
  return { roundId: String(first.roundId), bets, more: first.all - rows.length };
}

/** A bet as a viewer sees it (user 0 is nobody); one without a colour is none. */
export function shownBet(bet: Row, viewerId: number): z.input<typeof ShownBet>[] {
  const { color, currency_id: currencyId, bet_usd } = bet;
  if (!isColor(color)) return [];
  return [{ user: toShortPublicUser(bet, viewerId), currencyId, betAmount: formatUnits(bet_usd), color }];
}
