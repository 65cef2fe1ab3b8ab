import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Slice } from '../../games/bets/effects.ts';
import { addAccruals } from '../rakeback/accrue.ts';
import { addWagered } from '../vip/progress.ts';
import { addCommission } from './commission.ts';
import { type Counted, count } from './count.ts';
import type { Terms } from './rules.ts';

/**
 * Applies the effects of a slice: a handful of statements, whatever the number of bets. Rows are locked in one order that claims keep too
 * (users, levels, rakeback, commission), and no player is.
 */
export async function apply(tx: Tx, slice: Slice, terms: readonly Terms[]): Promise<void> {
  if (slice.isReversal) throw new Error('rewards go forward alone');
  const { reversals, wagered, crossed, rakeback, hasLosses, commission } = await count(tx, slice, terms);
  if (reversals) await markReversed(tx, reversals);
  if (wagered) await addWagered(tx, wagered, crossed);
  if (rakeback) await addAccruals(tx, rakeback, hasLosses);
  if (commission) await addCommission(tx, commission);
}

async function markReversed(
  tx: Tx,
  { bets, places, positions }: NonNullable<Counted['reversals']>,
): Promise<void> {
  await sql`
    update bet_rewards r set reversed_place = v.position
    from unnest(${bets}::int8[], ${places}::int8[], ${positions}::int8[]) v(bet_id, place, position)
    where r.bet_id = v.bet_id and r.place = v.place and r.bet_id = any(${bets}::int8[])`.execute(tx);
}
