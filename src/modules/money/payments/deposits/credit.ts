import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { getUser } from '../../../base/users/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { leaveSuspense, publishChange, type Step } from './advance.ts';
import { type DepositRow, lockDeposit, updateDeposit } from './queries.ts';

type Credit = { userId: number; currencyId: string; amount: Units; usdAmount: Units; at: Date };

/**
 * Credits a deposit and returns its next state. Automatic credits and staff use the same key, which identifies the output. A banned player
 * also gets the money, but the deposit stays ON_HOLD until the ban is lifted.
 */
export async function creditDeposit(
  tx: Tx,
  { credits, depositGate }: Pick<PaymentDeps, 'credits' | 'depositGate'>,
  row: DepositRow,
  { userId, currencyId, amount, usdAmount, at }: Credit,
): Promise<Step> {
  await leaveSuspense(tx, row);
  const reasons = await depositGate.findings(tx, { userId, usdAmount });
  const key = `deposit:${row.output_key}`;
  const credit = { userId, currencyId, amount, usdAmount, key, kind: 'deposit', at } as const;
  const { entryId, bonus = null, affiliateUsd } = await credits.credit(tx, credit);
  const { affiliate_code } = await getUser(tx, userId);
  return {
    status: reasons.includes('USER_BANNED') ? 'ON_HOLD' : 'COMPLETED',
    reasons,
    amount,
    usd_amount: usdAmount,
    deposit_bonus: bonus,
    completed_at: at,
    affiliate_code,
    affiliate_amount: affiliateUsd,
    credit_key: key,
    entry_id: entryId,
    suspense_amount: 0n,
  };
}

const BATCH = 100;

/** Completes deposits that were held while their players were banned. Their money is already credited. */
export async function releaseDeposits(db: Db): Promise<void> {
  for (const held of await readHeld(db)) await transaction(db, (tx) => releaseOne(tx, held));
}

type Held = { id: string; userId: number };

async function releaseOne(tx: Tx, { id, userId }: Held): Promise<void> {
  const player = (await lockPlayers(tx, [userId])).get(userId);
  const row = await lockDeposit(tx, id);
  if (player?.isBanned || row.status !== 'ON_HOLD') return;
  const at = new Date().toISOString();
  const released = await updateDeposit(tx, id, { change: { status: 'COMPLETED', at, reason: null } });
  await publishChange(tx, row, released);
}

/** Returns held deposits of players who are no longer banned. */
const readHeld = (db: Db): Promise<Held[]> =>
  db
    .selectFrom('deposits')
    .innerJoin('players', 'players.user_id', 'deposits.user_id')
    .select(['deposits.id', 'players.user_id as userId'])
    .where('deposits.status', '=', 'ON_HOLD')
    .where('players.is_banned', '=', false)
    .orderBy('deposits.id')
    .limit(BATCH)
    .execute();
