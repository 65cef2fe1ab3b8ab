import { commonErrors } from '../errors.ts';

/** Returns the SQLSTATE of a database error, or undefined. The code EPIPE also has five characters, but it is a connection error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(code) ? code : undefined;
}

/** Returns the constraint named by a database error, or undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const name = (error as { constraint?: unknown } | null)?.constraint;
  return typeof name === 'string' ? name : undefined;
}

/**
 * SQLSTATEs of a session that is no longer usable. Its server may have become read-only (25006). A pooler may have switched servers, so
 * that prepared statements are missing (26000) or already exist (42P05).
 */
const LOST_SESSION: ReadonlySet<string> = new Set(['25006', '26000', '42P05']);

/** Returns true if the connection that reported this error must not be used again, although it is open. */
export function endsSession(error: unknown): boolean {
  return LOST_SESSION.has(sqlState(error) ?? '');
}

/** SQLSTATEs for a full or failed disk. */
const DISK: ReadonlySet<string> = new Set(['53100', '58030']);
const RESOURCES: ReadonlySet<string> = new Set([...DISK, '53200', '53300']);

/** Returns true if the server reports that it ran out of disk space, memory or connections, that its disk failed, or that it panicked. */
export const isResourceError = (error: unknown): boolean =>
  RESOURCES.has(sqlState(error) ?? '') || isPanic(error);

/** Returns true if the server could not write. A shortage of memory or connections affects single statements, and writes may still work. */
export const isDiskError = (error: unknown): boolean => DISK.has(sqlState(error) ?? '') || isPanic(error);

const isPanic = (error: unknown): boolean => (error as { severity?: unknown } | null)?.severity === 'PANIC';

/**
 * SQLSTATE for a number that exceeds the range of its column. It is reported by the database, or by arrays.ts before the number is sent.
 */
const OUT_OF_RANGE: ReadonlySet<unknown> = new Set(['22003', 'ERR_OUT_OF_RANGE']);

/** Returns true for a database error about a number that does not fit its column. */
export const isOutOfRange = (error: unknown): boolean =>
  OUT_OF_RANGE.has((error as { code?: unknown } | null | undefined)?.code);

/** Throws 400 AMOUNT_OUT_OF_RANGE if a balance or a total would exceed the database's range. Rethrows any other error. */
export function refuseOutOfRange(error: unknown, details: { currencyId?: string }): never {
  throw isOutOfRange(error) ? commonErrors.AMOUNT_OUT_OF_RANGE(details) : error;
}

/**
 * Returns true for connection failures, timeouts, and a database that is starting or has run out of connections or another resource. The
 * caller responds with 503.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return LOST_SESSION.has(state) || /^(08|53|57|55P03|58|25P03|40001|40P01)/.test(state);
  const { code, message, syscall } = (error ?? {}) as {
    code?: unknown;
    message?: unknown;
    syscall?: unknown;
  };
  // When connecting, this error means that the server's Unix socket is missing. Any other missing file is unrelated to the database.
  if (code === 'ENOENT') return syscall === 'connect';
  if (typeof code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAGAIN|ERR_STREAM)/.test(code))
    return true;
  return (
    typeof message === 'string' &&
    /(timeout|terminated|not queryable|Client was closed|Connection ended|Received unexpected)/i.test(message)
  );
}
