import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Deposits as DepositsTable } from '../../../../platform/database.ts';
import type { Db, DbOrTx, Tx } from '../../../../platform/db.ts';
import { type DepositStatus, hashForms } from './rules.ts';

export type StatusChange = { status: DepositStatus; at: string; reason: string | null };
export type DepositRow = Omit<Selectable<DepositsTable>, 'status' | 'status_history'> & {
  status: DepositStatus;
  status_history: StatusChange[];
};
export type DepositChanges = Omit<Updateable<DepositsTable>, 'status' | 'status_history'>;

const asRow = (row: Selectable<DepositsTable> | undefined) => row as DepositRow | undefined;

/** The address of a player, or that of another currency or network when they have none there: coins may come the wrong way. */
export async function findOwner(
  db: DbOrTx,
  paid: { key: string; memo: string | null; currencyId: string; networkId: string },
): Promise<{ userId: number; currencyId: string; networkId: string } | undefined> {
  return db
    .selectFrom('deposit_addresses')
    .select(['user_id as userId', 'currency_id as currencyId', 'network_id as networkId'])
    .where('address_key', '=', paid.key)
    .where((eb) => eb.or([eb('memo', 'is', null), eb('memo', '=', paid.memo ?? '')]))
    .orderBy(
      sql`currency_id = ${paid.currencyId} and network_id = ${paid.networkId} desc, network_id = ${paid.networkId} desc, issued_at`,
    )
    .limit(1)
    .executeTakeFirst();
}

/** What a deposit is found by: its output; the payment while the transaction is not known. */
export type Output = {
  outputKey: string | undefined;
  providerId: string;
  externalId: string;
  txHash: string | null;
  outputIndex: number;
};

/**
 * The deposit that a report is about: the one with its output, or the same output on another network, or the payment whose
 * transaction is not known yet. A report without a transaction is about the only deposit of its payment.
 */
export async function findDeposit(db: DbOrTx, output: Output): Promise<DepositRow | undefined | 'several'> {
  const { outputKey, providerId, externalId, txHash, outputIndex } = output;
  const ofPayment = db
    .selectFrom('deposits')
    .selectAll()
    .where('provider_id', '=', providerId)
    .where('external_id', '=', externalId);
  if (outputKey === undefined) {
    const rows = await ofPayment
      .orderBy('output_key', (order) => order.asc().nullsFirst())
      .limit(2)
      .execute();
    return rows.length > 1 && rows[0]!.output_key !== null ? 'several' : asRow(rows[0]);
  }
  const exact = db.selectFrom('deposits').selectAll().where('output_key', '=', outputKey);
  const elsewhere = db
    .selectFrom('deposits')
    .selectAll()
    .where('tx_hash', 'in', hashForms(txHash!))
    .where('output_index', '=', outputIndex)
    .orderBy('id')
    .limit(1);
  return asRow(
    (await exact.executeTakeFirst()) ??
      (await elsewhere.executeTakeFirst()) ??
      (await ofPayment.where('output_key', 'is', null).executeTakeFirst()),
  );
}

export async function lockDeposit(tx: Tx, id: string): Promise<DepositRow> {
  const row = await tx
    .selectFrom('deposits')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return asRow(row)!;
}

/** Undefined: there is one of the same output or payment already. */
export async function insertDeposit(tx: Tx, row: Insertable<DepositsTable>): Promise<DepositRow | undefined> {
  return asRow(
    await tx
      .insertInto('deposits')
      .values(row)
      .onConflict((oc) => oc.doNothing())
      .returningAll()
      .executeTakeFirst(),
  );
}

/** Writes what changed; a change of status is added to its history. */
export async function updateDeposit(
  tx: Tx,
  id: string,
  { change, ...values }: DepositChanges & { change?: StatusChange },
): Promise<DepositRow> {
  const grown = change && {
    status: change.status,
    status_history: sql<string>`status_history || ${JSON.stringify([change])}::jsonb`,
  };
  const row = await tx
    .updateTable('deposits')
    .set({ ...values, ...grown, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return asRow(row)!;
}

export async function readDeposit(db: DbOrTx, id: string): Promise<DepositRow | undefined> {
  return asRow(await db.selectFrom('deposits').selectAll().where('id', '=', id).executeTakeFirst());
}

export type DepositFilter = {
  userId?: number | undefined;
  statuses?: readonly DepositStatus[] | undefined;
  currencyId?: string | undefined;
};
export type DepositOrder = { sortBy: 'createdAt' | 'usdAmount'; sortOrder: 'asc' | 'desc' };

const COLUMNS = { createdAt: 'created_at', usdAmount: 'usd_amount' } as const;

const matching = (db: Db, { userId, statuses, currencyId }: DepositFilter) =>
  db
    .selectFrom('deposits')
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(statuses !== undefined, (q) => q.where('status', 'in', [...statuses!]))
    .$if(currencyId !== undefined, (q) => q.where('currency_id', '=', currencyId!));

/** How many there are, counted up to `most`. */
export async function countDeposits(db: Db, filter: DepositFilter, most: number): Promise<number> {
  const { total } = await db
    .selectFrom(matching(db, filter).select('id').limit(most).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function listDeposits(
  db: Db,
  filter: DepositFilter,
  { sortBy, sortOrder, limit, offset }: DepositOrder & { limit: number; offset: number },
): Promise<DepositRow[]> {
  const rows = await matching(db, filter)
    .selectAll()
    .orderBy(COLUMNS[sortBy], sortOrder)
    .orderBy('id', sortOrder)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as DepositRow[];
}

/** Credited deposits of players who were banned then and are not any more. */
export async function heldDeposits(db: Db, most: number): Promise<{ id: string; userId: number }[]> {
  return db
    .selectFrom('deposits')
    .innerJoin('players', 'players.user_id', 'deposits.user_id')
    .select(['deposits.id', 'players.user_id as userId'])
    .where('deposits.status', '=', 'ON_HOLD')
    .where('players.is_banned', '=', false)
    .orderBy('deposits.id')
    .limit(most)
    .execute();
}

type AddressOwner = { userId: number; currencyId: string; networkId: string; providerId: string };

export async function findAddress(db: DbOrTx, of: AddressOwner) {
  return db
    .selectFrom('deposit_addresses')
    .selectAll()
    .where('user_id', '=', of.userId)
    .where('currency_id', '=', of.currencyId)
    .where('network_id', '=', of.networkId)
    .where('provider_id', '=', of.providerId)
    .executeTakeFirst();
}

/** Keeps the first address. One that belongs to another player, in any currency, is not stored: coins that arrive there are that player's. */
export async function insertAddress(
  tx: Tx,
  of: AddressOwner,
  made: { address: string; key: string; memo: string | null; externalId: string | null },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`deposit address:${made.key}`}, 0))`.execute(tx);
  const others = await tx
    .selectFrom('deposit_addresses')
    .select('user_id')
    .where('address_key', '=', made.key)
    .where('user_id', '<>', of.userId)
    .$if(made.memo !== null, (q) =>
      q.where((eb) => eb.or([eb('memo', 'is', null), eb('memo', '=', made.memo)])),
    )
    .limit(1)
    .execute();
  if (others.length > 0) return;
  await tx
    .insertInto('deposit_addresses')
    .values({
      user_id: of.userId,
      currency_id: of.currencyId,
      network_id: of.networkId,
      provider_id: of.providerId,
      address: made.address,
      address_key: made.key,
      memo: made.memo,
      external_id: made.externalId,
    })
    .onConflict((oc) => oc.doNothing())
    .execute();
}
