import type { Services } from '../../src/app/services.ts';
import { gateErrors } from '../../src/modules/compliance/gate/errors.ts';
import type { Pool } from '../../src/platform/database/db.ts';
import { sqlState } from '../../src/platform/database/errors.ts';
import { commonErrors } from '../../src/platform/errors.ts';
import { answerOf, type PlayRequest, play, type Settle, seedsOf } from './bet.ts';
import { BET_COLUMNS, betValues, LINE_COLUMNS } from './rows.ts';

/** The last known state of a player and the player's wallet. The statement fails if the state has changed. */
type State = { seedPairId: bigint; nonce: number; isBanned: boolean; cash: bigint; version: bigint };

const READ_COLUMNS = `p.user_id as "userId", p.seed_pair_id as "seedPairId", p.nonce, p.is_banned as "isBanned",
  w.currency_id as "currencyId", w.cash, w.version from players p join wallets w using (user_id)`;
const READ = {
  name: 'statement.read',
  text: `select ${READ_COLUMNS} where p.user_id = $1 and w.currency_id = $2`,
};
const BET = {
  name: 'statement.bet',
  text: `with player as (
      update players set nonce = nonce + 1
      where user_id = $8 and seed_pair_id = $7 and nonce = $10 and not is_banned returning user_id),
    wallet as (
      update wallets w set cash = $18, version = w.version + 1, updated_at = now() from player
      where w.user_id = player.user_id and w.currency_id = $12 and w.version = $19 returning 1),
    ids as (select nextval('ledger_ids') as base from wallet),
    bet as (
      insert into bets (id, ${BET_COLUMNS}, status, settled_at)
      select base, $1::int8, $2::int8, $3::int8, $4::int8, $5::int8, $6::int8, $7::int8, $8::int4, $9::int4, $10::int4, $11::int2,
        $12::text, $13::text, $14::text, $15::json, $16::json, $17::int8, 'SETTLED', now() from ids),
    lines as (
      insert into ledger_lines (${LINE_COLUMNS})
      select base + l.id, base, l.amount, l.debit_after, l.credit_after, $8, l.debit, l.credit, $12, l.kind
      from ids, (values (1, $1::int8, $18::int8 - $2::int8, null::int8, 1, 100, 'bet.stake'),
        (2, $2::int8, null::int8, $18::int8, 100, 1, 'bet.payout')) l(id, amount, debit_after, credit_after, debit, credit, kind)
      where l.amount > 0)
    select base, now() as at, expect_rows((select count(*) from ids), 1)
    from (select 1) one left join ids on true`,
};
const CHANGED = '40001';

/**
 * One round trip per bet: a single statement of data-modifying CTEs in its own transaction. The outcome depends on the nonce, so it is
 * computed beforehand from cached state. If the cache is stale, the statement fails and is retried with the current state. Concurrent bets
 * of one player wait in a queue here, because they would otherwise fail.
 */
export async function createStatement(services: Services, pool: Pool): Promise<Settle> {
  const states = await readAll(pool);
  const queues = new Map<string, Promise<unknown>>();
  const settle = async (bet: PlayRequest, name: string): Promise<object> => {
    for (;;) {
      const state = states.get(name) ?? (await read(pool, bet.userId, bet.currencyId));
      states.delete(name);
      const made = await attempt(pool, { services, bet, state });
      if (!made) continue;
      states.set(name, made.state);
      return made.answer;
    }
  };
  return async (bet) => {
    if (bet.refusal) throw bet.refusal;
    const name = nameOf(bet.userId, bet.currencyId);
    const before = queues.get(name);
    const mine = before === undefined ? settle(bet, name) : before.then(() => settle(bet, name));
    const settled = mine
      .catch(() => undefined)
      .then(() => {
        if (queues.get(name) === settled) queues.delete(name);
      });
    queues.set(name, settled);
    return mine;
  };
}

/** Returns undefined if the player or their wallet has changed. */
async function attempt(
  pool: Pool,
  { services, bet, state }: { services: Services; bet: PlayRequest; state: State },
): Promise<{ answer: object; state: State } | undefined> {
  if (state.isBanned) throw gateErrors.USER_BANNED();
  if (state.cash < bet.stake) throw commonErrors.INSUFFICIENT_BALANCE();
  const { seedPairId, nonce, version } = state;
  const played = play(bet, await seedsOf(services, seedPairId), nonce);
  const cash = state.cash - bet.stake + played.payout;
  const values = [...betValues(bet, played, { seedPairId, nonce }), cash, version];
  try {
    const { rows } = await pool.query<{ base: bigint; at: Date }>({ ...BET, values });
    const { base, at } = rows[0]!;
    return {
      answer: answerOf(bet, played, { id: base, at }),
      state: { ...state, cash, nonce: nonce + 1, version: version + 1n },
    };
  } catch (error) {
    if (sqlState(error) === CHANGED) return undefined;
    throw error;
  }
}

async function read(pool: Pool, userId: number, currencyId: string): Promise<State> {
  const { rows } = await pool.query<State>({ ...READ, values: [userId, currencyId] });
  if (!rows[0]) throw commonErrors.INSUFFICIENT_BALANCE();
  return rows[0];
}

async function readAll(pool: Pool): Promise<Map<string, State>> {
  const { rows } = await pool.query<State & { userId: number; currencyId: string }>(`select ${READ_COLUMNS}`);
  return new Map(rows.map((row) => [nameOf(row.userId, row.currencyId), row]));
}

const nameOf = (userId: number, currencyId: string): string => `${userId}:${currencyId}`;
