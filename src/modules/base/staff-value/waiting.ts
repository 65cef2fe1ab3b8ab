import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { ShortPrivateUser } from '../users/schemas.ts';
import { shortUsers, sightOf } from '../users/service.ts';

const WaitingAction = object('WaitingAction', {
  id: z.string(),
  operation: z.string().meta({ example: 'promo.start' }),
  input: z.record(z.string(), z.unknown()),
  usdAmount: Decimal.nullable().meta({
    description: 'Null if there is no upper limit or no reliable exchange rate.',
  }),
  recipients: z.array(ShortPrivateUser),
  reason: z.string().nullable(),
  proposedBy: ShortPrivateUser.nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

/** Proposals expire after 24 hours, so only a few are open at any time. */
const MAX_SHOWN = 200;

export const listWaitingActions = operation({
  method: 'GET',
  path: '/admin/approvals',
  tag: 'Approvals',
  access: { permission: 'approval.read' },
  summary: 'List actions waiting for a second person',
  description:
    'Newest first. An action is carried out when another person sends the same request before `expiresAt`; otherwise the action ' +
    'expires. `input` identifies the request.',
  response: z.array(WaitingAction),
  handler: async ({ db }: { db: Db }, { by }) => {
    const rows = await db
      .selectFrom('staff_values')
      .selectAll()
      .where('carried_out_at', 'is', null)
      .where('expires_at', '>', sql<Date>`now()`)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MAX_SHOWN)
      .execute();
    const recipients =
      rows.length === 0
        ? []
        : await db
            .selectFrom('staff_value_recipients')
            .select(['value_id', 'user_id'])
            .where(
              'value_id',
              'in',
              rows.map(({ id }) => id),
            )
            .orderBy('user_id')
            .execute();
    const people = await shortUsers(
      db,
      [...rows.map(({ actor_id }) => actor_id), ...recipients.map(({ user_id }) => user_id)],
      sightOf(by.user),
    );
    const personOf = (id: number) => people.get(id) ?? null;
    return rows.map((row) => ({
      id: row.id,
      operation: row.operation,
      input: row.input as Record<string, unknown>,
      usdAmount: row.usd_amount === null ? null : formatUnits(row.usd_amount),
      recipients: recipients
        .filter(({ value_id }) => value_id === row.id)
        .flatMap(({ user_id }) => personOf(user_id) ?? []),
      reason: row.reason,
      proposedBy: personOf(row.actor_id),
      createdAt: iso(row.created_at),
      expiresAt: iso(row.expires_at!),
    }));
  },
});
