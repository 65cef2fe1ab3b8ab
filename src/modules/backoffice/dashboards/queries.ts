import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { generationOf } from '../../games/bets/effects.ts';
import type { GivenKind, GivenSum } from '../../money/rewards/rules.ts';
import { isCounted, readingOf } from './periods/queries.ts';
import type { Steps } from './periods/rules.ts';
import type { Games, Play } from './rules.ts';

/** Counts the real players who signed up in each step. */
export function readRegistrations(db: DbOrTx, steps: Steps): Promise<bigint[]> {
  const { hour, stepAt, isAt, isUncounted } = readingOf(steps);
  const at = sql`created_at`;
  return countBySteps(
    db,
    steps,
    sql`
    select ${hour.step} as step, users as players from registration_hours where ${hour.is}
    union all
    select ${stepAt(at)}, -1 from users where ${isUncounted(sql`id`)} and ${isAt(at)}`,
  );
}

/** Counts, for each step, the real players whose first deposit was in the step and in this currency (undefined: any currency). */
export function readFirstDeposits(db: DbOrTx, steps: Steps, currencyId?: string): Promise<bigint[]> {
  const { day, hour, stepAt, isAt, isUncounted } = readingOf(steps);
  const at = sql`at`;
  const which = currencyId === undefined ? sql`true` : sql`currency_id = ${currencyId}`;
  return countBySteps(
    db,
    steps,
    sql`
    select ${day.step} as step, players from first_deposit_days where ${day.is} and ${which}
    union all
    select ${hour.step}, players from first_deposit_hours join ${hour.ofCutDays} where ${which}
    union all
    select ${stepAt(at)}, -1 from first_deposits where ${isUncounted(sql`user_id`)} and ${isAt(at)} and ${which}`,
  );
}

async function countBySteps(db: DbOrTx, steps: Steps, counted: ReturnType<typeof sql>): Promise<bigint[]> {
  const { rows } = await sql<{ step: number; players: string }>`
    select step - 1 as step, sum(players)::text as players from (${counted}) counted group by 1`.execute(db);
  const players = steps.starts.map(() => 0n);
  for (const row of rows) players[row.step] = BigInt(row.players);
  return players;
}

const BUILT = sql`generation = ${generationOf('user-stats')}`;
const SUMS = sql`sum(bets) as bets, sum(own_staked_usd)::text as staked, sum(own_paid_usd)::text as paid`;

/** In query results, step numbers begin with 0. */
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
 * The same as `playIn`, grouped by provider. On days in which a step begins or ends, the hourly sums per provider are read. If a year is
 * divided into days of a time zone other than UTC, a step begins or ends on every day.
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

/** Returns play by game and step. Omits games without bets. */
export async function readPlayByGame(db: DbOrTx, steps: Steps, games?: Games): Promise<GamePlay[]> {
  const { rows } = await sql<Sums & { gameId: number }>`
    select step - 1 as step, game_id as "gameId", ${SUMS} from ${playIn(steps, games)}
    group by 1, 2 having sum(bets) > 0 order by 2`.execute(db);
  return rows.map((row) => ({ step: row.step, gameId: row.gameId, play: playOf(row) }));
}

type Sql = RawBuilder<unknown>;

/** The currency to include; undefined means all currencies. */
type Currency = string | undefined;
const isIn = (currencyId: Currency) =>
  currencyId === undefined ? sql`true` : sql`currency_id = ${currencyId}`;

/**
 * Selects rows of whole days for all users. On days in which a step begins or ends, selects rows of hours instead. The rows of excluded
 * users are then selected again with a negative sign, so that they cancel out.
 */
const countedIn = (
  steps: Steps,
  { days, hours, columns, which }: Record<'days' | 'hours' | 'columns' | 'which', Sql>,
) => {
  const { day, hour, isUncounted } = readingOf(steps);
  return sql`(
    select ${day.step} as step, 1 as sign, ${columns} from ${days} where ${day.is} and ${which}
    union all
    select ${hour.step}, 1, ${columns} from ${hours} join ${hour.ofCutDays} where ${which}
    union all
    select ${hour.step}, -1, ${columns} from ${hours} where ${isUncounted(sql`user_id`)} and ${hour.is} and ${which}) counted`;
};

/** Returns rewards that real players received, and their reversals, by step and kind. */
export async function readGiven(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<GivenSum[][]> {
  const money = countedIn(steps, {
    days: sql`money_days`,
    hours: sql`money_hours`,
    columns: sql`kind, usd_amount`,
    which: isIn(currencyId),
  });
  const { rows } = await sql<{ step: number; kind: GivenKind; usd: string }>`
    select step - 1 as step, kind, sum(sign * usd_amount)::text as usd from ${money} group by 1, 2`.execute(
    db,
  );
  const given: GivenSum[][] = steps.starts.map(() => []);
  for (const { step, kind, usd } of rows) given[step]!.push({ kind, usdAmount: BigInt(usd) });
  return given;
}

export type Direction = 'DEPOSIT' | 'WITHDRAW';
type PaymentSum = {
  step: number;
  direction: Direction;
  currencyId: string;
  networkId: string;
  count: bigint;
  failed: bigint;
  amount: Units;
  usdAmount: Units;
};

/** Returns payments of real players by step, direction, currency and network. The network is empty for payments without one. */
export async function readPayments(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<PaymentSum[]> {
  const payments = countedIn(steps, {
    days: sql`payment_days`,
    hours: sql`payment_hours`,
    columns: sql`direction, currency_id, network_id, count, failed, amount, usd_amount`,
    which: isIn(currencyId),
  });
  type Row = Omit<PaymentSum, 'count' | 'failed' | 'amount' | 'usdAmount'> &
    Record<'count' | 'failed' | 'amount' | 'usdAmount', string>;
  const { rows } = await sql<Row>`
    select step - 1 as step, direction, currency_id as "currencyId", network_id as "networkId", sum(sign * count)::text as count,
      sum(sign * failed)::text as failed, sum(sign * amount)::text as amount, sum(sign * usd_amount)::text as "usdAmount"
    from ${payments} group by 1, 2, 3, 4 order by 2, 3, 4`.execute(db);
  return rows.map((row) => ({
    ...row,
    count: BigInt(row.count),
    failed: BigInt(row.failed),
    amount: BigInt(row.amount),
    usdAmount: BigInt(row.usdAmount),
  }));
}

/** Returns the USD value of real players' withdrawals whose money is currently on hold. */
export async function readPending(
  db: DbOrTx,
  statuses: readonly string[],
  currencyId?: Currency,
): Promise<Units> {
  const { rows } = await sql<{ usd: string }>`
    select coalesce(sum(usd_amount), 0)::text as usd from withdrawals
    where status = any(${statuses}::text[]) and ${isCounted(sql`user_id`)} and ${isIn(currencyId)}`.execute(
    db,
  );
  return BigInt(rows[0]!.usd);
}

type Approval = { step: number; currencyId: string; networkId: string; seconds: number };

/** Returns the median time from request to approval in whole seconds, for real players' withdrawals approved in each step. */
export async function readApprovals(db: DbOrTx, steps: Steps, currencyId?: Currency): Promise<Approval[]> {
  const { stepAt, isAt } = readingOf(steps);
  const at = sql`confirmed_at`;
  const { rows } = await sql<Approval>`
    select ${stepAt(at)} - 1 as step, currency_id as "currencyId", network_id as "networkId",
      (percentile_disc(0.5) within group (order by floor(extract(epoch from confirmed_at - created_at))))::int as seconds
    from withdrawals
    where confirmed_at is not null and ${isAt(at)} and status <> 'REJECTED' and ${isCounted(sql`user_id`)} and ${isIn(currencyId)}
    group by 1, 2, 3`.execute(db);
  return rows;
}
