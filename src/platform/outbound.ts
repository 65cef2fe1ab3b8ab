import type { Log } from './log.ts';
import { span } from './trace.ts';

/** The partner has certainly not received the request: it may be sent again. */
export class NotSent extends Error {}
/** The same: it was not even tried, as the partner has not answered a while ago. */
export class LeftAlone extends NotSent {}
/** The outcome of the request is unknown: no answer, a late one, one that cannot be read, or a 5xx. */
export class Unanswered extends Error {}

export type OutboundAnswer = { status: number; text: string; headers: Headers };
export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Longest answer that is read; 1 MiB unless given. */
  limitBytes?: number;
};
export type Outbound = ReturnType<typeof createOutbound>;

const TIMEOUT_MS = 5000;
const LIMIT_BYTES = 1024 * 1024;
/** After so many failures in a row nothing is sent for a while. */
const FAILURES = 5;
const PAUSE_MS = 5000;

/**
 * Asks one partner over HTTP: five seconds at most with the body, 1 MiB at most unless more is asked for, no redirects. Throws NotSent or Unanswered; any
 * status below 500 is an answer. After five failures in a row it throws LeftAlone immediately for five seconds, then tries again with one
 * request.
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
      log.warn({ partner: name }, 'a partner does not answer: it is left alone for a while'),
    );
    breaker.onReset(() => log.info({ partner: name }, 'a partner answers again'));
    return breaker;
  };
  /** With the first request. */
  let creating: ReturnType<typeof createBreaker> | undefined;
  return {
    async ask(request: OutboundRequest): Promise<OutboundAnswer> {
      creating ??= createBreaker();
      const breaker = await creating;
      try {
        // Not its path: that may identify a person.
        const attributes = { 'http.request.method': request.method, 'croupier.partner': name };
        return await breaker.execute(() =>
          span(`${request.method} ${name}`, { kind: 'client', attributes }, () =>
            send(baseUrl, request, timeoutMs),
          ),
        );
      } catch (error) {
        if (isFailure(error)) throw error;
        // The breaker's own: it lets one request through when the pause is over.
        throw new LeftAlone(`${name} does not answer`, { cause: error });
      }
    },
  };
}

async function send(baseUrl: string, request: OutboundRequest, timeoutMs: number): Promise<OutboundAnswer> {
  const { method, path, headers = {}, body, limitBytes = LIMIT_BYTES } = request;
  let answer: Response;
  try {
    answer = await fetch(baseUrl + path, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw wasSent(error) ? new Unanswered(reasonOf(error), { cause: error }) : new NotSent(reasonOf(error));
  }
  const bytes = await readBody(answer, limitBytes).catch((error: unknown) => {
    throw new Unanswered(reasonOf(error), { cause: error });
  });
  // A redirect of a server that is asked for data is not an answer either.
  if (answer.status >= 500 || (answer.status >= 300 && answer.status < 400))
    throw new Unanswered(`answered ${answer.status}`);
  return { status: answer.status, text: bytes.toString('utf8'), headers: answer.headers };
}

/** The body of an answer, once it is decompressed. Throws for a longer one: leaving the loop cancels the rest of the download. */
export async function readBody(answer: Response, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength;
    if (length > limitBytes) throw new Error(`the answer has more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|UND_ERR_CONNECT_TIMEOUT/;

function wasSent(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } };
  const codes = [cause?.code, ...(cause?.errors?.map(({ code }) => code) ?? [])].map(String);
  return !codes.some((code) => NEVER_SENT.test(code));
}

const reasonOf = (error: unknown) => {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
};
