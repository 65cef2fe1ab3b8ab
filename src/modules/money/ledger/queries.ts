import { int2Array, int4Array, int8Array, textArray } from '../../../platform/database/arrays.ts';
import { type DbOrTx, run, type Statement } from '../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { NO_PROVIDER } from '../../base/findings/service.ts';
import { type BookedPosting, codeOf, type PlacedPosting, SUSPENSE, type Wallet } from './rules.ts';

/** The number of ids that one call to `reserveIds` reserves. */
export const IDS_PER_BLOCK = 1024;

/** Reserves a block of ids and returns the transaction's time. Must be called after the players are locked. */
export function reserveIds(): Statement {
  return { name: 'ledger.ids', text: `select nextval('ledger_ids') as base, now() as at`, values: [] };
}

export function readWalletsStatement(userIds: readonly number[]): Statement {
  return {
    name: 'ledger.wallets',
    text: `select user_id as "userId", currency_id as "currencyId", cash, vault, bonus, hold, version
      from wallets where user_id = any($1::int4[])`,
    values: [int4Array(userIds)],
  };
}

export async function readWallets(db: DbOrTx, userIds: readonly number[]): Promise<Wallet[]> {
  return run<Wallet>(db, readWalletsStatement(userIds));
}

/**
 * Returns the statements that write wallets and postings with the ids of the block reserved last on this connection: one for all wallets,
 * one for all postings, and one for credits that went to suspense. The statements fail with 40001 if a wallet's version has changed since
 * it was read.
 */
export function writeStatements(wallets: readonly Wallet[], postings: readonly PlacedPosting[]): Statement[] {
  const hold = holdStatement(postings);
  return [
    ...(wallets.length > 0 ? [writeWallets(wallets)] : []),
    writePostings(postings),
    ...(hold ? [hold] : []),
  ];
}

function writeWallets(wallets: readonly Wallet[]): Statement {
  return {
    name: 'ledger.write-wallets',
    text: `with changed as (
        update wallets w set cash = v.cash, vault = v.vault, bonus = v.bonus, hold = v.hold,
          version = w.version + 1, updated_at = now()
        from unnest($1::int4[], $2::text[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])
          v(user_id, currency_id, cash, vault, bonus, hold, version)
        where w.user_id = v.user_id and w.currency_id = v.currency_id and w.version = v.version
        returning 1)
      select expect_rows((select count(*) from changed), $8::int8)`,
    values: [
      int4Array(wallets.map((w) => w.userId)),
      textArray(wallets.map((w) => w.currencyId)),
      int8Array(wallets.map((w) => w.cash)),
      int8Array(wallets.map((w) => w.vault)),
      int8Array(wallets.map((w) => w.bonus)),
      int8Array(wallets.map((w) => w.hold)),
      int8Array(wallets.map((w) => w.version)),
      wallets.length,
    ],
  };
}

function writePostings(postings: readonly PlacedPosting[]): Statement {
  return {
    name: 'ledger.write-lines',
    text: `insert into ledger_lines
        (id, entry_id, amount, debit_after, credit_after, user_id, debit, credit, currency_id, kind)
      select b.base + l.id, b.base + l.entry, l.amount, l.debit_after, l.credit_after, l.user_id, l.debit, l.credit,
        l.currency_id, l.kind
      from (select currval('ledger_ids') as base) b, unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::int8[],
        $6::int4[], $7::int2[], $8::int2[], $9::text[], $10::text[])
        l(id, entry, amount, debit_after, credit_after, user_id, debit, credit, currency_id, kind)`,
    values: [
      int4Array(postings.map((p) => p.id)),
      int8Array(postings.map((p) => BigInt(p.entry))),
      int8Array(postings.map((p) => p.posting.amount)),
      int8Array(postings.map((p) => p.posting.debitAfter)),
      int8Array(postings.map((p) => p.posting.creditAfter)),
      int4Array(postings.map((p) => p.posting.userId)),
      int2Array(postings.map((p) => codeOf(p.posting.debit))),
      int2Array(postings.map((p) => codeOf(p.posting.credit))),
      textArray(postings.map((p) => p.posting.currencyId)),
      textArray(postings.map((p) => p.posting.kind)),
    ],
  };
}

/** The unpaid part of a player's debt. `id` is defined if the debt is already stored. */
export type OpenClaim = { id?: bigint; userId: number; currencyId: string; remaining: Units };
/** A player's new debt. */
export type NewClaim = OpenClaim & { amount: Units; key: string };

/** Reads the open claims of these players, oldest first. The players must be locked. */
export function readOpenClaims(userIds: readonly number[]): Statement {
  return {
    name: 'ledger.open-claims',
    text: `select id, user_id as "userId", currency_id as "currencyId", remaining from claims
      where user_id = any($1::int4[]) and remaining > 0 order by id`,
    values: [int4Array(userIds)],
  };
}

/** Stores the unpaid amounts of claims after a payment. */
export function payClaims(claims: readonly OpenClaim[]): Statement {
  return {
    name: 'ledger.pay-claims',
    text: `update claims c set remaining = v.remaining, updated_at = now() from unnest($1::int8[], $2::int8[]) v(id, remaining)
      where c.id = v.id`,
    values: [int8Array(claims.map((c) => c.id!)), int8Array(claims.map((c) => c.remaining))],
  };
}

export function insertClaims(claims: readonly NewClaim[]): Statement {
  return {
    name: 'ledger.claims',
    text: `insert into claims (user_id, currency_id, amount, remaining, source_key)
      select user_id, currency_id, amount, remaining, key from unnest($1::int4[], $2::text[], $3::int8[], $4::int8[], $5::text[])
        v(user_id, currency_id, amount, remaining, key)`,
    values: [
      int4Array(claims.map((c) => c.userId)),
      textArray(claims.map((c) => c.currencyId)),
      int8Array(claims.map((c) => c.amount)),
      int8Array(claims.map((c) => c.remaining)),
      textArray(claims.map((c) => c.key)),
    ],
  };
}

type HeldPosting = PlacedPosting & { posting: BookedPosting & { heldFrom: string } };

const isHeld = (placed: PlacedPosting): placed is HeldPosting => placed.posting.heldFrom !== undefined;

/**
 * Returns the statement that stores a finding for each posting that went to suspense because it exceeded the account's capacity. Returns
 * undefined if there are no such postings. The statement runs after the postings, with the ids of the block reserved last on the
 * connection.
 */
function holdStatement(postings: readonly PlacedPosting[]): Statement | undefined {
  const held = postings.filter(isHeld);
  if (held.length === 0) return undefined;
  const factsOf = ({ heldFrom: account, amount, currencyId, kind }: HeldPosting['posting']) =>
    JSON.stringify({ amount: formatUnits(amount), currencyId, account, kind });
  return {
    name: 'ledger.hold',
    text: `insert into provider_findings (provider_id, kind, subject, user_id, facts)
      select ${NO_PROVIDER}, '${SUSPENSE}', (b.base + l.id)::text, l.user_id, l.facts::jsonb || jsonb_build_object('entryId', (b.base + l.entry)::text)
      from (select currval('ledger_ids') as base) b, unnest($1::int4[], $2::int8[], $3::int4[], $4::text[]) l(id, entry, user_id, facts)`,
    values: [
      int4Array(held.map((p) => p.id)),
      int8Array(held.map((p) => BigInt(p.entry))),
      int4Array(held.map((p) => p.posting.userId)),
      textArray(held.map((p) => factsOf(p.posting))),
    ],
  };
}
