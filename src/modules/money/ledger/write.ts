import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { run, type Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import { assertValueAllowed } from '../../base/access/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { ledgerErrors } from './errors.ts';
import type { Kind } from './kinds.ts';
import { IDS_PER_BLOCK, readWallets, reserveIds, writeStatements } from './queries.ts';
import {
  accountOf,
  type BookedPosting,
  book,
  insufficient,
  isUserAccount,
  type PlacedPosting,
  type Posting,
  type UserAccount,
  type Wallet,
} from './rules.ts';

/**
 * An event that moves money. `key` makes it idempotent: `namespace:id`, for example `vault:7f…` or `chain:<transaction>:<output>`. Every
 * posting moves one amount from one account to another, so every entry balances.
 */
export type Entry = {
  key: string;
  kind: string;
  postings: readonly Posting[];
  actorId?: number;
  memo?: string;
  /**
   * Throws 400 AMOUNT_OUT_OF_RANGE if a credit exceeds the account's capacity, instead of moving it to suspense. Used for amounts that a
   * person requests.
   */
  mustFit?: boolean;
};

/** The written entry. `replayed` is true if the same postings had already been posted with this key. */
export type Written = { entryId: bigint; at: Date; replayed: boolean; postings: readonly BookedPosting[] };

/**
 * Writes entries without applying the claim rules; only for `post` and reversals (`claims.ts`). Locks the players in ascending order,
 * checks every debited account, then writes the entries in the given order. Throws if an account's balance is too low (which rolls back the
 * caller's transaction) or a key was used for other postings (409 ENTRY_KEY_REUSED). A staff transaction can pay players only after it has
 * called `assertValue` of staff-value.
 */
export async function writeEntries(tx: Tx, entries: readonly Entry[]): Promise<Written[]> {
  if (new Set(entries.map((e) => e.key)).size < entries.length)
    throw new RangeError('an entry key stands twice');
  if (entries.some(paysPlayers)) assertValueAllowed(tx);
  const userIds = playersOf(entries);
  // An entry between platform accounts locks no player, but the safe watermark (safe-watermark.ts) must still see the transaction.
  if (userIds.length > 0) await lockAll(tx, userIds);
  else await sql`select pg_current_xact_id()`.execute(tx);
  const wallets = await walletsFor(tx, userIds, entries);
  const posted: Written[] = [];
  for (const chunk of chunks(entries)) posted.push(...(await postChunk(tx, chunk, wallets)));
  return posted;
}

const paysPlayers = ({ postings }: Entry): boolean =>
  postings.some(({ debit, credit }) => isUserAccount(credit) && !isUserAccount(debit));

async function lockAll(tx: Tx, userIds: readonly number[]): Promise<void> {
  const players = await lockPlayers(tx, userIds);
  const missing = userIds.find((id) => !players.has(id));
  if (missing !== undefined) throw ledgerErrors.PLAYER_NOT_FOUND({ userId: missing });
}

async function postChunk(
  tx: Tx,
  entries: readonly Entry[],
  wallets: Map<string, Wallet>,
): Promise<Written[]> {
  const [block] = await run<{ base: bigint; at: Date }>(tx, reserveIds());
  const { base, at } = block!;
  const written = await insertHeads(tx, entries, base);
  const touched = new Map<string, Wallet>();
  const placed: PlacedPosting[] = [];
  const posted: Written[] = [];
  let next = 0;
  for (const entry of entries) {
    const offset = next++;
    if (!written.has(entry.key)) {
      next += entry.postings.length;
      posted.push(await replay(tx, entry));
      continue;
    }
    const postings = entry.postings.map((posting) => bookOn(wallets, touched, posting));
    if (entry.mustFit) assertFit(postings);
    for (const posting of postings) placed.push({ posting, id: next++, entry: offset });
    posted.push({ entryId: base + BigInt(offset), at, replayed: false, postings });
  }
  if (placed.length === 0) return posted;
  for (const statement of writeStatements([...touched.values()], placed)) await run(tx, statement);
  for (const wallet of touched.values()) wallet.version++;
  return posted;
}

function bookOn(wallets: Map<string, Wallet>, touched: Map<string, Wallet>, posting: Posting): BookedPosting {
  if (posting.userId === 0) return book(PLATFORM, posting)!;
  const wallet = wallets.get(nameOf(posting))!;
  const booked = book(wallet, posting);
  if (!booked) throw insufficient(posting.debit as UserAccount, wallet);
  touched.set(nameOf(posting), wallet);
  return booked;
}

function assertFit(postings: readonly BookedPosting[]): void {
  const held = postings.find(({ heldFrom }) => heldFrom !== undefined);
  if (held) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: held.currencyId });
}

const PLATFORM: Wallet = Object.freeze({
  userId: 0,
  currencyId: '',
  version: 0n,
  cash: 0n,
  vault: 0n,
  bonus: 0n,
  hold: 0n,
});

/** Inserts the rows of new entries in `ledger_entries`, without their postings, and returns their keys. */
async function insertHeads(tx: Tx, entries: readonly Entry[], base: bigint): Promise<Set<string>> {
  let offset = 0n;
  const rows = entries.map((entry) => {
    const id = base + offset;
    offset += BigInt(1 + entry.postings.length);
    const { key, kind, actorId = null, memo = null } = entry;
    return { id, key, kind, input_hash: hashOf(entry), actor_id: actorId, memo };
  });
  const inserted = await tx
    .insertInto('ledger_entries')
    .values(rows)
    .onConflict((oc) => oc.column('key').doNothing())
    .returning('key')
    .execute();
  return new Set(inserted.map((row) => row.key));
}

async function replay(tx: Tx, entry: Entry): Promise<Written> {
  const head = await tx
    .selectFrom('ledger_entries')
    .selectAll()
    .where('key', '=', entry.key)
    .executeTakeFirstOrThrow();
  if (!head.input_hash.equals(hashOf(entry))) throw ledgerErrors.ENTRY_KEY_REUSED({ key: entry.key });
  const rows = await tx
    .selectFrom('ledger_lines')
    .selectAll()
    .where('user_id', 'in', playersOf([entry]).concat(0))
    .where('entry_id', '=', head.id)
    .orderBy('id')
    .execute();
  const postings = rows.map((row) => ({
    userId: row.user_id,
    currencyId: row.currency_id,
    kind: row.kind as Kind,
    amount: row.amount as Units,
    debit: accountOf(row.debit),
    credit: accountOf(row.credit),
    debitAfter: row.debit_after,
    creditAfter: row.credit_after,
  }));
  return { entryId: head.id, at: head.created_at, replayed: true, postings };
}

/** Returns the players' wallets, and creates one for the first movement in a currency. */
async function walletsFor(
  tx: Tx,
  userIds: readonly number[],
  entries: readonly Entry[],
): Promise<Map<string, Wallet>> {
  if (userIds.length === 0) return new Map();
  const read = async () => new Map((await readWallets(tx, userIds)).map((w) => [nameOf(w), w]));
  const wallets = await read();
  const missing = new Map(
    entries
      .flatMap((e) => e.postings)
      .filter((p) => p.userId > 0 && !wallets.has(nameOf(p)))
      .map((p) => [nameOf(p), { user_id: p.userId, currency_id: p.currencyId }]),
  );
  if (missing.size === 0) return wallets;
  await tx
    .insertInto('wallets')
    .values([...missing.values()])
    .onConflict((oc) => oc.doNothing())
    .execute();
  return read();
}

export function playersOf(entries: readonly Entry[]): number[] {
  return [...new Set(entries.flatMap((e) => e.postings.map((p) => p.userId)))]
    .filter((id) => id > 0)
    .sort((a, b) => a - b);
}

function nameOf({ userId, currencyId }: { userId: number; currencyId: string }): string {
  return `${userId}:${currencyId}`;
}

function hashOf({ kind, postings }: Entry): Buffer {
  const hash = createHash('sha256').update(kind);
  for (const p of postings)
    hash.update(`|${p.userId},${p.currencyId},${p.kind},${p.debit},${p.credit},${p.amount}`);
  return hash.digest();
}

/** Groups entries so that the ids of each group fit into one block. */
function* chunks(entries: readonly Entry[]): Generator<Entry[]> {
  let group: Entry[] = [];
  let ids = 0;
  for (const entry of entries) {
    const needed = 1 + entry.postings.length;
    if (needed > IDS_PER_BLOCK) throw new RangeError(`an entry of ${entry.postings.length} postings`);
    if (ids + needed > IDS_PER_BLOCK) {
      yield group;
      group = [];
      ids = 0;
    }
    group.push(entry);
    ids += needed;
  }
  if (group.length > 0) yield group;
}
