import { sql } from 'kysely';
import type { Player, TestApp } from '../app.ts';

/** A bet as stored in the table. Omitted fields default to those of a settled one-dollar dice bet without a payout. */
export type BetRow = {
  id: bigint;
  userId: number;
  status: string;
  gameId: number;
  currencyId: string;
  amount: bigint;
  payout: bigint;
  usdAmount: bigint;
  roundId: bigint | null;
  settlementId: bigint | null;
  errorReason: string | null;
  at: Date;
};

const USUAL = {
  status: 'SETTLED',
  gameId: 1,
  currencyId: 'USDT',
  amount: 100_000_000n,
  payout: 0n,
  roundId: null,
  settlementId: null,
  errorReason: null,
};

/** Inserts bets with any date and status but without ledger entries, so the books do not balance. */
export async function insertBets(
  app: TestApp,
  bets: readonly (Partial<BetRow> & { id: bigint; userId: number; at: Date })[],
): Promise<BetRow[]> {
  const rows = bets.map((bet): BetRow => {
    const amount = bet.amount ?? USUAL.amount;
    return { ...USUAL, usdAmount: amount, ...bet };
  });
  for (let i = 0; i < rows.length; i += 5000) {
    const json = JSON.stringify(rows.slice(i, i + 5000), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    await sql`
      insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, created_at, updated_at, settled_at, user_id, game_id, status,
        currency_id, round_id, settlement_id, error_reason)
      select id, amount, payout, "usdAmount", payout, 1e12, at, at, case when status <> 'CREATED' then at end, "userId", "gameId", status,
        "currencyId", "roundId", "settlementId", "errorReason"
      from jsonb_to_recordset(${json}::jsonb) as b(id int8, amount int8, payout int8, "usdAmount" int8, at timestamptz, "userId" int,
        "gameId" int, status text, "currencyId" text, "roundId" int8, "settlementId" int8, "errorReason" text) order by id`.execute(
      app.db,
    );
  }
  return rows;
}

/** Creates a player who is not a test user. Debug players are test users, which the live feed hides. */
export async function newRealPlayer(app: TestApp, options: { usdt?: number } = {}): Promise<Player> {
  const player = await app.newPlayer(options);
  await app.db.updateTable('users').set({ is_test: false }).where('id', '=', player.id).execute();
  return player;
}
