import { sql } from 'kysely';
import { type DbOrTx, run, type Tx } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { balancesOf } from './balances.ts';
import { ledgerErrors } from './errors.ts';
import type { Kind } from './kinds.ts';
import type { Account, Posting } from './rules.ts';
import { type Entry, type Written, writeEntries } from './write.ts';

/** An amount of money and the player whom it concerns. `key` identifies its origin. */
type Source = { userId: number; currencyId: string; amount: Units; key: string };

/**
 * Money to take back from a player who received it. `key` identifies the reversed event, `entry` is the entry of the reversal. Its postings
 * are of the kind `kind` and credit the account `to`. The same entry first credits `returned` to cash. `beside` contains additional
 * postings.
 */
export type Reversal = Source & {
  to: Account;
  kind: Kind;
  entry: Omit<Entry, 'postings'>;
  returned?: { kind: Kind; amount: Units };
  beside?: readonly Posting[] | undefined;
};
/** `taken` is the amount debited now; `claimed` is the new debt. */
export type Reversed = { entryId: bigint; taken: Units; claimed: Units };

/**
 * Takes money back with one entry, even if the player has already spent it: first from cash, then from the vault. The rest becomes a claim,
 * so no balance becomes negative. If more is returned than taken, the surplus pays earlier claims. The player must be locked.
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
    await writeEntries(tx, [{ ...entry, postings: [...stake, ...beside, ...taken] }])
  )[0] as Written;
  if (parts.claims > 0n) await addClaim(tx, { ...of, amount: parts.claims, key });
  if (back > amount) await recoverClaims(tx, { ...of, amount: back - amount, key: entry.key });
  return { entryId, taken: parts.cash + parts.vault, claimed: parts.claims };
}

/** Splits an amount into the part taken from cash, the part taken from the vault, and the rest, which becomes a claim. */
async function split(tx: Tx, { userId, currencyId, amount, returned, beside = [] }: Reversal) {
  const wallet = (await balancesOf(tx, userId)).find((balance) => balance.currencyId === currencyId);
  const least = (a: Units, b: Units) => (a < b ? a : b);
  const moved = beside.reduce((sum, posting) => sum + ofCash(posting), 0n);
  const present = (wallet?.cash ?? 0n) + (returned?.amount ?? 0n) + moved;
  const cash = least(present > 0n ? present : 0n, amount);
  const vault = least(wallet?.vault ?? 0n, amount - cash);
  return { cash, vault, claims: amount - cash - vault };
}

/** Returns the amount by which a posting changes cash. */
const ofCash = ({ debit, credit, amount }: Posting): Units =>
  credit === 'cash' ? amount : debit === 'cash' ? -amount : 0n;

async function addClaim(tx: Tx, { userId, currencyId, amount, key }: Source): Promise<void> {
  await tx
    .insertInto('claims')
    .values({ user_id: userId, currency_id: currencyId, amount, remaining: amount, source_key: key })
    .execute();
}

/**
 * Pays a player's open claims in a currency with up to this amount of their cash, oldest first, and returns the amount paid. The player
 * must be locked.
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
  if (open.length === 0) return 0n;
  // A credit that was too large for the account went to suspense, so at most the amount in cash is taken.
  const cash = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
  const most = amount < cash ? amount : cash;
  let left = most;
  for (const { id, remaining } of open) {
    const paid = remaining < left ? remaining : left;
    if (paid === 0n) break;
    left -= paid;
    const values = { remaining: remaining - paid, updated_at: sql<Date>`now()` };
    await tx.updateTable('claims').set(values).where('id', '=', id).execute();
  }
  const recovered = most - left;
  if (recovered === 0n) return 0n;
  const posting = { userId, currencyId, kind: 'claim.recovery', debit: 'cash', credit: 'claims' } as const;
  await writeEntries(tx, [
    { key: `${key}:claims`, kind: posting.kind, postings: [{ ...posting, amount: recovered }] },
  ]);
  return recovered;
}

/** Throws 409 CLAIMS_OPEN while a player owes money in any currency. The player must be locked. */
export async function assertNoClaims(tx: Tx, userId: number): Promise<void> {
  const refusal = await claimsRefusal(tx, userId);
  if (refusal) throw refusal;
}

/** Returns the error CLAIMS_OPEN while a player owes money in any currency. The player must be locked. */
export async function claimsRefusal(tx: Tx, userId: number): Promise<AppError | undefined> {
  const open = await openClaimsOf(tx, userId);
  if (open.size === 0) return undefined;
  const owed = [...open].map(([currencyId, amount]) => ({ currencyId, amount: formatUnits(amount) }));
  return ledgerErrors.CLAIMS_OPEN({ owed });
}

/** Returns the amounts that a player owes, by currency. The result is empty for most players. */
export async function openClaimsOf(db: DbOrTx, userId: number): Promise<Map<string, Units>> {
  const rows = await run<{ currencyId: string; remaining: bigint }>(db, {
    name: 'claims.open',
    text: `select currency_id as "currencyId", sum(remaining)::int8 as remaining from claims
      where user_id = $1 and remaining > 0 group by 1`,
    values: [userId],
  });
  return new Map(rows.map((row) => [row.currencyId, row.remaining]));
}
