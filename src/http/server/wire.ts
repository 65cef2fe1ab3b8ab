import { AppError, commonErrors } from '../../platform/errors.ts';

export type WireError = {
  statusCode: number;
  code: string;
  message: string;
  details?: Record<string, unknown>;
  requestId: string;
};

/** Number of seconds that a client should wait after a 503 before it tries again. */
const RETRY_AFTER_SECONDS = 1;

const FRAMEWORK_ERRORS: Record<string, () => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => commonErrors.PAYLOAD_TOO_LARGE(),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => commonErrors.UNSUPPORTED_MEDIA_TYPE(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    bodyRefused('The body is shorter or longer than Content-Length says.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => bodyRefused('The body is empty.'),
  FST_ERR_BAD_URL: () => commonErrors.NOT_FOUND(),
  FST_ERR_ASYNC_CONSTRAINT: () => commonErrors.NOT_FOUND(),
};

/**
 * Converts an error into the client's response. Expected errors keep their code, and an unavailable database is a 503. Any other error is a
 * 500 without internal details.
 */
export function toWire(
  error: unknown,
  requestId: string,
  isUnavailable: (error: unknown) => boolean,
): { body: WireError; headers: Record<string, string>; expected: boolean } {
  const known =
    expectedError(error) ?? (isUnavailable(error) ? commonErrors.SERVICE_UNAVAILABLE() : undefined);
  const shown = known ?? commonErrors.INTERNAL_ERROR();
  const body: WireError = { statusCode: shown.status, code: shown.code, message: shown.message, requestId };
  if (shown.details) body.details = shown.details;
  return {
    body,
    headers: retryHeaders(shown),
    // A 501 is not logged as a server error, because the client's request causes it.
    expected: known !== undefined && (shown.status < 500 || shown.status === 501 || isShed(error)),
  };
}

/**
 * Returns true if the request was rejected because of high load, with a time to retry. Metrics count these requests. They are not logged,
 * because that would flood the log.
 */
const isShed = (error: unknown): boolean =>
  error instanceof AppError && error.status === 503 && typeof error.details?.retryAfterSeconds === 'number';

function expectedError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const framework = code === undefined ? undefined : FRAMEWORK_ERRORS[code];
  if (framework) return framework();
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return bodyRefused('The request is not well formed.');
  }
  return undefined;
}

function bodyRefused(message: string): AppError {
  return commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message }] });
}

function retryHeaders(error: AppError): Record<string, string> {
  const seconds = error.details?.retryAfterSeconds;
  if (typeof seconds === 'number') return { 'retry-after': String(seconds) };
  return error.status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
}
