import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import type { Db } from '../../../../platform/db.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { auditOf } from './approve.ts';
import { withdrawalErrors } from './errors.ts';
import { nowOf } from './queries.ts';
import type { Rejection } from './schemas.ts';
import { decide } from './staff.ts';
import { move } from './transition.ts';

/** Gives the money back with a reason that the player reads: hold → cash. Throws 409 WITHDRAWAL_NOT_REJECTABLE, and as `decide` does. */
export const createReject =
  ({ db }: { db: Db }) =>
  (by: StaffCall, { id, rejectReason }: z.output<typeof Rejection>, key: string | undefined) =>
    decide(
      db,
      by,
      { id, operation: 'withdraw.reject', key, input: { rejectReason } },
      async (tx, row, { id: actorId }) => {
        if (!['WAITING_FOR_APPROVAL', 'ON_HOLD'].includes(row.status))
          throw withdrawalErrors.WITHDRAWAL_NOT_REJECTABLE({ status: row.status });
        const next = await move(tx, row, {
          to: 'REJECTED',
          reason: rejectReason,
          reject_reason: rejectReason,
          hold_reason: null,
          confirmed_by: actorId,
          confirmed_at: await nowOf(tx),
        });
        await recordAudit(tx, by, { before: auditOf(row), after: auditOf(next), reason: rejectReason });
      },
    );
