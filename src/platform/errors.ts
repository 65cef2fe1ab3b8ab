/**
 * Expected failures. A module keeps its errors as a catalogue of one-liners:
 *
 *     export const walletErrors = errors({
 *       INSUFFICIENT_VAULT: [400, 'The vault holds less than this amount.'],
 *     });
 *     throw walletErrors.INSUFFICIENT_VAULT({ currencyId });
 *
 * The HTTP kit turns an AppError into the error body; anything else becomes a 500 without internals.
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

/** Facts of the refusal, safe to show to the caller. */
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

/** What anything that was thrown says of itself, for the log. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Refusals that any operation may answer. */
export const commonErrors = errors({
  VALIDATION_FAILED: [400, 'The request does not have the expected form; see details.fields.'],
  UNAUTHORIZED: [401, 'Sign in first: no session, or it has ended.'],
  FORBIDDEN: [403, 'This account may not do that.'],
  MFA_REQUIRED: [
    403,
    'Prove your second factor first: send its code (header x-mfa-code, field mfaCode), use a passkey (POST /user/passkeys/proof) or sign in again with it; without one turn on 2FA.',
  ],
  STAFF_NOT_ACTIVATED: [
    403,
    'The rights of this account do not count yet: verify its e-mail address, then set a password of your own (the link of POST /user/forgot-password does both).',
  ],
  OWN_ACCOUNT: [403, 'Staff may not do this to their own account; ask a colleague.'],
  API_KEY_INVALID: [401, 'The header x-api-key holds no API key in force.'],
  MFA_INVALID: [400, 'The code is wrong or was used before; wait for the next one.'],
  NOT_FOUND: [404, 'There is nothing here.'],
  CURRENCY_NOT_FOUND: [404, 'No such currency; GET /currency lists them.'],
  IMAGE_INVALID: [400, 'Send one PNG, JPEG, WebP or GIF image within the limits; see details.reason.'],
  INSUFFICIENT_BALANCE: [400, 'The balance is too small for this amount.'],
  AMOUNT_OUT_OF_RANGE: [400, 'The amount is outside what is allowed here.'],
  IDEMPOTENCY_KEY_REUSED: [409, 'This Idempotency-Key was used for another request; send a new key.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json, an image as multipart/form-data.'],
  RATE_LIMITED: [429, 'Too many requests; wait as Retry-After says.'],
  TOO_MANY_AT_ONCE: [
    429,
    'Too many of your calls wait for their answers; send fewer at once, retry as Retry-After says.',
  ],
  INTERNAL_ERROR: [500, 'Something went wrong on our side; quote the requestId.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot answer right now; retry as Retry-After says.'],
});

/** VALIDATION_FAILED for one field of the request. */
export const invalidField = (path: string, message: string): AppError =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });

/** Refusals of lists that are too long for what is asked of them. */
export const listErrors = errors({
  PAGE_TOO_DEEP: [
    400,
    'Only the beginning of so long a filtered list can be read: narrow the filter, or turn the order.',
  ],
  FILTER_TOO_WIDE: [
    400,
    'Too few of the rows that were looked at match: name a user, a type or a shorter time.',
  ],
  SORT_TOO_LONG: [400, 'So many rows cannot be sorted by amount: narrow the filter, or sort by time.'],
});
