import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';
import { emitEvent } from '../../base/events/service.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import { announce } from './announce.ts';
import { count, runsThatChange } from './count.ts';
import { type FreezeDeps, freeze } from './freeze.ts';
import { lockRun } from './queries.ts';
import { makeDueRuns } from './runs.ts';

type Applied = Slice & { generation: number };
type Bounds = { first: Date | null; last: Date | null };

/**
 * Applies the effects of a slice to the scores of all runs that they fall into. What a bet comes to after the slice replaces what it came to before,
 * so nothing depends on where slices end. Locks schedules, runs and scores in this order, and no player.
 */
export async function apply(tx: Tx, deps: FreezeDeps, slice: Applied): Promise<void> {
  if (!(await isAnythingOn(tx))) return;
  const { first, last } = await boundsOf(tx, slice);
  if (!first || !last) return;
  if (!slice.isReversal) await makeDueRuns(tx, deps.siteConfig, { upTo: last, generation: slice.generation });
  const open = await lockOpen(tx, { first, last }, slice.generation);
  const { unpaid, paid } = await lockFrozen(tx, slice, first);
  const changed = await count(tx, slice, [...open, ...unpaid]);
  for (const id of unpaid.filter((id) => changed.has(id))) await freeze(tx, deps, (await lockRun(tx, id))!);
  for (const id of await runsThatChange(tx, slice, paid))
    await emitEvent(tx, { event: 'admin.alert', data: { kind: 'LEADERBOARD_CHANGED', id: String(id) } });
  await keepUp(tx, [...unpaid, ...paid], slice.upTo);
  await announce(
    tx,
    open.filter((id) => changed.has(id)),
  );
}

async function isAnythingOn(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`
    select exists (select from leaderboards where not is_purged) or exists (select from leaderboard_schedules where enabled) as on`.execute(
    tx,
  );
  return rows[0]!.on;
}

/** When the first and the last of the bets were settled. */
async function boundsOf(tx: Tx, slice: Slice): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    select min(at) as first, max(at) as last from ${effectsIn(slice)} effects`.execute(tx);
  return rows[0]!;
}

/** Open runs that bets of this time fall into; all those of an earlier generation are reset. */
async function lockOpen(tx: Tx, { first, last }: Bounds, generation: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; isOld: boolean; isTouched: boolean }>`
    select id, generation <> ${generation} as "isOld", start_date <= ${last} and end_date > ${first} as "isTouched" from leaderboards
    where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING') order by id for no key update`.execute(tx);
  const old = rows.filter(({ isOld }) => isOld).map(({ id }) => id);
  if (old.length > 0) await reset(tx, old, generation);
  return rows.filter(({ isTouched }) => isTouched).map(({ id }) => id);
}

async function reset(tx: Tx, ids: readonly number[], generation: number): Promise<void> {
  const all = int4Array(ids);
  await sql`delete from leaderboard_bets where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`delete from leaderboard_scores where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`
    update leaderboards set generation = ${generation}, participants = 0 where id = any(${all}::int4[])`.execute(
    tx,
  );
}

/**
 * Frozen runs that effects of the slice fall into which their places do not know of. The places are frozen anew until the first prize is paid;
 * from then on they stand, and staff is told what would change them.
 */
async function lockFrozen(
  tx: Tx,
  slice: Slice,
  first: Date,
): Promise<Record<'unpaid' | 'paid', readonly number[]>> {
  // What is frozen is not reversed to apply it again.
  if (slice.isReversal) return { unpaid: [], paid: [] };
  const { rows } = await sql<{ id: number }>`
    select distinct r.id from leaderboards r
    join ${effectsIn(slice)} e on e.at >= r.start_date and e.at < r.end_date and e.position > r.frozen_upto
    where r.status in ('AWAITING_PAYOUT', 'FINISHED') and r.end_date > ${first} and not r.is_purged order by r.id`.execute(
    tx,
  );
  const ids = rows.map(({ id }) => id);
  for (const id of ids) await lockRun(tx, id);
  const isPaid = await whichArePaid(tx, ids);
  return { unpaid: ids.filter((id) => !isPaid.has(id)), paid: ids.filter((id) => isPaid.has(id)) };
}

async function whichArePaid(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct leaderboard_id as id from leaderboard_prizes where leaderboard_id = any(${int4Array(ids)}::int4[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** What is consumed again after a rebuild or a replay is not new to them. */
const keepUp = (tx: Tx, ids: readonly number[], upTo: bigint) =>
  sql`update leaderboards set frozen_upto = greatest(frozen_upto, ${upTo}) where id = any(${int4Array(ids)}::int4[])`.execute(
    tx,
  );
