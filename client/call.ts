import { IDEMPOTENT, type Operations } from './api.ts';

import { backOffMs, retryAfterSeconds } from './backoff.ts';

export type * from './api.ts';
export { RIGHTS } from './api.ts';

export type Op = keyof Operations;
export type Answer<O extends Op> = Operations[O]['answer'];
/** The input of an operation: the path parameters, the query and the body that the operation has. */
export type Input<O extends Op> = Omit<Operations[O], 'answer' | 'refusal'>;

export type Options = {
  /** URL of the API. Default: the origin of the page. */
  url?: string;
  /** Called when the session has ended and could not be renewed. */
  onSignedOut?: () => void;
  /** Called with the Date header of each response: the server's time. Pages of other origins get null. */
  onDate?: (date: string | null) => void;
  /** A function that replaces `fetch` in tests. */
  send?: typeof fetch;
};

type How = {
  /**
   * Idempotency key. A request that is sent several times with one key takes effect once. Use a new key for each press of a button, but the
   * same key if no response to the previous press arrived.
   */
  key?: string;
  /** The code of the second factor, for operations that require it again. */
  mfaCode?: string;
  /** The token of a solved CAPTCHA, for operations that require one. */
  captcha?: string;
  signal?: AbortSignal;
};

type Field = { path: string; message: string };
type Body = { code: string; message: string; details?: Record<string, unknown>; requestId?: string };

/** An error response of the server, with a stable code, a readable message, and details. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  /** The minimum wait that the server requires before the request is sent again. */
  readonly retryAfterSeconds: number | undefined;
  /** The errors of the call's earlier attempts. After a lost response, the request may have been carried out, whatever this error says. */
  earlier: readonly Refused[] = [];
  constructor(status: number, { code, message, details = {}, requestId }: Body, retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds(details) ?? retryAfter;
  }

  /**
   * The invalid fields of the request with their messages. Errors in a promotion's terms contain these fields in `details.problems` instead
   * of `details.fields`.
   */
  get fields(): readonly Field[] {
    return ((this.details.fields ?? this.details.problems) as Field[] | undefined) ?? [];
  }
}

const RETRIES = 3;
const RETRY_MS = { least: 1000, most: 8000 };
/** If the server requires a longer wait than this, the error is thrown instead of retrying. */
const LONGEST_WAIT_SECONDS = 10;
const NO_ANSWER: Body = { code: 'NO_ANSWER', message: 'The server did not answer. Is the connection there?' };
const REFRESH = 'POST /auth/refresh';
/** Operations that need no session, or that end the session. */
const WITHOUT_SESSION =
  /^(POST \/auth\/(?!socket-token)|POST \/user\/passkeys\/(sign-in|second-factor)|DELETE \/session\/log-out\/current)/;

export type Call = ReturnType<typeof createCaller>;

/**
 * Calls operations of the main API from a page. The session is a cookie that scripts cannot read. An expired session is renewed once for
 * all waiting calls. If no response arrived or the server requested a short wait (429, 503), a request that is safe to repeat is sent
 * again. Throws `Refused`.
 */
export function createCaller({ url = '', onSignedOut = () => {}, onDate, send = fetch }: Options = {}) {
  let renewing: Promise<boolean> | undefined;

  const once = async (op: Op, input: Input<Op>, how: How) => {
    const request = requestOf(op, input as Parts, how);
    const answer = await send(url + request.path, request.init).catch((error: unknown) => {
      if (how.signal?.aborted) throw error;
      throw new Refused(0, NO_ANSWER);
    });
    onDate?.(answer.headers.get('date'));
    if (answer.ok) return bodyOf(answer);
    const body = (await answer.json().catch(() => undefined)) as Body | undefined;
    const told = body ?? { code: `HTTP_${answer.status}`, message: answer.statusText };
    throw new Refused(answer.status, told, retryAfterOf(answer));
  };

  const renew = () => {
    renewing ??= once(REFRESH, {}, {})
      .then(
        () => true,
        // Another tab has just renewed the session. This tab has the same cookies, so its session is renewed too.
        (error: unknown) => error instanceof Refused && error.code === 'REFRESH_CONFLICT',
      )
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };

  /** Adds its errors to `earlier`. */
  const repeated = async (op: Op, input: Input<Op>, how: How, earlier: Refused[]) => {
    const isSafe = op.startsWith('GET ') || (how.key !== undefined && IDEMPOTENT.has(op));
    for (let tries = 0; ; tries++)
      try {
        return await once(op, input, how);
      } catch (error) {
        if (error instanceof Refused) {
          error.earlier = [...earlier];
          earlier.push(error);
        }
        const afterSeconds = isSafe && tries < RETRIES ? waitAfter(error) : undefined;
        if (afterSeconds === undefined) throw error;
        const waitMs = backOffMs({ tries, leastMs: RETRY_MS.least, mostMs: RETRY_MS.most, afterSeconds });
        await pause(waitMs, how.signal);
      }
  };

  return async <O extends Op>(op: O, input: Input<O>, how: How = {}): Promise<Answer<O>> => {
    const earlier: Refused[] = [];
    try {
      return (await repeated(op, input as Input<Op>, how, earlier)) as Answer<O>;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401 || WITHOUT_SESSION.test(op)) throw error;
      if (await renew()) return (await repeated(op, input as Input<Op>, how, earlier)) as Answer<O>;
      onSignedOut();
      throw error;
    }
  };
}

/** Returns the shortest wait before a failed request may be sent again, or undefined if it must not be sent again. */
function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof Refused)) return undefined;
  const asked = error.retryAfterSeconds;
  if (error.status === 429) return asked !== undefined && asked <= LONGEST_WAIT_SECONDS ? asked : undefined;
  if (error.status !== 0 && error.status !== 503) return undefined;
  return (asked ?? 0) <= LONGEST_WAIT_SECONDS ? (asked ?? 0) : undefined;
}

/** Returns the Retry-After header in seconds. Errors from a proxy have only this header and no JSON body. */
function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** Waits. Throws the reason of `signal` if the caller aborts the wait. */
const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });

type Values = Record<string, unknown>;
type Parts = { path?: Values; query?: Values; body?: unknown; form?: Record<string, Blob> };

/** Returns the path, headers and body of a request. */
export function requestOf(op: Op, { path = {}, query = {}, body, form }: Parts, how: How = {}) {
  const [method, template] = op.split(' ') as [string, string];
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = searchOf(query);
  const headers: Record<string, string> = {};
  if (how.key !== undefined && IDEMPOTENT.has(op)) headers['idempotency-key'] = how.key;
  if (how.mfaCode !== undefined) headers['x-mfa-code'] = how.mfaCode;
  if (how.captcha !== undefined) headers['x-captcha-token'] = how.captcha;
  const init: RequestInit = { method, headers, credentials: 'include' };
  if (how.signal) init.signal = how.signal;
  if (form) init.body = formOf(form);
  else if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  return { path: address + (search && `?${search}`), init };
}

/** Returns the query string. Omits absent and empty values, and repeats the name for every value of a list. */
function searchOf(query: Values): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
  return search.toString();
}

function formOf(files: Record<string, Blob>): FormData {
  const form = new FormData();
  for (const [name, file] of Object.entries(files)) form.append(name, file);
  return form;
}

async function bodyOf(answer: Response): Promise<unknown> {
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return answer.json();
  return type.startsWith('image/') ? answer.blob() : undefined;
}
