import { commonErrors } from './errors.ts';

/** SQLSTATE of a database error, or undefined. EPIPE, which is as long, comes from the connection. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(code) ? code : undefined;
}

/** The name of the constraint that a database error names, or undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const name = (error as { constraint?: unknown } | null)?.constraint;
  return typeof name === 'string' ? name : undefined;
}

/**
 * The session is not what we take it for: its server takes no writes any more, or a pooler has exchanged the server under us, so that
 * prepared statements are missing (26000) or there already (42P05).
 */
const LOST_SESSION: ReadonlySet<string> = new Set(['25006', '26000', '42P05']);

/** Whether the connection that has said this must not be used again, although it is open. */
export function endsSession(error: unknown): boolean {
  return LOST_SESSION.has(sqlState(error) ?? '');
}

/** Said by the database, and by pg-arrays.ts before it: a number is more than its column holds. */
const OUT_OF_RANGE: ReadonlySet<unknown> = new Set(['22003', 'ERR_OUT_OF_RANGE']);

/** Throws 400 AMOUNT_OUT_OF_RANGE for an amount that makes a balance or a sum more than the database holds, else what has failed. */
export function refuseOutOfRange(error: unknown, details: { currencyId: string }): never {
  const { code } = (error ?? {}) as { code?: unknown };
  throw OUT_OF_RANGE.has(code) ? commonErrors.AMOUNT_OUT_OF_RANGE(details) : error;
}

/** Failures of the connection, of time-outs and of a database that is starting or full: the caller answers 503. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return LOST_SESSION.has(state) || /^(08|53|57|55P03|58|25P03|40001|40P01)/.test(state);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|ENOENT|EAGAIN|ERR_STREAM)/.test(code))
    return true;
  return (
    typeof message === 'string' &&
    /(timeout|terminated|not queryable|Client was closed|Connection ended|Received unexpected)/i.test(message)
  );
}
