import { sql } from 'kysely';
import { type DbOrTx, run, type Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { Account } from './accounts.ts';
import { balancesOf } from './balances.ts';
import { type Entry, type Posted, post } from './post.ts';
import type { Kind, Posting } from './rules.ts';

/** An amount of a player in a currency; `key` identifies its origin. */
type Source = { userId: number; currencyId: string; amount: Units; key: string };

/**
 * Money that a player had and that is taken back. `key` names what is undone, `entry` is that of the reversal, and `kind` its postings',
 * which lead to the account `to`. `returned` comes back to cash by the same entry before anything is taken; `beside` moves with it.
 */
export type Reversal = Source & {
  to: Account;
  kind: Kind;
  entry: Omit<Entry, 'postings'>;
  returned?: { kind: Kind; amount: Units };
  beside?: readonly Posting[] | undefined;
};
/** `taken` was available, `claimed` is owed from now on. */
export type Reversed = { entryId: bigint; taken: Units; claimed: Units };

/**
 * Takes money back by one entry, even if the player has spent it: from cash, then from the vault; what neither holds becomes a claim, and
 * no account goes below zero. Where more is returned than taken, the rest pays earlier claims. The player must be locked.
 */
export async function takeBack(tx: Tx, reversal: Reversal): Promise<Reversed> {
  const { userId, currencyId, amount, key, to, kind, entry, returned, beside = [] } = reversal;
  const [parts, back] = [await split(tx, reversal), returned?.amount ?? 0n];
  const of = { userId, currencyId };
  const taken = (Object.keys(parts) as (keyof typeof parts)[])
    .filter((account) => parts[account] > 0n)
    .map((debit): Posting => ({ ...of, kind, debit, credit: to, amount: parts[debit] }));
  const stake: Posting[] = returned && back > 0n ? [{ ...of, ...returned, debit: to, credit: 'cash' }] : [];
  const { entryId } = (
    await post(tx, [{ ...entry, postings: [...stake, ...beside, ...taken] }])
  )[0] as Posted;
  if (parts.claims > 0n) await addClaim(tx, { ...of, amount: parts.claims, key });
  if (back > amount) await recoverClaims(tx, { ...of, amount: back - amount, key: entry.key });
  return { entryId, taken: parts.cash + parts.vault, claimed: parts.claims };
}

/** From which accounts an amount is taken. */
async function split(tx: Tx, { userId, currencyId, amount, returned, beside = [] }: Reversal) {
  const wallet = (await balancesOf(tx, userId)).find((balance) => balance.currencyId === currencyId);
  const least = (a: Units, b: Units) => (a < b ? a : b);
  const moved = beside.reduce((sum, posting) => sum + ofCash(posting), 0n);
  const present = (wallet?.cash ?? 0n) + (returned?.amount ?? 0n) + moved;
  const cash = least(present > 0n ? present : 0n, amount);
  const vault = least(wallet?.vault ?? 0n, amount - cash);
  return { cash, vault, claims: amount - cash - vault };
}

/** What a posting changes of cash. */
const ofCash = ({ debit, credit, amount }: Posting): Units =>
  credit === 'cash' ? amount : debit === 'cash' ? -amount : 0n;

async function addClaim(tx: Tx, { userId, currencyId, amount, key }: Source): Promise<void> {
  await tx
    .insertInto('claims')
    .values({ user_id: userId, currency_id: currencyId, amount, remaining: amount, source_key: key })
    .execute();
}

/**
 * Pays what a player owes in a currency from this amount of theirs in cash, oldest first. Answers how much. They must be locked.
 */
export async function recoverClaims(tx: Tx, { userId, currencyId, amount, key }: Source): Promise<Units> {
  const open = await tx
    .selectFrom('claims')
    .select(['id', 'remaining'])
    .where('user_id', '=', userId)
    .where('currency_id', '=', currencyId)
    .where('remaining', '>', 0n)
    .orderBy('id')
    .execute();
  let left = amount;
  for (const { id, remaining } of open) {
    const paid = remaining < left ? remaining : left;
    if (paid === 0n) break;
    left -= paid;
    const values = { remaining: remaining - paid, updated_at: sql<Date>`now()` };
    await tx.updateTable('claims').set(values).where('id', '=', id).execute();
  }
  const recovered = amount - left;
  if (recovered === 0n) return 0n;
  const posting = { userId, currencyId, kind: 'claim.recovery', debit: 'cash', credit: 'claims' } as const;
  await post(tx, [
    { key: `${key}:claims`, kind: posting.kind, postings: [{ ...posting, amount: recovered }] },
  ]);
  return recovered;
}

/** What a player owes, by currency; most players owe nothing. */
export async function openClaimsOf(db: DbOrTx, userId: number): Promise<Map<string, Units>> {
  const rows = await run<{ currencyId: string; remaining: bigint }>(db, {
    name: 'claims.open',
    text: `select currency_id as "currencyId", sum(remaining)::int8 as remaining from claims
      where user_id = $1 and remaining > 0 group by 1`,
    values: [userId],
  });
  return new Map(rows.map((row) => [row.currencyId, row.remaining]));
}
