import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { strictObject } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, type Rate } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { assertValue, pairOf, staffValueErrors, withProposals } from '../../base/staff-value/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { sightOf } from '../../base/users/service.ts';
import { giveBack } from '../../compliance/gate/service.ts';
import { type Reversed, takeBack } from '../../money/ledger/claims.ts';
import { AdminBetRow, BetPath, betErrors } from './schemas.ts';
import { type BetDeps, betIdOf, holdMonthOf } from './service.ts';
import { adminRows } from './view.ts';

export const rollBackBet = operation({
  method: 'POST',
  path: '/admin/bets/{betId}/rollback',
  tag: 'Admin Bets',
  access: { permission: 'bet.rollback' },
  gate: 'staff',
  createsValue: 'pays',
  stepUp: true,
  idempotent: true,
  summary: 'Roll back a settled bet',
  description:
    'Returns the stake, debits the payout, and removes the bet from statistics and limits. The payout is debited from the ' +
    'balance, then from the vault. The rest becomes a claim, which is paid from later deposits and returned withdrawals. ' +
    'Withdrawals are blocked until the claim is paid. Bets on provider games cannot be rolled back here, because they must agree ' +
    "with the provider's books.",
  params: BetPath,
  body: strictObject('BetRollbackDto', { reason: z.string().trim().min(1).max(500) }),
  response: AdminBetRow,
  errors: [
    commonErrors.INSUFFICIENT_BALANCE,
    betErrors.BET_NOT_FOUND,
    betErrors.BET_NOT_SETTLED,
    betErrors.BET_OF_PROVIDER,
    betErrors.BET_ROLLED_BACK,
    betErrors.BET_ARCHIVED,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    userErrors.USER_NOT_FOUND,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: async (deps: BetDeps, { by, params, body: { reason }, idempotencyKey: key }) => {
    const { db } = deps;
    const betId = betIdOf(params.betId);
    const actorId = by.user.id;
    const owner = await db.selectFrom('bets').select('user_id').where('id', '=', betId).executeTakeFirst();
    if (!owner) throw betErrors.BET_NOT_FOUND();
    const { user_id: userId } = owner;
    const request = {
      userId: actorId,
      key,
      operation: 'bet.rollback',
      alsoLocks: [userId],
      input: { betId: String(betId), reason },
    };
    const work = async (tx: Tx) => {
      await lockForDecision(tx, by, userId);
      const leave = await assertValue(tx, deps, by, actOf(await getBet(tx, betId), reason));
      const { bet, claimed } = await rollBack(tx, deps, betId, { actorId, memo: reason });
      const [row] = await adminRows(tx, [betId], sightOf(by.user));
      const amounts = {
        betId: String(betId),
        userId,
        amount: formatUnits(bet.amount),
        payout: formatUnits(bet.payout),
      };
      const before = { ...amounts, status: bet.status };
      const after = { ...amounts, status: 'ROLLBACK', claimed: formatUnits(claimed), ...pairOf(leave) };
      await recordAudit(tx, by, { before, after, reason });
      return row!;
    };
    return withProposals(db, by, () => runIdempotently(db, request, work));
  },
});

/** The actor and reason stored in the ledger entry. */
type Cause = { actorId?: number; memo?: string };

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
 * Locks the player and reverses a settled bet with one ledger entry, which returns the stake and then debits the payout (`takeBack`). The
 * bet keeps its amounts, so that consumers can reverse its effect (effects.ts). Bonus money returns to its grant. Throws 400
 * INSUFFICIENT_BALANCE if the player has already spent a converted bonus.
 */
async function rollBack(
  tx: Tx,
  { grants }: Pick<BetDeps, 'grants'>,
  betId: bigint,
  cause: Cause,
): Promise<{ bet: SettledBet } & Reversed> {
  const { user_id: userId } = await getBet(tx, betId);
  await lockPlayers(tx, [userId]);
  const bet = await getBet(tx, betId);
  // If staff rolled the bet back here, it would remain in the provider's books.
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
  await tx
    .updateTable('bets')
    .set({ status: 'ROLLBACK', reversal_id: reversed.entryId, updated_at: sql<Date>`now()` })
    .where('id', '=', betId)
    .execute();
  // The grant may require additional wagering, which must start only after the bet no longer counts.
  await bonus?.finish();
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

/** A rollback returns a lost stake or takes a profit, so its value is the difference between stake and payout. */
function actOf({ id, user_id: userId, usd_amount: staked, usd_payout: paid }: SettledBet, reason: string) {
  const usdAmount = staked > paid ? staked - paid : paid - staked;
  const recipients = [{ userId, usdAmount }];
  return { operation: 'bet.rollback', input: { betId: String(id) }, usdAmount, recipients, reason };
}
