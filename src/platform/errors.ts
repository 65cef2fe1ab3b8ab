/**
 * Expected failures. Each module defines its errors in a catalogue with one line per error:
 *
 *     export const walletErrors = errors({
 *       INSUFFICIENT_VAULT: [400, 'The vault holds less than this amount.'],
 *     });
 *     throw walletErrors.INSUFFICIENT_VAULT({ currencyId });
 *
 * The HTTP layer converts an AppError to the error body. Any other error becomes a 500 without internal details.
 */
export class AppError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Details | undefined;

  constructor(status: number, code: string, message: string, details?: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Details of the error that are shown to the caller. */
export type Details = Record<string, unknown>;
export type ErrorFactory = ((details?: Details) => AppError) & {
  status: number;
  code: string;
  message: string;
};

export function errors<const C extends Record<string, readonly [status: number, message: string]>>(
  catalogue: C,
): { [K in keyof C]: ErrorFactory } {
  const entries = Object.entries(catalogue).map(([code, [status, message]]) => {
    const factory = (details?: Details) => new AppError(status, code, message, details);
    return [code, Object.assign(factory, { status, code, message })];
  });
  return Object.fromEntries(entries) as { [K in keyof C]: ErrorFactory };
}

/** Returns the message of any thrown value, for the log. */
export function messageOf(error: unknown): string {
  // A host name with several addresses causes one failure for each address. The first failure is reported.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Errors that any operation may return. */
export const commonErrors = errors({
  VALIDATION_FAILED: [400, 'The request does not have the expected form; see details.fields.'],
  UNAUTHORIZED: [401, 'You are not signed in, or your session has ended. Sign in.'],
  FORBIDDEN: [403, 'This account does not have permission for this action.'],
  ORIGIN_FORBIDDEN: [
    403,
    'Pages of this origin may not call this API. Add the origin to SITE_ORIGINS if it is yours.',
  ],
  MFA_REQUIRED: [
    403,
    'Send a second factor: mfaCode or x-mfa-code, or a passkey (POST /user/passkeys/proof). If you have none, turn on 2FA first.',
  ],
  STAFF_NOT_ACTIVATED: [
    403,
    'This staff account is not activated. Verify its email and set your own password: POST /user/forgot-password.',
  ],
  OWN_ACCOUNT: [403, 'Staff may not do this to their own account; ask a colleague.'],
  API_KEY_INVALID: [401, 'The API key in the header x-api-key is not valid. Check it, or ask for a new one.'],
  MFA_INVALID: [400, 'The code is wrong or was used before; wait for the next one.'],
  NOT_FOUND: [404, 'Nothing was found at this path. Check the method, path and ids.'],
  METHOD_NOT_ALLOWED: [
    405,
    'This path does not support this method; the Allow header lists the supported ones.',
  ],
  CURRENCY_NOT_FOUND: [404, 'No such currency; GET /currency lists them.'],
  IMAGE_INVALID: [
    400,
    'The image was not accepted; see details.reason. Send one PNG, JPEG, WebP or GIF within the limits.',
  ],
  INSUFFICIENT_BALANCE: [400, 'The balance is too small for this amount.'],
  AMOUNT_OUT_OF_RANGE: [400, 'The amount is outside the allowed range. Send another amount.'],
  IDEMPOTENCY_KEY_REUSED: [409, 'This Idempotency-Key was used for another request; send a new key.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'Unsupported content type. Send application/json, or multipart/form-data for an image.',
  ],
  RATE_LIMITED: [429, 'Too many requests. Retry after the time in Retry-After.'],
  TOO_MANY_AT_ONCE: [
    429,
    'Too many of your requests are in progress. Send fewer at once, and retry after the time in Retry-After.',
  ],
  INTERNAL_ERROR: [500, 'Something went wrong on our side; quote the requestId.'],
  SERVICE_UNAVAILABLE: [503, 'The service is temporarily unavailable. Retry after the time in Retry-After.'],
});

/** Returns the error VALIDATION_FAILED for one field of the request. */
export const invalidField = (path: string, message: string): AppError =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });

/** Errors for list queries that would scan or sort too many rows. */
export const listErrors = errors({
  PAGE_TOO_DEEP: [400, 'This page is too far into the list. Narrow the filter, or reverse the sort order.'],
  FILTER_TOO_WIDE: [
    400,
    'The search stopped before it found enough matches. Filter by user or type, or choose a shorter period.',
  ],
  SORT_TOO_LONG: [400, 'There are too many rows to sort by amount. Narrow the filter, or sort by time.'],
});
