import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { lockForDecision } from '../../../base/access/connected.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { openClaimsOf } from '../../ledger/claims.ts';
import { withdrawalErrors } from './errors.ts';
import { type BlockRow, endBlock, findBlock, insertBlock, type WithdrawalRow } from './queries.ts';
import type { NewWithdrawalBlock, WithdrawalBlock } from './schemas.ts';

export type WithdrawalBlocks = ReturnType<typeof createBlocks>;
type Block = z.input<typeof WithdrawalBlock>;

/** Blocks that staff puts on a player's withdrawals. A new block replaces the one before; all stay stored. */
export const createBlocks = ({ db }: { db: Db }) => ({
  /** Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, 400 VALIDATION_FAILED for an end in the past, and as freshActor does. */
  block: (by: StaffCall, userId: number, input: z.output<typeof NewWithdrawalBlock>): Promise<Block> =>
    transaction(db, async (tx) => {
      // Under the player's lock a concurrent request of theirs either came first or sees the block.
      await lockForDecision(tx, by, userId);
      const before = await findBlock(tx, userId);
      const { reason, reasonPublic, blockUntil } = input;
      if (blockUntil !== undefined && new Date(blockUntil) <= (await transactionTime(tx)))
        throw commonErrors.VALIDATION_FAILED({
          fields: [{ path: 'blockUntil', message: 'needs to be in the future' }],
        });
      await endBlock(tx, userId, by.user.id);
      const row = await insertBlock(tx, {
        user_id: userId,
        created_by: by.user.id,
        block_until: blockUntil ?? null,
        reason: reason ?? null,
        reason_public: reasonPublic ?? null,
      });
      const change = { after: toBlock(row), reason };
      await recordAudit(tx, by, before ? { before: toBlock(before), ...change } : change);
      return toBlock(row);
    }),

  /** The block in force. Throws 404 WITHDRAWAL_BLOCK_NOT_FOUND. */
  get: async (userId: number): Promise<Block> => toBlock(found(await findBlock(db, userId))),

  /** Lifts the block in force and answers it. Throws 404 WITHDRAWAL_BLOCK_NOT_FOUND and USER_NOT_FOUND, 403 OWN_ACCOUNT. */
  unblock: (by: StaffCall, userId: number): Promise<Block> =>
    transaction(db, async (tx) => {
      await lockForDecision(tx, by, userId);
      found(await findBlock(tx, userId));
      const row = (await endBlock(tx, userId, by.user.id))!;
      await recordAudit(tx, by, { before: toBlock(row) });
      return toBlock(row);
    }),
});

function found(row: BlockRow | undefined): BlockRow {
  if (!row) throw withdrawalErrors.WITHDRAWAL_BLOCK_NOT_FOUND();
  return row;
}

const until = ({ block_until }: BlockRow) => block_until && iso(block_until);

/** A block as its player sees it. */
export const toPublicBlock = (row: BlockRow) => ({ reasonPublic: row.reason_public, blockUntil: until(row) });

const toBlock = (row: BlockRow): Block => ({
  userId: row.user_id,
  reason: row.reason,
  reasonPublic: row.reason_public,
  blockUntil: until(row),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
});

/** Whether the player was banned or blocked, or owes money, since their withdrawal was approved. */
export async function isStopped(tx: Tx, { user_id }: WithdrawalRow): Promise<boolean> {
  const { banned_at } = await getUser(tx, user_id);
  if (banned_at || (await findBlock(tx, user_id))) return true;
  return (await openClaimsOf(tx, user_id)).size > 0;
}

/** No money goes to a player who is blocked or owes money. Throws 403 WITHDRAWAL_BLOCKED, 409 CLAIMS_OPEN. */
export async function assertNotStopped(tx: Tx, { user_id }: WithdrawalRow): Promise<void> {
  const block = await findBlock(tx, user_id);
  if (block) throw gateErrors.WITHDRAWAL_BLOCKED(toPublicBlock(block));
  const claims = await openClaimsOf(tx, user_id);
  if (claims.size === 0) return;
  const owed = [...claims].map(([currencyId, amount]) => ({ currencyId, amount: formatUnits(amount) }));
  throw withdrawalErrors.CLAIMS_OPEN({ owed });
}
