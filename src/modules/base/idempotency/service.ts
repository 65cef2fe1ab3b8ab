import { sql } from 'kysely';
import { type Db, type DbOrTx, run, type Statement, type Tx, transaction } from '../../../platform/db.ts';
import { AppError, commonErrors, type Details } from '../../../platform/errors.ts';
import { int2Array, int4Array, textArray } from '../../../platform/pg-arrays.ts';
import { lockPlayers } from '../players/service.ts';
import { inputHash } from './rules.ts';

/** A repeatable request: who sent which key with what. Without a key nothing is stored. */
export type Repeatable = {
  userId: number;
  key: string | undefined;
  operation: string;
  input: unknown;
  /** Other players that the work will lock: all locks are taken in one go, or two such requests could deadlock. */
  alsoLocks?: readonly number[];
};

/** What a key answered: 200 and the answer, or a refusal. */
export type StoredAnswer = { userId: number; key: string; inputHash: Buffer; status: number; body: string };

/**
 * Runs `work` once per key: in one transaction with the stored answer, under the player's lock. The same key and input
 * answer what was stored, a refusal (4xx) too; another input is 409 IDEMPOTENCY_KEY_REUSED. A failure that
 * says nothing about the request (5xx, and 401: about the caller's session) is not stored.
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
 * What a key has answered, for work that does not fit one transaction; undefined: nothing yet. Throws the refusal that was stored, and 409
 * IDEMPOTENCY_KEY_REUSED.
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

/** The stored answer of a key, or a refusal when the key was used with other input. */
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

/** Looks many keys up in one statement; the players must be locked. */
export function findStatement(keys: readonly { userId: number; key: string }[]): Statement {
  return {
    name: 'idempotency.find',
    text: `select i.user_id as "userId", i.key, i.input_hash as "inputHash", i.status, i.body
      from unnest($1::int4[], $2::text[]) v(user_id, key)
      join idempotency_keys i on i.user_id = v.user_id and i.key = v.key`,
    values: [int4Array(keys.map((k) => k.userId)), textArray(keys.map((k) => k.key))],
  };
}

/** Stores many answers in one statement. */
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
