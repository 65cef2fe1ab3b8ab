import { isUnavailable, sqlState } from './platform/database-errors.ts';
import { describeDatabase } from './platform/database-server.ts';
import { AppError } from './platform/errors.ts';
import { WrongServer } from './platform/primary.ts';

/**
 * Why a program could not do its work, in a sentence that says what to do about it; never a stack, never a password.
 * `databaseUrl` is the address of the database it works on.
 */
export function reasonOf(error: unknown, databaseUrl?: string): string {
  // What `localhost` stands for is tried address by address: the first failure says as much as all of them.
  const failure = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (failure instanceof AppError && failure.details)
    return `${failure.message} ${JSON.stringify(failure.details)}`;
  const message = failure instanceof Error ? failure.message : String(failure);
  return databaseReason(failure, message, databaseUrl) ?? fileReason(failure) ?? message;
}

/** What the driver says when a connection ends before it has begun: closed, or reset because what it had sent was never read. */
const CLOSED_AT_ONCE = /^(Connection terminated unexpectedly|read ECONNRESET|write EPIPE)$/;
const NO_SCHEMA: ReadonlySet<string> = new Set(['42P01', '42703', '42883', '3F000']);

function databaseReason(error: unknown, message: string, url: string | undefined): string | undefined {
  if (isUnreadable(error))
    return 'DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/database, with / ? # % : @ in the password percent-encoded.';
  if (url === undefined) return undefined;
  const database = describeDatabase(url);
  if (error instanceof WrongServer) return message;
  const state = sqlState(error);
  if (CLOSED_AT_ONCE.test(message))
    return `The database ${database} closes every connection at once: what listens there is a proxy without a server behind it (a cluster without a leader), or no PostgreSQL.`;
  if (state === undefined)
    return isUnavailable(error)
      ? `The database ${database} does not answer (${message}): start it, or correct DATABASE_URL.`
      : undefined;
  if (state.startsWith('28'))
    return `The database ${database} refuses the sign-in (${message}): correct user and password in DATABASE_URL.`;
  if (state === '3D000') return `There is no such database (${message}): create it, or correct DATABASE_URL.`;
  if (NO_SCHEMA.has(state))
    return `The database ${database} does not have the tables of this version (${message}): run npm run migrate.`;
  if (state === '42501') return rightsReason(database, message);
  if (state === '0A000' && message.includes('extension'))
    return `The server lacks an extension (${message}): install PostgreSQL's contrib package on it.`;
  return isUnavailable(error) ? `The database ${database} cannot do this right now (${message}).` : undefined;
}

/** The address has no form that the driver understands. Its own message would be `Invalid URL`, its stack the password. */
function isUnreadable(error: unknown): boolean {
  return error instanceof URIError || (error as { code?: unknown } | null)?.code === 'ERR_INVALID_URL';
}

function rightsReason(database: string, message: string): string {
  return /^permission denied (for (schema|database)|to create)/.test(message)
    ? `The role of DATABASE_URL may not create tables in ${database} (${message}): make it the owner of the database, or grant it CREATE on the database and on its schema public.`
    : `The role of DATABASE_URL may not do this in ${database} (${message}): use the role of the services, which owns the tables.`;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something is in its place',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

function fileReason(error: unknown): string | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const problem = FILE_PROBLEMS[code ?? ''];
  return problem && path && syscall ? `${path} cannot be used: ${problem} (${syscall}).` : undefined;
}
