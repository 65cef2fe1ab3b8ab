import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import {
  asListed,
  COIN_COLUMNS,
  findListedDeposit,
  type ListedDeposit,
  type ListedRow,
} from '../../money/payments/deposits/view.ts';
import type { Hit, SearchDeps, Wanted } from './hits.ts';
import type { Term } from './rules.ts';

type Payment = { id: string; user_id: number | null; amount: Units; currency_id: string; status: string };

export async function findWithdrawals({ reads }: SearchDeps, { term, most, sight }: Wanted): Promise<Hit[]> {
  const { uuid, hashes } = term;
  if (uuid === undefined && hashes === undefined) return [];
  const rows = await reads
    .selectFrom('withdrawals')
    .select(['id', 'user_id', 'amount', 'currency_id', 'status'])
    .$if(uuid !== undefined, (q) => q.where('id', '=', uuid!))
    .$if(hashes !== undefined, (q) => q.where('tx_hash', 'in', hashes!))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return toHits(reads, rows as Payment[], sight);
}

export async function findDeposits({ reads }: SearchDeps, { term, most, sight }: Wanted): Promise<Hit[]> {
  return toHits(reads, await depositsOf(reads, term, most), sight);
}

/** Only coin deposits have a transaction hash. The hash of a return finds its deposit. */
async function depositsOf(db: DbOrTx, { uuid, hashes }: Term, most: number): Promise<ListedDeposit[]> {
  if (uuid !== undefined) {
    const found = await findListedDeposit(db, uuid);
    return found ? [found] : [];
  }
  if (hashes === undefined) return [];
  const { rows } = await sql<ListedRow>`
    select ${COIN_COLUMNS} from deposits where id = any(array(
      select id from deposits where tx_hash = any(${hashes}::text[])
      union select deposit_id from deposit_returns where tx_hash = any(${hashes}::text[])))
    order by created_at desc limit ${most}`.execute(db);
  return rows.map(asListed);
}

async function toHits(db: DbOrTx, rows: readonly Payment[], sight: Sight): Promise<Hit[]> {
  if (rows.length === 0) return [];
  const owners = rows.map((row) => row.user_id);
  const users = await shortUsers(db, owners, sight);
  return rows.map(({ id, user_id, amount, currency_id, status }) => ({
    id,
    title: `${formatUnits(amount)} ${currency_id}`,
    subtitle: users.get(user_id ?? 0)?.username ?? null,
    state: status,
  }));
}
