import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { formatUnits, type Rate } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { sightOf } from '../../base/users/service.ts';
import { giveBack } from '../../compliance/gate/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import { type Reversed, takeBack } from '../../money/ledger/claims.ts';
import { betErrors } from './errors.ts';
import type { AdminBetRow } from './schemas.ts';
import { adminRows } from './show.ts';

/** Who rolls back and why: as the entry of the ledger stores it. */
type Cause = { actorId?: number; memo?: string };
/** What takes bonus money of bets back. */
export type Undoes = Pick<Grants, 'planUndo'>;

const COLUMNS = [
  'bets.id',
  'user_id',
  'status',
  'currency_id',
  'amount',
  'payout',
  'usd_amount',
  'usd_payout',
  'bets.created_at',
  'settled_at',
  'reversal_id',
  'usd_rate',
  'games.type',
] as const;
const find = (tx: Tx, id: bigint) =>
  tx
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'game_id')
    .select(COLUMNS)
    .where('bets.id', '=', id)
    .executeTakeFirst();

type SettledBet = NonNullable<Awaited<ReturnType<typeof find>>>;

/**
 * Undoes a settled bet by an entry of its own: the stake comes back, then the payout goes, from wherever it is (`takeBack`). Its
 * amounts stay as they were, so that consumers can reverse its effect (effects.ts); its usage of limits is reversed here. Locks the
 * player. Bonus money goes the way of its grant. Throws 400 INSUFFICIENT_BALANCE where what was converted is spent, 404 BET_NOT_FOUND, 409
 * BET_OF_PROVIDER, BET_NOT_SETTLED, BET_ROLLED_BACK and BET_ARCHIVED.
 */
async function rollBack(
  tx: Tx,
  grants: Undoes,
  betId: bigint,
  cause: Cause,
): Promise<{ bet: SettledBet } & Reversed> {
  const { user_id: userId } = await getBet(tx, betId);
  await lockPlayers(tx, [userId]);
  const bet = await getBet(tx, betId);
  // What staff undid here would still stand in the books of its provider.
  if (bet.type !== 'HOUSE_GAME') throw betErrors.BET_OF_PROVIDER();
  if (bet.status === 'ROLLBACK') throw betErrors.BET_ROLLED_BACK();
  if (bet.status !== 'SETTLED') throw betErrors.BET_NOT_SETTLED();
  await holdMonthOf(tx, betId);
  const currencyId = bet.currency_id;
  const bonus = await grants.planUndo(tx, { id: betId, userId, currencyId, rate: bet.usd_rate as Rate });
  const reversed = await takeBack(tx, {
    userId,
    currencyId,
    amount: bet.payout - (bonus?.paid ?? 0n),
    key: `bet:${betId}`,
    to: 'house',
    kind: 'bet.payout.rollback',
    entry: { key: `bet:${betId}:rollback`, kind: 'bet.rollback', ...cause },
    returned: { kind: 'bet.stake.rollback', amount: bet.amount - (bonus?.staked ?? 0n) },
    beside: bonus?.postings,
  });
  await bonus?.finish();
  await tx
    .updateTable('bets')
    .set({ status: 'ROLLBACK', reversal_id: reversed.entryId, updated_at: sql<Date>`now()` })
    .where('id', '=', betId)
    .execute();
  await giveBack(tx, userId, {
    madeAt: bet.created_at,
    staked: bet.usd_amount,
    settled: { at: bet.settled_at ?? bet.created_at, paid: bet.usd_payout },
  });
  return { bet, ...reversed };
}

async function getBet(tx: Tx, id: bigint): Promise<SettledBet> {
  const bet = await find(tx, id);
  if (!bet) throw betErrors.BET_NOT_FOUND();
  return bet;
}

/** The same by staff, with its audit row, idempotent by `key`. */
export async function rollBackByStaff(
  { db, grants }: { db: Db; grants: Undoes },
  by: StaffCall,
  { betId, reason, key }: { betId: bigint; reason: string; key: string | undefined },
): Promise<z.input<typeof AdminBetRow>> {
  const actorId = by.user.id;
  const owner = await db.selectFrom('bets').select('user_id').where('id', '=', betId).executeTakeFirst();
  if (!owner) throw betErrors.BET_NOT_FOUND();
  const { user_id: userId } = owner;
  const repeatable = {
    userId: actorId,
    key,
    operation: 'bet.rollback',
    alsoLocks: [userId],
    input: { betId: String(betId), reason },
  };
  return runIdempotently(db, repeatable, async (tx) => {
    await lockForDecision(tx, by, userId);
    const { bet, claimed } = await rollBack(tx, grants, betId, { actorId, memo: reason });
    const [row] = await adminRows(tx, [betId], sightOf(by.user));
    const stated = {
      betId: String(betId),
      userId,
      amount: formatUnits(bet.amount),
      payout: formatUnits(bet.payout),
    };
    const before = { ...stated, status: bet.status };
    const after = { ...stated, status: 'ROLLBACK', claimed: formatUnits(claimed) };
    await recordAudit(tx, by, { before, after, reason });
    return row!;
  });
}

/** Serialises changes of settled bets with the detaching of months: the sums of a month are stored as it is detached. */
const MONTHS_LOCK = sql`hashtextextended('months of bets', 0)`;

/** Until the transaction ends no month is detached. Throws 409 BET_ARCHIVED where the bet's was, or is about to be. */
export async function holdMonthOf(tx: Tx, betId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${MONTHS_LOCK})`.execute(tx);
  const { rows } = await sql<{ part: string }>`
    select part from archived_parts where list = 'bets' and below > ${betId} order by below limit 1`.execute(
    tx,
  );
  const [month] = rows;
  if (month) throw betErrors.BET_ARCHIVED({ part: month.part });
}

/** Until the transaction ends nobody changes a settled bet. Waits for transactions that do. */
export const closeMonths = (tx: Tx) => sql`select pg_advisory_xact_lock(${MONTHS_LOCK})`.execute(tx);
