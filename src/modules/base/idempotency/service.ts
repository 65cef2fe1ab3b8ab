import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { int2Array, int4Array, textArray } from '../../../platform/database/arrays.ts';
import {
  type Db,
  type DbOrTx,
  run,
  type Statement,
  type Tx,
  transaction,
} from '../../../platform/database/db.ts';
import { AppError, commonErrors, type Details } from '../../../platform/errors.ts';
import { lockPlayers } from '../players/service.ts';

/** A request with an optional idempotency key. Without a key, nothing is stored. */
export type Repeatable = {
  userId: number;
  key: string | undefined;
  operation: string;
  input: unknown;
  /** Other players that the work will lock. All players are locked together, because two requests could otherwise deadlock. */
  alsoLocks?: readonly number[];
};

/** The stored response for a key: status 200 with the result, or an error. */
export type StoredAnswer = { userId: number; key: string; inputHash: Buffer; status: number; body: string };

/**
 * Locks the player and runs `work` once per key. Its response is stored in the same transaction. A request with the same key and input gets
 * the stored response, even if that is a 4xx error. Throws 409 IDEMPOTENCY_KEY_REUSED if the input differs. Errors that are not caused by
 * the request itself are not stored: 5xx, and 401, which depends on the caller's session.
 */
export async function runIdempotently<T>(
  db: Db,
  request: Repeatable,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (request.key === undefined) return transaction(db, work);
  const key = {
    userId: request.userId,
    key: request.key,
    inputHash: inputHash(request.operation, request.input),
  };
  const outcome = await transaction(db, async (tx): Promise<{ value: T } | { refusal: AppError }> => {
    await lockPlayers(tx, [key.userId, ...(request.alsoLocks ?? [])]);
    const [stored] = await run<StoredAnswer>(tx, findStatement([key]));
    if (stored) return replay<T>(stored, key.inputHash);
    await sql`savepoint work`.execute(tx);
    try {
      const value = await work(tx);
      await run(tx, storeStatement([{ ...key, status: 200, body: JSON.stringify(value) }]));
      return { value };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500 || error.status === 401) throw error;
      await sql`rollback to savepoint work`.execute(tx);
      await run(tx, storeStatement([{ ...key, ...refusalOf(error) }]));
      return { refusal: error };
    }
  });
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.value;
}

/**
 * Returns the stored result of a key, or undefined if there is none yet. Used by operations that need several transactions. Throws a stored
 * error, and 409 IDEMPOTENCY_KEY_REUSED.
 */
export async function findStored<T>(
  db: DbOrTx,
  { userId, key, operation, input }: Repeatable,
): Promise<{ value: T } | undefined> {
  if (key === undefined) return undefined;
  const [stored] = await run<StoredAnswer>(db, findStatement([{ userId, key }]));
  if (!stored) return undefined;
  const outcome = replay<T>(stored, inputHash(operation, input));
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** Returns the stored response of a key, or an error if the key was already used with other input. */
export function replay<T>(stored: StoredAnswer, hash: Buffer): { value: T } | { refusal: AppError } {
  if (!stored.inputHash.equals(hash)) return { refusal: commonErrors.IDEMPOTENCY_KEY_REUSED() };
  const body = JSON.parse(stored.body) as unknown;
  if (stored.status === 200) return { value: body as T };
  const { code, message, details } = body as { code: string; message: string; details?: Details };
  return { refusal: new AppError(stored.status, code, message, details) };
}

export function refusalOf(error: AppError): { status: number; body: string } {
  const { code, message, details } = error;
  return { status: error.status, body: JSON.stringify({ code, message, details }) };
}

/** Reads the stored responses of many keys in one statement. The players must be locked. */
export function findStatement(keys: readonly { userId: number; key: string }[]): Statement {
  return {
    name: 'idempotency.find',
    text: `select i.user_id as "userId", i.key, i.input_hash as "inputHash", i.status, i.body
      from unnest($1::int4[], $2::text[]) v(user_id, key)
      join idempotency_keys i on i.user_id = v.user_id and i.key = v.key`,
    values: [int4Array(keys.map((k) => k.userId)), textArray(keys.map((k) => k.key))],
  };
}

/** Stores many responses in one statement. */
export function storeStatement(answers: readonly StoredAnswer[]): Statement {
  return {
    name: 'idempotency.store',
    text: `insert into idempotency_keys (user_id, key, input_hash, status, body)
      select v.user_id, v.key, decode(v.hash, 'hex'), v.status, v.body
      from unnest($1::int4[], $2::text[], $3::text[], $4::int2[], $5::text[]) v(user_id, key, hash, status, body)`,
    values: [
      int4Array(answers.map((a) => a.userId)),
      textArray(answers.map((a) => a.key)),
      textArray(answers.map((a) => a.inputHash.toString('hex'))),
      int2Array(answers.map((a) => a.status)),
      textArray(answers.map((a) => a.body)),
    ],
  };
}

/** Hashes an operation and its input. The order of keys does not matter. */
export function inputHash(operation: string, input: unknown): Buffer {
  return createHash('sha256')
    .update(`${operation}\n${canonical(input)}`)
    .digest();
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.entries(value).filter(([, v]) => v !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, v]) => `${JSON.stringify(key)}:${canonical(v)}`).join(',')}}`;
}
