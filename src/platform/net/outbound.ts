import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Log } from '../observability/log.ts';
import { span } from '../observability/trace.ts';

/**
 * The partner definitely never received the request, because no connection was made or nothing was written. The request can be sent again.
 */
export class NotSent extends Error {}
/** The request was not attempted, because the partner failed recently. As with NotSent, the request can be sent again. */
export class LeftAlone extends NotSent {}
/** The outcome of the request is unknown: at least one byte was written, and no readable response below 500 arrived in time. */
export class Unanswered extends Error {}

export type OutboundAnswer = { status: number; text: string; headers: Headers };
export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base address. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Maximum response size in bytes. Defaults to 1 MiB. */
  limitBytes?: number;
};
export type Outbound = ReturnType<typeof createOutbound>;

const TIMEOUT_MS = 5000;
const LIMIT_BYTES = 1024 * 1024;
/** After this many consecutive failures, requests pause for PAUSE_MS. */
const FAILURES = 5;
const PAUSE_MS = 5000;

/**
 * Creates a client for one partner's HTTP API. A request, including the response body, may take five seconds. The response is limited to 1
 * MiB by default, and redirects are not followed. Throws NotSent or Unanswered. Any response with a status below 500, except a redirect, is
 * returned. After five consecutive failures it throws LeftAlone immediately for five seconds, then tries one request.
 */
export function createOutbound(parts: { name: string; baseUrl: string; log: Log; timeoutMs?: number }) {
  const { name, baseUrl, log, timeoutMs = TIMEOUT_MS } = parts;
  const isFailure = (error: unknown): boolean => error instanceof NotSent || error instanceof Unanswered;
  const createBreaker = async () => {
    const { ConsecutiveBreaker, circuitBreaker, handleWhen } = await import('cockatiel');
    const breaker = circuitBreaker(handleWhen(isFailure), {
      halfOpenAfter: PAUSE_MS,
      breaker: new ConsecutiveBreaker(FAILURES),
    });
    breaker.onBreak(() =>
      log.warn({ partner: name }, 'a partner does not respond; requests to it are paused'),
    );
    breaker.onReset(() => log.info({ partner: name }, 'a partner responds again'));
    return breaker;
  };
  /** The breaker is created with the first request. */
  let creating: ReturnType<typeof createBreaker> | undefined;
  return {
    async ask(request: OutboundRequest): Promise<OutboundAnswer> {
      creating ??= createBreaker();
      const breaker = await creating;
      try {
        // The path is omitted because it may identify a person.
        const attributes = { 'http.request.method': request.method, 'croupier.partner': name };
        return await breaker.execute(() =>
          span(`${request.method} ${name}`, { kind: 'client', attributes }, () =>
            send(baseUrl, request, timeoutMs),
          ),
        );
      } catch (error) {
        if (isFailure(error)) throw error;
        // Thrown by the breaker, which allows one request after the pause.
        throw new LeftAlone(`${name} does not respond`, { cause: error });
      }
    },
  };
}

async function send(baseUrl: string, request: OutboundRequest, timeoutMs: number): Promise<OutboundAnswer> {
  const { method, path, headers = {}, body, limitBytes = LIMIT_BYTES } = request;
  let answer: Response;
  const progress: Progress = { isCreated: false, isWritten: false };
  try {
    const input = {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    } as const;
    answer = await requests.run(progress, () => fetch(baseUrl + path, input));
  } catch (error) {
    throw mayHaveArrived(error, progress)
      ? new Unanswered(reasonOf(error), { cause: error })
      : new NotSent(reasonOf(error));
  }
  const bytes = await readBody(answer, limitBytes).catch((error: unknown) => {
    throw new Unanswered(reasonOf(error), { cause: error });
  });
  // A redirect is not a valid response from an API.
  if (answer.status >= 500 || (answer.status >= 300 && answer.status < 400))
    throw new Unanswered(`answered ${answer.status}`);
  return { status: answer.status, text: bytes.toString('utf8'), headers: answer.headers };
}

/** Returns a response's decompressed body. Throws if the body is too long. Exiting the loop cancels the rest of the download. */
export async function readBody(answer: Response, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength;
    if (length > limitBytes) throw new Error(`the response has more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Progress of a request in the HTTP client. */
type Progress = { isCreated: boolean; isWritten: boolean };
type HttpRequest = object;

/** Progress of the request made by the current `fetch` call. */
const requests = new AsyncLocalStorage<Progress>();
const progressOf = new WeakMap<HttpRequest, Progress>();

// Node's fetch publishes both events: the first in its caller's context, the second just before the first byte is written.
subscribe('undici:request:create', (message) => {
  const progress = requests.getStore();
  if (!progress) return;
  progress.isCreated = true;
  progressOf.set((message as { request: HttpRequest }).request, progress);
});
subscribe('undici:client:sendHeaders', (message) => {
  const progress = progressOf.get((message as { request: HttpRequest }).request);
  if (progress) progress.isWritten = true;
});

/**
 * Returns true if the partner may have received a failed request. A tracked request may have arrived once its first byte was written. An
 * untracked request is considered sent unless the error definitely means that no connection was made.
 */
function mayHaveArrived(error: unknown, { isCreated, isWritten }: Progress): boolean {
  if (isCreated) return isWritten;
  return !isOfConnecting((error as { cause?: unknown }).cause);
}

type Failure = { code?: unknown; syscall?: unknown; message?: unknown; errors?: unknown[] };

const OF_CONNECTING =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/;
const OF_HANDSHAKE =
  /CERT|UNABLE_TO_|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\w*(HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNRECOGNIZED_NAME))/;

/** Returns true if an error means that no connection was made. If there were several attempts, each must have failed this way. */
function isOfConnecting(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null) return false;
  const { code, syscall, message, errors } = failure as Failure;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isOfConnecting);
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  if (/before secure TLS connection was established/.test(String(message))) return true;
  return OF_CONNECTING.test(String(code)) || OF_HANDSHAKE.test(String(code));
}

const reasonOf = (error: unknown) => {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
};
