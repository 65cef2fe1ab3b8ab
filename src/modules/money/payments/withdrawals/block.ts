import { type Insertable, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject, Time, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import type { WithdrawalBlocks } from '../../../../platform/database/tables.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { lockForDecision } from '../../../base/access/connected.ts';
import { accessErrors } from '../../../base/access/errors.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import { withdrawalErrors } from '../errors.ts';
import { UserPath } from './schemas.ts';
import type { WithdrawalDeps } from './service.ts';
import { type BlockRow, findBlock, toPublicBlock } from './stopped.ts';

const WithdrawalBlock = object('WithdrawalBlock', {
  userId: z.number().int(),
  reason: z.string().nullable(),
  reasonPublic: z.string().nullable(),
  blockUntil: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const common = {
  path: '/admin/withdrawals-block/{userId}',
  tag: 'Admin withdrawals block',
  params: UserPath,
  response: WithdrawalBlock,
} as const;
const change = { ...common, access: { permission: 'withdrawblock.write' }, gate: 'none' } as const;
const changeErrors = [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, accessErrors.ACCOUNT_CONNECTED];

export const blockWithdrawals = operation({
  ...change,
  method: 'POST',
  summary: "Block a user's withdrawals",
  description:
    'Replaces the active block. Without `blockUntil` the block lasts until staff lift it. The player sees `reasonPublic`.',
  body: strictObject('NewWithdrawalBlock', {
    reason: z.string().trim().min(1).max(1000).optional(),
    reasonPublic: z.string().trim().min(1).max(500).optional(),
    blockUntil: Time.optional(),
  }),
  errors: changeErrors,
  handler: ({ db }: WithdrawalDeps, { by, params: { userId }, body }) =>
    transaction(db, async (tx) => {
      // Because the player is locked, a concurrent withdrawal request is either stored before the block or rejected by it.
      await lockForDecision(tx, by, userId);
      const before = await findBlock(tx, userId);
      const { reason, reasonPublic, blockUntil } = body;
      if (blockUntil !== undefined && new Date(blockUntil) <= (await transactionTime(tx)))
        throw commonErrors.VALIDATION_FAILED({
          fields: [{ path: 'blockUntil', message: 'must be in the future' }],
        });
      await endBlock(tx, userId, by.user.id);
      const row = await insertBlock(tx, {
        user_id: userId,
        created_by: by.user.id,
        block_until: blockUntil ?? null,
        reason: reason ?? null,
        reason_public: reasonPublic ?? null,
      });
      const changed = { after: toBlock(row), reason };
      await recordAudit(tx, by, before ? { before: toBlock(before), ...changed } : changed);
      return toBlock(row);
    }),
});

export const getWithdrawalBlock = operation({
  ...common,
  method: 'GET',
  access: { permission: 'withdrawblock.read' },
  summary: "Get the active block on a user's withdrawals",
  errors: [withdrawalErrors.WITHDRAWAL_BLOCK_NOT_FOUND],
  handler: async ({ db }: WithdrawalDeps, { params: { userId } }) =>
    toBlock(found(await findBlock(db, userId))),
});

export const unblockWithdrawals = operation({
  ...change,
  method: 'DELETE',
  stepUp: true,
  summary: "Lift the active block on a user's withdrawals",
  errors: [withdrawalErrors.WITHDRAWAL_BLOCK_NOT_FOUND, ...changeErrors],
  handler: ({ db }: WithdrawalDeps, { by, params: { userId } }) =>
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

const toBlock = (row: BlockRow): z.input<typeof WithdrawalBlock> => ({
  userId: row.user_id,
  reason: row.reason,
  ...toPublicBlock(row),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
});

/** Ends the block that has not been lifted yet, even if it has expired. */
const endBlock = (tx: Tx, userId: number, by: number): Promise<BlockRow | undefined> =>
  tx
    .updateTable('withdrawal_blocks')
    .set({ lifted_at: sql<Date>`now()`, lifted_by: by, updated_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('lifted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

const insertBlock = (tx: Tx, row: Insertable<WithdrawalBlocks>): Promise<BlockRow> =>
  tx.insertInto('withdrawal_blocks').values(row).returningAll().executeTakeFirstOrThrow();
