import type { Tx } from '../../../../platform/db.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { DepositReport } from '../provider.ts';
import type { DepositRow, Output } from './queries.ts';
import * as queries from './queries.ts';
import { addressKey, outputKey, storedHash } from './rules.ts';

/** What a provider reports. `userId`: the deposit is this player's, whatever address the report names. */
export type Incoming = { providerId: string; report: DepositReport; userId?: number };
/** Whose address it is, and what is paid in there. */
export type Owner = { userId: number; currencyId: string; networkId: string } | undefined;
/** What a new deposit starts with beside its report. */
type Start = { usdAmount: Units; requiredConfirmations: number; at: Date };
/** `isNew`: this report made it. */
type Claimed = { row: DepositRow; isNew: boolean };

/**
 * Locks the player that a report is about, then the deposit, which it inserts if there is none. Undefined: it could be about several
 * deposits.
 */
export async function claimDeposit(
  tx: Tx,
  incoming: Incoming,
  start: Start,
): Promise<(Claimed & { owner: Owner }) | undefined> {
  const { report, providerId } = incoming;
  const { externalId, outputIndex } = report;
  const txHash = report.txHash && storedHash(report.txHash);
  const output = { outputKey: outputKey(report), providerId, externalId, txHash, outputIndex };
  const owner = await ownerOf(tx, incoming);
  const known = await queries.findDeposit(tx, output);
  if (known === 'several') return undefined;
  await lockPlayers(
    tx,
    [owner?.userId, known?.user_id].filter((id) => typeof id === 'number'),
  );
  const found = await findOrInsert(tx, output, { ...start, owner, report });
  return found && { ...found, owner };
}

function ownerOf(tx: Tx, { userId, report }: Incoming): Promise<Owner> {
  const { currencyId, networkId, payAddress, payMemo: memo } = report;
  if (userId !== undefined) return Promise.resolve({ userId, currencyId, networkId });
  return queries.findOwner(tx, { key: addressKey(payAddress), memo, currencyId, networkId });
}

type New = Start & { owner: Owner; report: DepositReport };

async function findOrInsert(tx: Tx, output: Output, fresh: New): Promise<Claimed | undefined> {
  // A concurrent report may insert it after we have looked: our insert waits for that one and does nothing, then it is found.
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await queries.findDeposit(tx, output);
    if (found === 'several') return undefined;
    if (found)
      return { row: await attach(tx, await queries.lockDeposit(tx, found.id), output), isNew: false };
    const inserted = await queries.insertDeposit(tx, newRow(output, fresh));
    if (inserted) return { row: inserted, isNew: true };
  }
  throw new Error(`the deposit ${output.outputKey ?? output.externalId} is neither found nor inserted`);
}

/** Stores the transaction of a deposit that had none. */
async function attach(tx: Tx, row: DepositRow, output: Output): Promise<DepositRow> {
  if (row.output_key !== null || output.outputKey === undefined) return row;
  const { txHash, outputIndex, outputKey: key } = output;
  return queries.updateDeposit(tx, row.id, { tx_hash: txHash, output_index: outputIndex, output_key: key });
}

function newRow(output: Output, { owner, report, usdAmount, requiredConfirmations, at }: New) {
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
  };
}
