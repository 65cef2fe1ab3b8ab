import { sql } from 'kysely';
import { z } from 'zod';
import { type Operation, operation } from '../../../../http/operation.ts';
import { object, strictObject, text } from '../../../../http/schemas.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { commonErrors, errors } from '../../../../platform/errors.ts';
import { betErrors } from '../../bets/schemas.ts';
import { userIdOf } from '../engine/rules.ts';
import type { Said } from './read.ts';
import { PlayerPath, TRANSACTION } from './schemas.ts';
import { type Sportsbook, sportsbookCall } from './service.ts';

export type TransactionDeps = { db: Db; sportsbook: Sportsbook };

const { TRANSACTION_NOT_FOUND } = errors({
  TRANSACTION_NOT_FOUND: [404, 'The transaction does not exist or was not booked.'],
});

const SportsbookTransaction = object('SportsbookTransaction', TRANSACTION);

export const getTransaction = operation({
  ...sportsbookCall,
  method: 'GET',
  path: '/sportsbook/external/wallet/{playerId}/transactions/{transactionId}',
  summary: 'Get a booked transaction',
  params: PlayerPath.extend({ transactionId: z.string() }),
  response: SportsbookTransaction,
  errors: [commonErrors.API_KEY_INVALID, TRANSACTION_NOT_FOUND],
  async handler({ db, sportsbook }: TransactionDeps, { params: { playerId, transactionId } }) {
    const userId = userIdOf(playerId);
    const { providerId } = sportsbook.game.get();
    const row =
      userId === undefined ? undefined : await findBooked(db, { providerId, transactionId, userId });
    if (!row) throw TRANSACTION_NOT_FOUND();
    return viewOf(row);
  },
});

/** Available only in the local and test environments. */
export const debugBet = (segment: string): Operation<TransactionDeps> =>
  operation({
    method: 'POST',
    path: `/debug/${segment}/get-bet`,
    tag: 'Debug',
    access: 'anonymous',
    gate: 'none',
    summary: 'Get a sportsbook bet with its transactions',
    body: strictObject('GetBetRequestDto', { betId: text(200).min(1) }),
    response: z.object({
      betId: z.string(),
      playerId: z.string(),
      status: z.enum(['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK']),
      transactions: z.array(SportsbookTransaction),
    }),
    errors: [betErrors.BET_NOT_FOUND],
    async handler({ db, sportsbook }: TransactionDeps, { body: { betId } }) {
      const bet = await findBet(db, sportsbook.game.get().providerId, betId);
      if (!bet) throw betErrors.BET_NOT_FOUND();
      const transactions = (await transactionsOfBet(db, bet.id)).map(viewOf);
      return { betId, playerId: String(bet.userId), status: bet.status, transactions };
    },
  });

type TransactionRow = { id: string; userId: number; currencyId: string; payload: object };

const columns = sql`t.transaction_id as id, t.user_id as "userId", t.currency_id as "currencyId", t.payload`;

/** Finds a player's booked transaction, which may have been rolled back since. */
async function findBooked(
  db: Db,
  { providerId, transactionId, userId }: { providerId: number; transactionId: string; userId: number },
): Promise<TransactionRow | undefined> {
  const { rows } = await sql<TransactionRow>`select ${columns} from provider_transactions t
    where t.provider_id = ${providerId} and t.transaction_id = ${transactionId} and t.user_id = ${userId}
      and t.status in ('DONE', 'UNDONE')`.execute(db);
  return rows[0];
}

type BetRow = { id: bigint; userId: number; status: 'CREATED' | 'SETTLED' | 'ERROR' | 'ROLLBACK' };

/**
 * Finds the newest bet with this id, because ids are unique only per player. A free bet has no bet row, so the status of its round is
 * returned.
 */
async function findBet(db: Db, providerId: number, betId: string): Promise<BetRow | undefined> {
  const { rows } = await sql<BetRow>`select r.id, r.user_id as "userId",
      coalesce(b.status, case when r.status = 'OPEN' then 'CREATED' when r.stakes = 0 then 'ROLLBACK' else 'SETTLED' end) as status
    from provider_rounds r left join bets b on b.id = r.bet_id
    where r.round_ref = ${betId} and r.provider_id = ${providerId} order by r.id desc limit 1`.execute(db);
  return rows[0];
}

async function transactionsOfBet(db: Db, roundId: bigint): Promise<TransactionRow[]> {
  const { rows } = await sql<TransactionRow>`select ${columns} from provider_transactions t
    where t.round_id = ${roundId} and t.status in ('DONE', 'UNDONE') order by t.id`.execute(db);
  return rows;
}

const viewOf = ({ id, userId, currencyId, payload }: TransactionRow) => ({
  id,
  playerId: String(userId),
  currency: currencyId,
  ...(payload as Said),
});
