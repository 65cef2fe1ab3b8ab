import { sql } from 'kysely';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { generationOf } from '../../../games/bets/effects.ts';
import { readingOf } from '../periods/queries.ts';
import type { Steps } from '../periods/rules.ts';
import type { Games, Play } from '../rules.ts';

const BUILT = sql`generation = ${generationOf('user-stats')}`;
const SUMS = sql`sum(bets) as bets, sum(own_staked_usd)::text as staked, sum(own_paid_usd)::text as paid`;

/** Steps count from 0 here, as in all query results. */
type Sums = { step: number; bets: string; staked: string; paid: string };

const playOf = ({ bets, staked, paid }: Sums): Play => ({
  bets: BigInt(bets),
  staked: BigInt(staked),
  paid: BigInt(paid),
});

const isOneOf = (games: Games) => (games === undefined ? sql`true` : sql`game_id = any(${games}::int4[])`);

/** Selects real players' play on these games in each step. */
const playIn = (steps: Steps, games: Games) => {
  const { day, hour } = readingOf(steps);
  return sql`(
    select ${day.step} as step, game_id, bets, own_staked_usd, own_paid_usd from game_days where ${BUILT} and ${day.is} and ${isOneOf(games)}
    union all
    select ${hour.step}, game_id, bets, own_staked_usd, own_paid_usd from game_hours join ${hour.ofCutDays}
    where ${BUILT} and ${isOneOf(games)}) played`;
};

/**
 * The same by provider. On days in which a step begins or ends, hours come from sums per provider. A year in a time zone has such a
 * boundary on every day.
 */
const playOfProviders = (steps: Steps, games: Games) => {
  const { day, hour } = readingOf(steps);
  if (games !== undefined)
    return sql`(select provider_id, played.* from ${playIn(steps, games)} join games on games.id = game_id) played`;
  return sql`(
    select provider_id, ${day.step} as step, bets, own_staked_usd, own_paid_usd from game_days join games on games.id = game_id
    where ${BUILT} and ${day.is}
    union all
    select provider_id, ${hour.step}, bets, own_staked_usd, own_paid_usd from provider_hours join ${hour.ofCutDays}
    where ${BUILT} and provider_id >= 0) played`;
};

export type ProviderPlay = { step: number; providerId: number; play: Play };

export async function readPlayByProvider(db: DbOrTx, steps: Steps, games?: Games): Promise<ProviderPlay[]> {
  const { rows } = await sql<Sums & { providerId: number }>`
    select step - 1 as step, provider_id as "providerId", ${SUMS} from ${playOfProviders(steps, games)} group by 1, 2`.execute(
    db,
  );
  return rows.map((row) => ({ step: row.step, providerId: row.providerId, play: playOf(row) }));
}

export type GamePlay = { step: number; gameId: number; play: Play };

/** Returns play by game and step, without games that have no bets. */
export async function readPlayByGame(db: DbOrTx, steps: Steps, games?: Games): Promise<GamePlay[]> {
  const { rows } = await sql<Sums & { gameId: number }>`
    select step - 1 as step, game_id as "gameId", ${SUMS} from ${playIn(steps, games)}
    group by 1, 2 having sum(bets) > 0 order by 2`.execute(db);
  return rows.map((row) => ({ step: row.step, gameId: row.gameId, play: playOf(row) }));
}
