import { int2Array, int4Array, int8Array, textArray } from '../../../platform/database/arrays.ts';
import type { Statement } from '../../../platform/database/db.ts';
import type { Rate, Units } from '../../../platform/money.ts';

/** A bet to insert. `id` is an index into the block of ids that this connection reserved last. */
export type NewBet = {
  id: number;
  userId: number;
  gameId: number;
  currencyId: string;
  amount: Units;
  payout: Units;
  /** The USD values are floor(units × rate). */
  usdAmount: Units;
  usdPayout: Units;
  /** The stake as the player entered it; for a bet with several stakes, the first one. */
  betUsd: Units;
  usdRate: Rate;
  maxProfitUsd: Units;
  /** Null if the bet does not use the player's seeds. */
  seedPairId: bigint | null;
  nonce: number | null;
  rtpBp: number;
  algorithmVersion: string;
  windowId: string | null;
  inputs: string;
  outcome: string;
  /** The part of the stake that was returned without a win or a loss (rules.ts), if there is one. */
  undecided?: Units | undefined;
};

/** A bet that stays open, in a round of its own or in a shared one (`roundId`). Its result is written later. */
export type OpenBet = Omit<NewBet, 'payout' | 'usdPayout' | 'inputs' | 'outcome' | 'undecided'> & {
  inputs: string | null;
  roundId: bigint | null;
};

/** A column of bets and the way in which its values are encoded. */
type Column<B> = readonly [name: string, cast: string, values: (bets: readonly B[]) => Buffer];

/** All columns that a new bet sets, except its id. */
const MADE: readonly Column<OpenBet | NewBet>[] = [
  ['amount', 'int8', (bets) => int8Array(bets.map((b) => b.amount))],
  ['usd_amount', 'int8', (bets) => int8Array(bets.map((b) => b.usdAmount))],
  ['bet_usd', 'int8', (bets) => int8Array(bets.map((b) => b.betUsd))],
  ['usd_rate', 'int8', (bets) => int8Array(bets.map((b) => b.usdRate))],
  ['max_profit_usd', 'int8', (bets) => int8Array(bets.map((b) => b.maxProfitUsd))],
  ['seed_pair_id', 'int8', (bets) => int8Array(bets.map((b) => b.seedPairId))],
  ['user_id', 'int4', (bets) => int4Array(bets.map((b) => b.userId))],
  ['game_id', 'int4', (bets) => int4Array(bets.map((b) => b.gameId))],
  ['nonce', 'int4', (bets) => int4Array(bets.map((b) => b.nonce))],
  ['rtp_bp', 'int2', (bets) => int2Array(bets.map((b) => b.rtpBp))],
  ['currency_id', 'text', (bets) => textArray(bets.map((b) => b.currencyId))],
  ['algorithm_version', 'text', (bets) => textArray(bets.map((b) => b.algorithmVersion))],
  ['window_id', 'text', (bets) => textArray(bets.map((b) => b.windowId))],
  ['inputs', 'json', (bets) => textArray(bets.map((b) => b.inputs))],
];

/** Writes settled bets in one statement. */
export const insertSettled = insertInto<NewBet>(
  'bets.insert-settled',
  [
    ...MADE,
    ['payout', 'int8', (bets) => int8Array(bets.map((b) => b.payout))],
    ['usd_payout', 'int8', (bets) => int8Array(bets.map((b) => b.usdPayout))],
    ['outcome', 'json', (bets) => textArray(bets.map((b) => b.outcome))],
  ],
  { status: `'SETTLED'`, settled_at: 'now()' },
);

/** Writes open bets (CREATED) in one statement. */
export const insertOpen = insertInto<OpenBet>(
  'bets.insert-open',
  [...MADE, ['round_id', 'int8', (bets) => int8Array(bets.map((b) => b.roundId))]],
  { status: `'CREATED'`, payout: '0', usd_payout: '0' },
);

/** Returns a statement that inserts any number of bets with these columns and constants. JSON values are sent as strings. */
function insertInto<B extends Pick<NewBet, 'id'>>(
  name: string,
  columns: readonly Column<B>[],
  constants: Readonly<Record<string, string>>,
): (bets: readonly B[]) => Statement {
  const names = columns.map(([column]) => column);
  const arrays = columns.map(([, cast], i) => `$${i + 2}::${cast === 'json' ? 'text' : cast}[]`);
  const values = columns.map(([column, cast]) => (cast === 'json' ? `v.${column}::json` : `v.${column}`));
  const text = `insert into bets (id, ${[...names, ...Object.keys(constants)]})
    select currval('ledger_ids') + v.id, ${[...values, ...Object.values(constants)]}
    from unnest($1::int4[], ${arrays}) v(id, ${names})`;
  return (bets) => ({
    name,
    text,
    values: [int4Array(bets.map((b) => b.id)), ...columns.map(([, , of]) => of(bets))],
  });
}

/** A change to an open bet: a higher stake (status CREATED) or its end. */
export type BetChange = {
  id: bigint;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  /** Index of the bet's settlement in the reserved block; null while the bet is open. */
  settlement: number | null;
  /** Null leaves the column unchanged. */
  inputs: string | null;
  outcome: string | null;
  undecided?: Units | undefined;
};

/**
 * Writes changed bets in one statement. Fails (40001) if one of them is no longer open. The condition on the status is wrapped in
 * `coalesce` so that PostgreSQL finds each bet by its id and not through the index of open bets. The smallest and greatest ids limit the
 * number of partitions that are planned and locked.
 */
export function changeOpen(changes: readonly BetChange[]): Statement {
  return {
    name: 'bets.change-open',
    text: `with changed as (
        update bets b set status = v.status, amount = v.amount, usd_amount = v.usd_amount, payout = v.payout,
          usd_payout = v.usd_payout, settlement_id = currval('ledger_ids') + v.settlement,
          settled_at = case when v.status = 'SETTLED' then now() end, updated_at = now(), error_reason = null,
          inputs = coalesce(v.inputs::json, b.inputs), outcome = v.outcome::json
        from unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int4[], $8::text[], $9::text[])
          v(id, status, amount, usd_amount, payout, usd_payout, settlement, inputs, outcome)
        where b.id = v.id and b.id between $11::int8 and $12::int8 and coalesce(b.status in ('CREATED', 'ERROR'), false)
        returning 1)
      select expect_rows((select count(*) from changed), $10::int8)`,
    values: [
      int8Array(changes.map((c) => c.id)),
      textArray(changes.map((c) => c.status)),
      int8Array(changes.map((c) => c.amount)),
      int8Array(changes.map((c) => c.usdAmount)),
      int8Array(changes.map((c) => c.payout)),
      int8Array(changes.map((c) => c.usdPayout)),
      int4Array(changes.map((c) => c.settlement)),
      textArray(changes.map((c) => c.inputs)),
      textArray(changes.map((c) => c.outcome)),
      changes.length,
      leastOf(changes),
      -leastOf(changes.map(({ id }) => ({ id: -id }))),
    ],
  };
}

const leastOf = (changes: readonly { id: bigint }[]): bigint =>
  changes.reduce((least, { id }) => (id < least ? id : least), changes[0]!.id);

/** A bet on a provider game, in its state after the first batch of transactions. */
export type ProvidedBet = {
  id: bigint;
  userId: number;
  gameId: number;
  currencyId: string;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  usdRate: Rate;
  /** House edge in millionths of the stake. */
  edgePpm: number;
  /** Sequence position of the bet's settlement; null while the bet is open, and for a bet that was settled immediately. */
  settlementId: bigint | null;
};

/** Writes new bets on provider games in one statement. */
export function insertProvided(bets: readonly ProvidedBet[]): Statement {
  return {
    name: 'bets.insert-provided',
    text: `insert into bets (id, user_id, game_id, currency_id, status, amount, usd_amount, payout, usd_payout, usd_rate, edge_ppm,
        settlement_id, settled_at)
      select id, user_id, game_id, currency_id, status, amount, usd_amount, payout, usd_payout, usd_rate, edge_ppm, settlement_id,
        case when status = 'SETTLED' then now() end
      from unnest($1::int8[], $2::int4[], $3::int4[], $4::text[], $5::text[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::int8[],
        $11::int4[], $12::int8[])
        v(id, user_id, game_id, currency_id, status, amount, usd_amount, payout, usd_payout, usd_rate, edge_ppm, settlement_id)`,
    values: [
      int8Array(bets.map((b) => b.id)),
      int4Array(bets.map((b) => b.userId)),
      int4Array(bets.map((b) => b.gameId)),
      textArray(bets.map((b) => b.currencyId)),
      textArray(bets.map((b) => b.status)),
      int8Array(bets.map((b) => b.amount)),
      int8Array(bets.map((b) => b.usdAmount)),
      int8Array(bets.map((b) => b.payout)),
      int8Array(bets.map((b) => b.usdPayout)),
      int8Array(bets.map((b) => b.usdRate)),
      int4Array(bets.map((b) => b.edgePpm)),
      int8Array(bets.map((b) => b.settlementId)),
    ],
  };
}

/** The amounts of a settled bet, and the time from which statistics include them. `undecided`: see rules.ts. */
export type BetVersion = {
  amount: Units;
  payout: Units;
  usdAmount: Units;
  usdPayout: Units;
  undecided: Units;
  at: Date;
};

/**
 * A change to a bet after its settlement. `before` is null if statistics did not include the bet, `after` is null if they no longer include
 * it.
 */
export type BetCorrection = {
  /** Sequence position of the correction. */
  id: bigint;
  betId: bigint;
  /** Sequence position of the bet's first settlement. */
  position: bigint;
  userId: number;
  gameId: number;
  currencyId: string;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  before: BetVersion | null;
  after: BetVersion | null;
};

/** Prevents months of bets from being detached until the transaction ends. */
export const holdMonths = (): Statement => ({
  name: 'bets.hold-months',
  text: `select pg_advisory_xact_lock_shared(hashtextextended('months of bets', 0))`,
  values: [],
});

/**
 * Writes corrections and the new status of their bets. If both `before` and `after` are null, only the status changes. The time of the
 * first settlement is read from the bet's row, to the microsecond, and the previous bonus part from `bonus_bets`, which must therefore be
 * written afterwards. Requires `holdMonths`. Fails (40001) if the month of a bet is detached or being detached.
 */
export function writeCorrections(corrections: readonly BetCorrection[]): Statement {
  const side = (of: 'before' | 'after') =>
    (['amount', 'payout', 'usdAmount', 'usdPayout'] as const).map((field) =>
      int8Array(corrections.map((c) => c[of]?.[field] ?? null)),
    );
  const times = (of: 'before' | 'after') =>
    textArray(corrections.map((c) => c[of]?.at.toISOString() ?? null));
  return {
    name: 'bets.correct',
    text: `with corrected as (
        insert into bet_corrections (id, bet_id, bet_position, user_id, game_id, currency_id, amount_before, payout_before,
          usd_amount_before, usd_payout_before, at_before, amount_after, payout_after, usd_amount_after, usd_payout_after, at_after,
          bonus_staked, bonus_paid, undecided_before, undecided_after)
        select v.id, v.bet_id, v.position, v.user_id, v.game_id, v.currency_id, a1, p1, ua1, up1, since, a2, p2, ua2, up2, t2::timestamptz,
          case when t1 is not null then coalesce(o.bonus_staked, 0) end, case when t1 is not null then coalesce(o.bonus_paid, 0) end,
          u1, u2
        from unnest($1::int8[], $2::int8[], $3::int8[], $4::int4[], $5::int4[], $6::text[], $7::int8[], $8::int8[], $9::int8[],
          $10::int8[], $11::text[], $12::int8[], $13::int8[], $14::int8[], $15::int8[], $16::text[], $21::int8[], $22::int8[])
          v(id, bet_id, position, user_id, game_id, currency_id, a1, p1, ua1, up1, t1, a2, p2, ua2, up2, t2, u1, u2)
        join bets b on b.id = v.bet_id and b.id between $18::int8 and $19::int8
        left join bonus_bets o on o.bet_id = v.bet_id
        cross join lateral (select case when t1 is null then null when b.is_corrected then t1::timestamptz
          else coalesce(b.settled_at, b.created_at) end as since) first
        where t1 is not null or t2 is not null),
      changed as (
        update bets b set is_corrected = b.is_corrected or t1 is not null or t2 is not null, status = v.status, updated_at = now()
        from unnest($2::int8[], $17::text[], $11::text[], $16::text[]) v(id, status, t1, t2)
        where b.id = v.id and b.id between $18::int8 and $19::int8
          and not exists (select from archived_parts where list = 'bets' and below > b.id)
        returning 1)
      select expect_rows((select count(*) from changed), $20::int8)`,
    values: [
      int8Array(corrections.map((c) => c.id)),
      int8Array(corrections.map((c) => c.betId)),
      int8Array(corrections.map((c) => c.position)),
      int4Array(corrections.map((c) => c.userId)),
      int4Array(corrections.map((c) => c.gameId)),
      textArray(corrections.map((c) => c.currencyId)),
      ...side('before'),
      times('before'),
      ...side('after'),
      times('after'),
      textArray(corrections.map((c) => c.status)),
      leastOf(corrections.map(({ betId }) => ({ id: betId }))),
      -leastOf(corrections.map(({ betId }) => ({ id: -betId }))),
      corrections.length,
      int8Array(corrections.map(({ before }) => before?.undecided || null)),
      int8Array(corrections.map(({ after }) => after?.undecided || null)),
    ],
  };
}

/** The part of a bet's stake that was returned without a win or a loss; `id` is the id under which the bet is stored. */
type Undecided<Id> = { id: Id; undecided: Units };

/** Writes the undecided part of new bets, in a separate statement because most bets have no undecided part. `id`: as in `NewBet`. */
export const markNewUndecided = (bets: readonly Undecided<number>[]): Statement => ({
  name: 'bets.mark-new-undecided',
  text: `update bets b set undecided = v.undecided from unnest($1::int4[], $2::int8[]) v(id, undecided)
    where b.id = currval('ledger_ids') + v.id`,
  values: [int4Array(bets.map(({ id }) => id)), int8Array(bets.map(({ undecided }) => undecided))],
});

/** Writes the undecided part of existing bets. */
export const markUndecided = (bets: readonly Undecided<bigint>[]): Statement => ({
  name: 'bets.mark-undecided',
  text: `update bets b set undecided = v.undecided from unnest($1::int8[], $2::int8[]) v(id, undecided)
    where b.id = v.id and b.id between $3::int8 and $4::int8`,
  values: [
    int8Array(bets.map(({ id }) => id)),
    int8Array(bets.map(({ undecided }) => undecided)),
    leastOf(bets),
    -leastOf(bets.map(({ id }) => ({ id: -id }))),
  ],
});
