import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { int4Array, int8Array } from '../../../platform/pg-arrays.ts';
import { addJob } from '../../../platform/queue.ts';
import { type Gate, readRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { announce } from './announce.ts';
import { prizesOf, type RunRow, STANDING } from './queries.ts';
import { type Award, awardsOf, isEnough, type Standing } from './rules.ts';
import type { Settings } from './runs.ts';

export type FreezeDeps = { siteConfig: Settings; gate: Pick<Gate, 'outlook'> };

/** Pays one winner by itself. */
export const PAY_PRIZE = 'leaderboard-prize';

/** Standings that are read at a time. */
const READ = 500;

/**
 * Writes down the places of a run that has ended and who wins what: whoever is banned, excluded, in a blocked country, of the staff or a test user
 * is skipped, and stays so when places are frozen anew. Without any winner the run is FINISHED. The run must be locked, and no prize of it paid.
 * Players are not locked: who is refused when a prize is paid does not get it.
 */
export async function freeze(tx: Tx, { siteConfig, gate }: FreezeDeps, run: RunRow): Promise<void> {
  await writePlaces(tx, run.id);
  const awards = await awardsIn(tx, gate, run);
  await writeAwards(tx, run.id, awards);
  const winners = awards.filter(({ prizeUsd }) => prizeUsd !== null);
  const status = winners.length > 0 ? 'AWAITING_PAYOUT' : 'FINISHED';
  await sql`
    update leaderboards set status = ${status}, updated_at = now(),
      frozen_upto = greatest(frozen_upto, ${run.horizon}::int8 - 1, (select position from cursors where name = 'leaderboards'))
    where id = ${run.id}`.execute(tx);
  await announce(tx, [run.id]);
  if (!siteConfig.get('COMMON').leaderboards.paysAutomatically) return;
  for (const { userId } of winners)
    await addJob(
      tx,
      PAY_PRIZE,
      { leaderboardId: run.id, userId },
      { key: `${PAY_PRIZE}:${run.id}:${userId}` },
    );
}

const writePlaces = (tx: Tx, runId: number) =>
  sql`
  with placed as (
    select s.user_id, row_number() over (order by ${STANDING}) as place from leaderboard_scores s where s.leaderboard_id = ${runId})
  update leaderboard_scores s set place = p.place, prize_usd = null
  from placed p where s.leaderboard_id = ${runId} and s.user_id = p.user_id
    and (s.place is distinct from p.place or s.prize_usd is not null)`.execute(tx);

/** Reads as many standings as there are prizes, and more where prizes move up. */
async function awardsIn(tx: Tx, gate: FreezeDeps['gate'], run: RunRow): Promise<Award[]> {
  const prizes = prizesOf(run);
  const standings: Standing[] = [];
  for (;;) {
    const more = await readStandings(tx, gate, { runId: run.id, after: standings.length });
    standings.push(...more);
    if (more.length < READ || isEnough(standings, prizes, run.moves_prizes_up)) break;
  }
  return awardsOf(standings, prizes, run.moves_prizes_up);
}

type Person = { userId: number; isOutside: boolean; country: string | null };

async function readStandings(
  tx: Tx,
  { outlook }: FreezeDeps['gate'],
  { runId, after }: { runId: number; after: number },
): Promise<Standing[]> {
  const { rows } = await sql<Person>`
    select s.user_id as "userId", u.is_staff or u.is_test or p.is_banned or s.is_skipped as "isOutside", u.country_code as country
    from leaderboard_scores s join users u on u.id = s.user_id join players p on p.user_id = s.user_id
    where s.leaderboard_id = ${runId} and s.place > ${after} and s.place <= ${after + READ} order by s.place`.execute(
    tx,
  );
  const at = await transactionTime(tx);
  const restrictions = await readRestrictions(
    tx,
    rows.map(({ userId }) => userId),
  );
  const isExcluded = (userId: number) => (restrictions.get(userId)?.excludedUntil ?? at) > at;
  return rows.map(({ userId, isOutside, country }) => ({
    userId,
    isSkipped: isOutside || isExcluded(userId) || outlook(country).isGeoBlocked,
  }));
}

async function writeAwards(tx: Tx, runId: number, awards: readonly Award[]): Promise<void> {
  if (awards.length === 0) return;
  await sql`
    update leaderboard_scores s set prize_usd = a.prize_usd, is_skipped = a.prize_usd is null
    from unnest(${int4Array(awards.map(({ userId }) => userId))}::int4[], ${int8Array(awards.map(({ prizeUsd }) => prizeUsd))}::int8[])
      a(user_id, prize_usd)
    where s.leaderboard_id = ${runId} and s.user_id = a.user_id`.execute(tx);
}
