import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { readTogether } from '../../../platform/shared-read.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Grants } from '../bonus/grants.ts';
import type { Currencies } from '../currencies/service.ts';
import { balancesOfMany } from '../ledger/balances.ts';
import { post } from '../ledger/post.ts';
import type { Kind } from '../ledger/rules.ts';
import type { VaultChange, VaultMove } from './schemas.ts';

export type Wallet = ReturnType<typeof createWallet>;

type Deps = { db: Db; currencies: Currencies; gate: Gate; grants: Pick<Grants, 'assertNoneOpen'> };
type Move = z.output<typeof VaultMove>;
type Direction = { operation: Kind; debit: 'cash' | 'vault'; credit: 'cash' | 'vault' };

const TO_VAULT: Direction = { operation: 'vault.to', debit: 'cash', credit: 'vault' };
const FROM_VAULT: Direction = { operation: 'vault.from', debit: 'vault', credit: 'cash' };

/** A player's money as they see it: cash to play with, and a vault that they set money aside in. */
export function createWallet({ db, currencies, gate, grants }: Deps) {
  const move = async (userId: number, input: Move, key: string | undefined, direction: Direction) => {
    const { currencyId } = input;
    const amount = amountOf(input, currencies.get(currencyId).decimals);
    return runIdempotently(db, { userId, key, operation: direction.operation, input }, async (tx) => {
      await gate.assertMay(tx, { action: 'vault', userId, country: null });
      if (direction === TO_VAULT) await grants.assertNoneOpen(tx, userId, currencyId);
      const change = await postMove(tx, { userId, currencyId, amount }, direction);
      return { ...change, usdAmount: formatUnits(currencies.toUsd(currencyId, amount)) };
    });
  };
  const known = readTogether((userIds: readonly number[]) => balancesOfMany(db, userIds));
  const balancesOf = async (userId: number) => (await known(userId)) ?? [];
  return {
    async balances(userId: number) {
      return (await balancesOf(userId)).map(({ currencyId, cash, updatedAt, version }) => ({
        currencyId,
        amount: formatUnits(cash),
        usdAmount: formatUnits(currencies.toUsd(currencyId, cash)),
        updatedAt: iso(updatedAt),
        version: Number(version),
      }));
    },
    async vaultBalances(userId: number) {
      return (await balancesOf(userId)).map(({ currencyId, vault, updatedAt }) => ({
        currencyId,
        vaultAmount: formatUnits(vault),
        usdAmount: formatUnits(currencies.toUsd(currencyId, vault)),
        updatedAt: iso(updatedAt),
      }));
    },
    /** Totals in US dollars over all currencies. */
    async totals(userId: number) {
      const all = await balancesOf(userId);
      const sum = (part: (b: (typeof all)[number]) => Units) =>
        formatUnits(all.reduce((total, b) => total + currencies.toUsd(b.currencyId, part(b)), 0n));
      return { usd: sum((b) => b.cash), vaultUsd: sum((b) => b.vault) };
    },
    toVault: (userId: number, input: Move, key: string | undefined) => move(userId, input, key, TO_VAULT),
    fromVault: (userId: number, input: Move, key: string | undefined) => move(userId, input, key, FROM_VAULT),
  };
}

/** Throws 400 AMOUNT_OUT_OF_RANGE for zero, too many decimals for the currency, and more than an account can hold. */
function amountOf({ amount, currencyId }: Move, decimals: number): Units {
  const parsed = parseUnits(amount, decimals);
  if (parsed === undefined || parsed === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return parsed;
}

async function postMove(
  tx: Tx,
  { userId, currencyId, amount }: { userId: number; currencyId: string; amount: Units },
  { operation: kind, debit, credit }: Direction,
): Promise<Omit<z.input<typeof VaultChange>, 'usdAmount'>> {
  const postings = [{ userId, currencyId, kind, debit, credit, amount }];
  const [posted] = await post(tx, [{ key: `vault:${randomUUID()}`, kind, actorId: userId, postings }]);
  const { debitAfter, creditAfter } = posted!.postings[0]!;
  const [cash, vault] = debit === 'cash' ? [debitAfter!, creditAfter!] : [creditAfter!, debitAfter!];
  const change = debit === 'cash' ? -amount : amount;
  return {
    currencyId,
    amount: formatUnits(amount),
    vaultAmount: formatUnits(vault),
    beforeBalance: formatUnits(cash - change),
    afterBalance: formatUnits(cash),
    beforeVaultBalance: formatUnits(vault + change),
    afterVaultBalance: formatUnits(vault),
    updatedAt: iso(posted!.at),
  };
}
