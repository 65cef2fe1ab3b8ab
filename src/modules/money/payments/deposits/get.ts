import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Id } from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { sightOf } from '../../../base/users/service.ts';
import { paymentErrors } from '../errors.ts';
import type { DepositDeps } from './deps.ts';
import { asListed, COIN_COLUMNS, type ListedDeposit, type ListedRow, SKIN_COLUMNS, SKINS } from './listed.ts';
import { isUuid } from './rules.ts';
import { Deposit } from './schemas.ts';
import { toDeposits } from './view.ts';

export const getDeposit = operation({
  method: 'GET',
  path: '/admin/payments/deposit/{id}',
  tag: 'Admin Payments',
  access: { permission: 'deposit.read' },
  summary: 'Get a deposit',
  params: z.object({ id: Id }),
  response: Deposit,
  errors: [paymentErrors.DEPOSIT_NOT_FOUND],
  handler: async ({ db }: DepositDeps, { by, params: { id } }) => {
    const row = isUuid(id) ? await readListed(db, id) : undefined;
    if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND({ id });
    return (await toDeposits(db, [row], sightOf(by.user)))[0]!;
  },
});

async function readListed(db: DbOrTx, id: string): Promise<ListedDeposit | undefined> {
  const { rows } = await sql<ListedRow>`
    select ${COIN_COLUMNS} from deposits where id = ${id}::uuid
    union all select ${SKIN_COLUMNS} from ${SKINS} where s.id = ${id}::uuid`.execute(db);
  return rows.map(asListed)[0];
}
