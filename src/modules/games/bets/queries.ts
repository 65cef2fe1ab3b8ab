import type { Statement } from '../../../platform/db.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import { int2Array, int4Array, int8Array, textArray } from '../../../platform/pg-arrays.ts';

/** A bet about to be written; `id` is its index in the block of ids reserved last on this connection. */
export type NewBet = {
  id: number;
  userId: number;
  gameId: number;
  currencyId: string;
  amount: Units;
  payout: Units;
  /** What they count as: floor(units × rate). */
  usdAmount: Units;
  usdPayout: Units;
  /** The (first) stake as the player entered it. */
  betUsd: Units;
  usdRate: Rate;
  maxProfitUsd: Units;
  /** Null: made without seeds of the player's. */
  seedPairId: bigint | null;
  nonce: number | null;
  rtpBp: number;
  algorithmVersion: string;
  windowId: string | null;
  inputs: string;
  outcome: string;
};

/** A bet that stays open: in a round of its own or in one that is shared (`roundId`). What comes of it is written later. */
export type OpenBet = Omit<NewBet, 'payout' | 'usdPayout' | 'inputs' | 'outcome'> & {
  inputs: string | null;
  roundId: bigint | null;
};

/** A column of bets, and how its values travel. */
type Column<B> = readonly [name: string, cast: string, values: (bets: readonly B[]) => Buffer];

/** What is known of every bet when it is written, beside its id. */
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

/** A statement that writes these columns of any number of bets, and the same in all of them beside; json travels as text. */
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

/** What an open bet has become: more is staked on it (CREATED), or it has ended. */
export type BetChange = {
  id: bigint;
  status: 'CREATED' | 'SETTLED' | 'ROLLBACK';
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  /** Index of its settlement in the reserved block; null while it is open. */
  settlement: number | null;
  /** Null: as they were. */
  inputs: string | null;
  outcome: string | null;
};

/**
 * Writes changed bets in one statement. Fails (40001) when one of them is not open any more. The status is wrapped so that each bet is
 * looked up by its id: an index of what is open leads through the open bets of everybody, and those that were. Least and greatest id
 * stand apart, so that only the partitions between them are planned for and locked.
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
