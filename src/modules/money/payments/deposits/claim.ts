import { type Insertable, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { Deposits as DepositsTable } from '../../../../platform/database/tables.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { DepositReport } from '../provider.ts';
import { type DepositRow, lockDeposit, updateDeposit } from './queries.ts';
import { addressKey, hashForms, outputKey, storedHash } from './rules.ts';

/**
 * A provider's report. `userId`: the player who owns the deposit, regardless of the address in the report. `parentId`: the first deposit of
 * a payment whose amount was later increased.
 */
export type Incoming = { providerId: string; report: DepositReport; userId?: number; parentId?: string };
/** The player who owns an address, with the currency and network it was issued for. */
export type Owner = { userId: number; currencyId: string; networkId: string } | undefined;
/** The initial values of a new deposit that are not part of its report. */
type Start = { usdAmount: Units; requiredConfirmations: number; at: Date; parentId?: string };
/** Identifies a deposit by its output, or by its payment while the transaction is unknown. */
type Output = {
  outputKey: string | undefined;
  networkId: string;
  providerId: string;
  externalId: string;
  txHash: string | null;
  outputIndex: number;
};
/** `isNew` is true if this report created the deposit. */
type Claimed = { row: DepositRow; isNew: boolean };

/**
 * Locks the player of a report, then the deposit, which it inserts if it does not exist. Returns undefined if the payment has several
 * deposits and the report does not identify one.
 */
export async function claimDeposit(
  tx: Tx,
  incoming: Incoming,
  start: Start,
): Promise<(Claimed & { owner: Owner }) | undefined> {
  const { report, providerId } = incoming;
  const { externalId, outputIndex } = report;
  const { networkId } = report;
  const txHash = report.txHash && storedHash(networkId, report.txHash);
  const output = { outputKey: outputKey(report), networkId, providerId, externalId, txHash, outputIndex };
  const owner = await ownerOf(tx, incoming);
  const seen = await findDeposit(tx, output);
  if (seen === 'several') return undefined;
  await lockPlayers(
    tx,
    [owner?.userId, seen?.user_id].filter((id) => typeof id === 'number'),
  );
  const { parentId } = incoming;
  const found = await findOrInsert(tx, output, { ...start, owner, report, ...(parentId && { parentId }) });
  return found && { ...found, owner };
}

async function ownerOf(tx: Tx, { userId, report }: Incoming): Promise<Owner> {
  const { currencyId, networkId, payAddress, payMemo: memo } = report;
  if (userId !== undefined) return { userId, currencyId, networkId };
  return findOwner(tx, { key: addressKey(payAddress), memo, currencyId, networkId });
}

/**
 * Returns the owner of an address. The address may have been issued for another currency or network, because players sometimes send the
 * wrong coin.
 */
async function findOwner(
  db: DbOrTx,
  paid: { key: string; memo: string | null; currencyId: string; networkId: string },
): Promise<Owner> {
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

type New = Start & { owner: Owner; report: DepositReport };

async function findOrInsert(tx: Tx, output: Output, fresh: New): Promise<Claimed | undefined> {
  // A concurrent report may insert the deposit after the query. In that case the insert waits and does nothing, and the next query finds
  // the row.
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await findDeposit(tx, output);
    if (found === 'several') return undefined;
    if (found) return { row: await attach(tx, await lockDeposit(tx, found.id), output), isNew: false };
    const inserted = await insertDeposit(tx, newRow(output, fresh));
    if (inserted) return { row: inserted, isNew: true };
  }
  throw new Error(`the deposit ${output.outputKey ?? output.externalId} could neither be found nor inserted`);
}

/**
 * Returns the deposit that a report is about: the deposit with the same output, the same output on another network, or the payment whose
 * transaction is not known yet. A report without a transaction must be about the only deposit of its payment.
 */
async function findDeposit(db: DbOrTx, output: Output): Promise<DepositRow | undefined | 'several'> {
  const { outputKey, networkId, providerId, externalId, txHash, outputIndex } = output;
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
    return rows.length > 1 && rows[0]!.output_key !== null ? 'several' : (rows[0] as DepositRow | undefined);
  }
  const exact = db.selectFrom('deposits').selectAll().where('output_key', '=', outputKey);
  const elsewhere = db
    .selectFrom('deposits')
    .selectAll()
    .where('tx_hash', 'in', hashForms(networkId, txHash!))
    .where('output_index', '=', outputIndex)
    .orderBy('id')
    .limit(1);
  const row =
    (await exact.executeTakeFirst()) ??
    (await elsewhere.executeTakeFirst()) ??
    (await ofPayment.where('output_key', 'is', null).executeTakeFirst());
  return row as DepositRow | undefined;
}

/** Inserts a deposit. Returns undefined if a deposit with the same output or payment already exists. */
async function insertDeposit(tx: Tx, row: Insertable<DepositsTable>): Promise<DepositRow | undefined> {
  const inserted = await tx
    .insertInto('deposits')
    .values(row)
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted as DepositRow | undefined;
}

/** Stores the transaction of a deposit that had none. */
async function attach(tx: Tx, row: DepositRow, output: Output): Promise<DepositRow> {
  if (row.output_key !== null || output.outputKey === undefined) return row;
  const { txHash, outputIndex, outputKey: key } = output;
  return updateDeposit(tx, row.id, { tx_hash: txHash, output_index: outputIndex, output_key: key });
}

function newRow(output: Output, { owner, report, usdAmount, requiredConfirmations, at, parentId }: New) {
  const { reported, outcome } = report;
  return {
    id: newId(),
    user_id: owner?.userId ?? null,
    status: 'CREATED',
    noticed_at: report.at,
    status_history: JSON.stringify([{ status: 'CREATED', at: at.toISOString(), reason: null }]),
    provider_id: output.providerId,
    external_id: output.externalId,
    currency_id: report.currencyId,
    network_id: report.networkId,
    pay_address: report.payAddress,
    pay_memo: report.payMemo,
    amount: report.amount,
    usd_amount: usdAmount,
    required_confirmations: requiredConfirmations,
    tx_hash: output.txHash,
    output_index: output.outputIndex,
    output_key: output.outputKey ?? null,
    parent_id: parentId ?? null,
    parent_external_id: report.parentExternalId ?? null,
    reported_currency: reported?.currency ?? null,
    reported_amount: reported?.amount ?? null,
    outcome_currency: outcome?.currencyId ?? null,
    outcome_network: outcome?.networkId ?? null,
    outcome_amount: outcome?.amount ?? null,
    report: report.text ?? null,
  };
}
