import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../currencies/service.ts';
import { balancesOf } from '../ledger/balances.ts';
import { post } from '../ledger/post.ts';
import type { Kind } from '../ledger/rules.ts';
import type { VaultChange, VaultMove } from './schemas.ts';

export type Wallet = ReturnType<typeof createWallet>;

type Move = z.output<typeof VaultMove>;
type Direction = { operation: Kind; debit: 'cash' | 'vault'; credit: 'cash' | 'vault' };

const TO_VAULT: Direction = { operation: 'vault.to', debit: 'cash', credit: 'vault' };
const FROM_VAULT: Direction = { operation: 'vault.from', debit: 'vault', credit: 'cash' };

/** A player's money as they see it: cash to play with and a vault to keep it from themselves. */
export function createWallet({ db, currencies, gate }: { db: Db; currencies: Currencies; gate: Gate }) {
  const move = async (userId: number, input: Move, key: string | undefined, direction: Direction) => {
    const amount = amountOf(input, currencies.get(input.currencyId).decimals);
    return runIdempotently(db, { userId, key, operation: direction.operation, input }, (tx) =>
      moveOnce(tx, {
        gate,
        userId,
        currencyId: input.currencyId,
        amount,
        direction,
        usd: (a) => currencies.toUsd(input.currencyId, a),
      }),
    );
  };
  return {
    async balances(userId: number) {
      return (await balancesOf(db, userId)).map(({ currencyId, cash, updatedAt, version }) => ({
        currencyId,
        amount: formatUnits(cash),
        usdAmount: formatUnits(currencies.toUsd(currencyId, cash)),
        updatedAt: iso(updatedAt),
        version: Number(version),
      }));
    },
    async vaultBalances(userId: number) {
      return (await balancesOf(db, userId)).map(({ currencyId, vault, updatedAt }) => ({
        currencyId,
        vaultAmount: formatUnits(vault),
        usdAmount: formatUnits(currencies.toUsd(currencyId, vault)),
        updatedAt: iso(updatedAt),
      }));
    },
    /** Totals in US dollars over all currencies. */
    async totals(userId: number) {
      const all = await balancesOf(db, userId);
      const sum = (part: (b: (typeof all)[number]) => Units) =>
        formatUnits(all.reduce((total, b) => total + currencies.toUsd(b.currencyId, part(b)), 0n));
      return { usd: sum((b) => b.cash), vaultUsd: sum((b) => b.vault) };
    },
    toVault: (userId: number, input: Move, key: string | undefined) => move(userId, input, key, TO_VAULT),
    fromVault: (userId: number, input: Move, key: string | undefined) => move(userId, input, key, FROM_VAULT),
  };
}

/** The amount in units; refuses nothing, too many decimals for the currency, and more than an account can hold. */
function amountOf({ amount, currencyId }: Move, decimals: number): Units {
  const parsed = parseUnits(amount, decimals);
  if (parsed === undefined || parsed === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return parsed;
}

async function moveOnce(
  tx: Tx,
  move: {
    gate: Gate;
    userId: number;
    currencyId: string;
    amount: Units;
    direction: Direction;
    usd: (amount: Units) => Units;
  },
): Promise<z.input<typeof VaultChange>> {
  const { userId, currencyId, amount, direction } = move;
  await move.gate.assertMay(tx, { action: 'vault', userId, country: null });
  const { operation: kind, debit, credit } = direction;
  const [posted] = await post(tx, [
    {
      key: `vault:${randomUUID()}`,
      kind,
      actorId: userId,
      postings: [{ userId, currencyId, kind, debit, credit, amount }],
    },
  ]);
  const { postings, at } = posted!;
  const [{ debitAfter, creditAfter } = {}] = postings;
  const after =
    debit === 'cash'
      ? { cash: debitAfter!, vault: creditAfter! }
      : { cash: creditAfter!, vault: debitAfter! };
  const sign = debit === 'cash' ? 1n : -1n;
  return {
    currencyId,
    amount: formatUnits(amount),
    usdAmount: formatUnits(move.usd(amount)),
    vaultAmount: formatUnits(after.vault),
    beforeBalance: formatUnits(after.cash + sign * amount),
    afterBalance: formatUnits(after.cash),
    beforeVaultBalance: formatUnits(after.vault - sign * amount),
    afterVaultBalance: formatUnits(after.vault),
    updatedAt: iso(at),
  };
}
