import { describeDatabase } from '../platform/database/embedded/server.ts';
import { isUnavailable, sqlState } from '../platform/database/errors.ts';
import { WrongServer } from '../platform/database/replica/primary.ts';
import { StartTimeout } from '../platform/database/while-starting.ts';
import { AppError } from '../platform/errors.ts';

/**
 * Returns the reason why a program failed, in a sentence that explains the fix. It never contains a stack trace or a password.
 * `databaseUrl` is the URL of the program's database. With `isEmbedded` the platform manages the database itself, so a database that does
 * not respond means that the machine is too busy, never that the URL is wrong.
 */
export function reasonOf(error: unknown, databaseUrl?: string, { isEmbedded = false } = {}): string {
  if (error instanceof StartTimeout)
    return isEmbedded
      ? `${error.message}: ${TOO_BUSY}.`
      : `${error.message}. ${reasonOf(error.cause, databaseUrl)}`;
  // Node tries each address of `localhost`. The failures are similar, so only the first is reported.
  const failure = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (failure instanceof AppError && failure.details)
    return `${failure.message} ${JSON.stringify(failure.details)}`;
  const message = failure instanceof Error ? failure.message : String(failure);
  if (isEmbedded && databaseUrl !== undefined && isUnavailable(failure))
    return `The embedded PostgreSQL does not respond (${message}): ${TOO_BUSY}.`;
  return databaseReason(failure, message, databaseUrl) ?? fileReason(failure) ?? message;
}

/** Used for the embedded server, which is known to be running and has no URL to configure. */
const TOO_BUSY = 'this machine is too busy; start again, or raise DATABASE_START_TIMEOUT_MS';

/**
 * Driver errors for a connection that ended before it was established, because the server closed it or reset it without reading the
 * client's data.
 */
const CLOSED_AT_ONCE = /^(Connection terminated unexpectedly|read ECONNRESET|write EPIPE)$/;
const NO_SCHEMA: ReadonlySet<string> = new Set(['42P01', '42703', '42883', '3F000']);

function databaseReason(error: unknown, message: string, url: string | undefined): string | undefined {
  if (isUnreadable(error))
    return 'DATABASE_URL is malformed: write it as postgres://user:password@host:5432/database, with / ? # % : @ in the password percent-encoded.';
  if (url === undefined) return undefined;
  const database = describeDatabase(url);
  if (error instanceof WrongServer) return message;
  const certificate = certificateReason(error, message, database);
  if (certificate !== undefined) return certificate;
  const state = sqlState(error);
  if (CLOSED_AT_ONCE.test(message))
    return `The database ${database} closes every connection immediately: the address belongs to a proxy without a server behind it (a cluster without a leader), or to a program other than PostgreSQL.`;
  if (state === undefined)
    return isUnavailable(error)
      ? `The database ${database} does not respond (${message}): start it, or correct DATABASE_URL.`
      : undefined;
  if (state.startsWith('28'))
    return `The database ${database} rejects the log-in (${message}): correct user and password in DATABASE_URL.`;
  if (state === '3D000') return `There is no such database (${message}): create it, or correct DATABASE_URL.`;
  if (NO_SCHEMA.has(state))
    return `The database ${database} does not have the tables of this version (${message}): run npx croupier migrate.`;
  if (state === '42501') return rightsReason(database, message);
  if (state === '0A000' && message.includes('extension'))
    return `The server lacks an extension (${message}): install PostgreSQL's contrib package on it.`;
  return isUnavailable(error) ? `The database ${database} is unavailable (${message}).` : undefined;
}

/** Errors for a certificate chain whose root this machine does not trust. Managed databases and company authorities use such chains. */
const UNKNOWN_AUTHORITY: ReadonlySet<unknown> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function certificateReason(error: unknown, message: string, database: string): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  if (UNKNOWN_AUTHORITY.has(code))
    return `Unknown certificate authority: add sslrootcert=/path/to/ca.pem to DATABASE_URL, or set NODE_EXTRA_CA_CERTS (${database}: ${message}). See docs/operations/deploy.md.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the database ${database} is for another host (${message}): write the host of the certificate into DATABASE_URL.`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `The certificate of the database ${database} is not valid now (${message}): renew it, or correct the clock.`;
  if (/^The server does not support SSL connections$/.test(message))
    return `The database ${database} does not support TLS: enable ssl on the server, or add its host to PLAINTEXT_HOSTS and omit sslmode.`;
  return undefined;
}

/**
 * Returns true if the driver cannot parse the URL. The driver's own message is only `Invalid URL`, and its stack trace contains the
 * password.
 */
function isUnreadable(error: unknown): boolean {
  return error instanceof URIError || (error as { code?: unknown } | null)?.code === 'ERR_INVALID_URL';
}

function rightsReason(database: string, message: string): string {
  return /^permission denied (for (schema public|database)|to create)/.test(message)
    ? `The role of DATABASE_URL may not create tables in ${database} (${message}): make it the owner of the database, or grant it CREATE on the database and on its schema public.`
    : `The role of DATABASE_URL lacks a permission in ${database} (${message}): use the role of the services, which owns the tables.`;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks permission',
  EPERM: 'this user lacks permission',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

function fileReason(error: unknown): string | undefined {
  const { code, syscall, ...paths } = (error ?? {}) as NodeJS.ErrnoException & { dest?: string };
  const problem = FILE_PROBLEMS[code ?? ''];
  // The disk of a file that is being copied to is full, not that of the original.
  const path = (code === 'ENOSPC' && paths.dest) || paths.path;
  return problem && path && syscall ? `${path} cannot be used: ${problem} (${syscall}).` : undefined;
}
