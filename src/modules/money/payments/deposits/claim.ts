import type { Tx } from '../../../../platform/db.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { DepositNotice } from '../provider.ts';
import {
  type DepositRow,
  findDeposit,
  findOwner,
  insertDeposit,
  lockDeposit,
  type Place,
  updateDeposit,
} from './queries.ts';
import { addressKey, keptHash, outputKey } from './rules.ts';

/** Who said what. `userId`: whose deposit it is, whatever address it names. */
export type Report = { providerId: string; notice: DepositNotice; userId?: number };
/** Whose address it is, and what is paid in there. */
export type Owner = { userId: number; currencyId: string; networkId: string } | undefined;
/** What a new deposit begins with beside its notice. */
export type Beginning = { usdAmount: Units; requiredConfirmations: number; at: Date };

/** `isNew`: it was made by this. */
export type Claimed = { row: DepositRow; owner: Owner; isNew: boolean };

/**
 * Locks whoever a notice is about, then the deposit that it is about, which it makes when there is none. Undefined: one of several,
 * and it does not say which.
 */
export async function claimDeposit(
  tx: Tx,
  report: Report,
  beginning: Beginning,
): Promise<Claimed | undefined> {
  const { notice, providerId } = report;
  const { externalId, outputIndex } = notice;
  const txHash = notice.txHash && keptHash(notice.txHash);
  const place = { outputKey: outputKey(notice), providerId, externalId, txHash, outputIndex };
  const owner = await ownerOf(tx, report);
  const known = await findDeposit(tx, place);
  if (known === 'several') return undefined;
  await lockPlayers(
    tx,
    [owner?.userId, known?.user_id].filter((id) => typeof id === 'number'),
  );
  const found = await findOrInsert(tx, place, { ...beginning, owner, report });
  return found && { ...found, owner };
}

function ownerOf(tx: Tx, { userId, notice }: Report): Promise<Owner> {
  const { currencyId, networkId, payAddress, payMemo: memo } = notice;
  if (userId !== undefined) return Promise.resolve({ userId, currencyId, networkId });
  return findOwner(tx, { key: addressKey(payAddress), memo, currencyId, networkId });
}

type New = Beginning & { owner: Owner; report: Report };

async function findOrInsert(tx: Tx, place: Place, made: New): Promise<Omit<Claimed, 'owner'> | undefined> {
  // Another notice may insert it between the look and our insert, which waits for that one: then it is found.
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await findDeposit(tx, place);
    if (found === 'several') return undefined;
    if (found) return { row: await attach(tx, await lockDeposit(tx, found.id), place), isNew: false };
    const inserted = await insertDeposit(tx, newRow(place, made));
    if (inserted) return { row: inserted, isNew: true };
  }
  throw new Error(`the deposit ${place.outputKey ?? place.externalId} comes and goes`);
}

/** From now on it is the deposit of its transaction. */
async function attach(tx: Tx, row: DepositRow, place: Place): Promise<DepositRow> {
  if (row.output_key !== null || place.outputKey === undefined) return row;
  const { txHash, outputIndex, outputKey: key } = place;
  return updateDeposit(tx, row.id, { tx_hash: txHash, output_index: outputIndex, output_key: key });
}

function newRow(place: Place, { owner, report, usdAmount, requiredConfirmations, at }: New) {
  const { notice } = report;
  return {
    id: newId(),
    user_id: owner?.userId ?? null,
    status: 'CREATED',
    noticed_at: notice.at,
    status_history: JSON.stringify([{ status: 'CREATED', at: at.toISOString(), reason: null }]),
    provider_id: place.providerId,
    external_id: place.externalId,
    currency_id: notice.currencyId,
    network_id: notice.networkId,
    pay_address: notice.payAddress,
    pay_memo: notice.payMemo,
    amount: notice.amount,
    usd_amount: usdAmount,
    required_confirmations: requiredConfirmations,
    tx_hash: place.txHash,
    output_index: place.outputIndex,
    output_key: place.outputKey ?? null,
  };
}
