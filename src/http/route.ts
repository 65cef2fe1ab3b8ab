import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ErrorFactory } from '../platform/errors.ts';
import {
  type Access,
  type ApiClient,
  type Caller,
  type CreatesValue,
  isAccess,
  type SessionUser,
  type StaffCall,
  staffRight,
} from './access.ts';

/**
 * The action that the player protection gate checks. `none`: no money moves and no play starts. `launch`: play starts, but no money moves
 * yet. Every route except GET must declare it, so that the gate cannot be forgotten.
 */
export type GateAction =
  | 'none'
  | 'bet'
  | 'launch'
  | 'deposit'
  | 'withdraw'
  | 'vault'
  | 'transfer'
  | 'bonus'
  | 'claim'
  | 'staff'
  | 'finish';

/**
 * The rate limit class. Default: `money` with a gate action, `upload` with `multipart`, `apikey` for API keys. Otherwise it is `read` for
 * routes that require a session and `public` for all others.
 */
export type LimitClass = 'auth' | 'money' | 'read' | 'public' | 'file' | 'upload' | 'apikey';

// biome-ignore lint/suspicious/noExplicitAny: each route has its own body type
type StepUpRule = true | 'conditional' | { when: (body: any) => boolean };

/**
 * How long clients may cache the response of an anonymous GET. The response also gets an ETag. `public`: it is the same for every caller.
 * `private`: it depends on the caller's country, so shared caches must not store it.
 */
type Cache = { scope: 'public' | 'private'; seconds: number };

/** Outside `local` the name gets the prefix `__Host-`, and the path is `/`. */
export type Cookie = { name: string; value: string; expiresAt?: Date; path?: string };

/** The unparsed bytes of a signed message, and the headers that contain the signature. */
export type Notice = { raw: Buffer; headers: IncomingHttpHeaders };

/** The file field of a multipart body, read completely and at most UPLOAD_LIMIT_BYTES long. */
export type Upload = { bytes: Buffer };

export type Context<B, Q, P, H, U, By = StaffCall | undefined> = {
  user: U;
  /** The same user together with the details of the request. Undefined if no one is signed in. */
  caller: undefined extends U ? Caller | undefined : Caller;
  /** The staff call, on staff routes. */
  by: By;
  /** The owner of the API key, on routes with access `apikey`. */
  client: ApiClient | undefined;
  /** The image of a multipart body, on routes with `multipart`. */
  file: Upload | undefined;
  body: B;
  query: Q;
  params: P;
  headers: H;
  /** The client's address. A proxy is trusted only if it is listed in TRUSTED_PROXIES. */
  ip: string;
  userAgent: string | undefined;
  requestId: string;
  /** The platform's cookies, keyed by their names without the prefix. Outside `local` they are sent as `__Host-…`. */
  cookies: Readonly<Record<string, string | undefined>>;
  /** The raw request, on routes with access `signature` or `isRaw`. The service verifies the request before its body is parsed. */
  notice: Notice | undefined;
  /** The header Idempotency-Key, on routes with `idempotent`. */
  idempotencyKey: string | undefined;
  /** Returns true if Origin or Referer is one of our pages. Required before a cookie is trusted on a state-changing route. */
  isOwnSite(): boolean;
  setCookie(cookie: Cookie): void;
  /** Sets the status of this response, for operations that declare a second status (such as health). */
  setStatus(status: number): void;
  /**
   * Counts a rejection towards the client address's limit. For 401 and 403 this happens automatically, so call it only when a rejection
   * returns another status. Throws 429 RATE_LIMITED once the limit is exceeded.
   */
  countRefusal(): void;
  /**
   * Redirects the client. A browser navigation (a request that accepts text/html) gets 302 with Location. Other clients get the declared
   * response, also with Location. A route that declares status 303 always returns 303.
   */
  redirect(url: string): void;
};

type Out<S, Fallback> = S extends z.ZodType ? z.output<S> : Fallback;

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with parameters in braces, as in the OpenAPI document: /bets/{betId}. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** Deprecated in the OpenAPI document, but still works. */
  deprecated?: true;
  access: Access;
  gate?: GateAction;
  limit?: LimitClass;
  /**
   * The call runs in a bet lane, which has its own queue, so it does not count towards the user's limit on concurrent calls. Every route
   * with the gate action `bet` sets this.
   */
  onLane?: boolean;
  /**
   * Verifies the header x-api-key of a route with access `apikey`, instead of the check for partners' keys. Throws 401 API_KEY_INVALID.
   * Only rejected requests count against a rate limit.
   */
  keyCheck?: (key: string | undefined) => Promise<unknown>;
  /** The handler reads the raw body itself (`notice`), as with access `signature`. `body` is used only for the API reference. */
  isRaw?: true;
  /** Requires the token of a solved CAPTCHA in the header x-captcha-token. */
  captcha?: boolean;
  /**
   * Staff must confirm the second factor again, with the header x-mfa-code or within the last STEP_UP_SECONDS. `true`: for every call,
   * checked after permissions and before the body is read. `when`: only for bodies for which it returns true, checked before the handler.
   * `conditional`: the service decides, using `StaffCall.mfaCode`.
   */
  stepUp?: StepUpRule;
  /** How a staff operation creates or moves player funds. Every staff operation with a money gate must declare this. */
  createsValue?: CreatesValue;
  /** Accepts the header Idempotency-Key. The handler's service must honour it. */
  idempotent?: boolean;
  /** Anonymous route that sets `user` when a valid session token is sent and ignores any other token. */
  readsSession?: true;
  /** A player's list or history: a GET that only reads, so that a replica may serve it. */
  isHistory?: true;
  cache?: Cache;
  /** A GET that changes data because the API contract requires it. A request from a page of another site is rejected with 403. */
  hasSideEffect?: boolean;
  /** Name of the optional file field of a multipart/form-data body. With `body`, the route accepts JSON as well. */
  multipart?: string;
  /** The body is a form (application/x-www-form-urlencoded) instead of JSON. Only for routes whose handlers read the raw bytes. */
  form?: true;
  body?: z.ZodType;
  query?: z.ZodObject;
  params?: z.ZodObject;
  headers?: z.ZodObject;
  /** The status on success. */
  status: number;
  response?: z.ZodType;
  /** Errors in addition to the common ones, for the API reference. */
  errors?: readonly ErrorFactory[];
  /** Returns the page to which browsers (Accept: text/html) are redirected instead of getting the error body. */
  refusedAt?: (code: string) => string;
  /** Additional statuses: 302 for a redirect, or other statuses with the body of a successful response (health: 503). */
  otherStatuses?: readonly number[];
  /** The meaning of `otherStatuses`, for the API reference. */
  otherwise?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the one place where handlers of all types meet
  handler: (context: Context<any, any, any, any, any, any>) => unknown;
};

/** Makes arrays read-only, because a returned list may be cached. */
type Unchanged<T> = T extends (infer Item)[] ? readonly Item[] : T;

/** The type of a handler's argument, derived from the access and the schemas of its route. */
export type ContextOf<A extends Access, B, Q, P, H> = Context<
  Out<B, undefined>,
  Out<Q, Record<string, never>>,
  Out<P, Record<string, never>>,
  Out<H, Record<string, never>>,
  A extends 'anonymous' | 'apikey' | 'signature' ? SessionUser | undefined : SessionUser,
  A extends 'staff' | 'superadmin' | { permission: string } | { anyOf: readonly string[] }
    ? StaffCall
    : undefined
>;

/** The type of a handler's return value, derived from the response schema of its route. */
export type ResponseOf<R> = R extends z.ZodType
  ? Unchanged<z.input<R>> | Promise<Unchanged<z.input<R>>>
  : void | Promise<void>;

export type TypedRoute<A extends Access, B, Q, P, H, R> = Omit<
  Route,
  'access' | 'handler' | 'body' | 'query' | 'params' | 'headers' | 'response' | 'status'
> & {
  access: A;
  /** The status on success. Default: 201 for POST, otherwise 200. */
  status?: number;
  body?: B;
  query?: Q;
  params?: P;
  headers?: H;
  response?: R;
  handler: (context: ContextOf<A, B, Q, P, H>) => ResponseOf<R>;
};

/** Checks the types of a route and adds the default status. */
export function route<
  const A extends Access,
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
>(definition: TypedRoute<A, B, Q, P, H, R>): Route {
  return { status: definition.method === 'POST' ? 201 : 200, ...definition } as unknown as Route;
}

/** Returns true if the handler receives the raw bytes of the body instead of the parsed value. */
export const takesBytes = ({ access, isRaw }: Route): boolean => access === 'signature' || isRaw === true;

/**
 * Returns the routes with the prefix `without` removed from their paths and with a different tag. The backoffice uses this to serve staff
 * routes.
 */
export const remount = (
  routes: readonly Route[],
  { without, tag }: { without: string; tag: string },
): Route[] => routes.map((r) => ({ ...r, path: r.path.replace(without, ''), tag }));

/**
 * Throws if the routes contain one of these mistakes:
 * - a route without an access declaration
 * - a state-changing route without a gate action
 * - a money route (gate other than none) without Idempotency-Key
 * - a required second factor on a route that is not for staff
 * - a choice of permissions (`anyOf`) on a route that changes something
 * - a staff operation that moves money without `createsValue`
 * - two routes with the same method and path
 */
export function assertRoutes(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const r of routes) {
    const name = `${r.method} ${r.path}`;
    const shape = name.replace(/\{[^}]+\}/g, '{}');
    if (seen.has(shape)) throw new Error(`${name} is declared twice`);
    seen.add(shape);
    if (!isAccess(r.access)) throw new Error(`${name} declares no access: say who may call it`);
    if (r.method !== 'GET' && r.gate === undefined)
      throw new Error(`${name} declares no gate: say which action it is, or 'none'`);
    const movesMoney = r.gate !== undefined && r.gate !== 'none' && r.gate !== 'launch';
    if (movesMoney && r.method === 'POST' && !r.idempotent)
      throw new Error(`${name} moves money without idempotent: true`);
    if (r.isHistory && (r.method !== 'GET' || r.hasSideEffect || staffRight(r.access) !== undefined))
      throw new Error(`${name} sets isHistory but is not a read-only GET for players`);
    if (r.cache && (r.method !== 'GET' || r.access !== 'anonymous' || r.readsSession || r.hasSideEffect))
      throw new Error(`${name} sets cache but is not an anonymous, read-only GET that ignores sessions`);
    if (r.stepUp && staffRight(r.access) === undefined)
      throw new Error(`${name} requires a step-up but is not a staff route`);
    if (typeof r.access === 'object' && 'anyOf' in r.access && (r.method !== 'GET' || r.hasSideEffect))
      throw new Error(`${name} changes data with anyOf: name the one permission that it needs`);
    assertValueDeclared(r, name);
    if (r.form && !takesBytes(r))
      throw new Error(
        `${name} accepts a form but has neither isRaw nor access 'signature': the HTTP kit does not parse forms`,
      );
    if (!r.tag || !r.summary) throw new Error(`${name} lacks a tag or summary`);
  }
}

/** Returns true if the permission allows payments. Only superadmins may grant such a permission. */
const isRightToPay = (right: string): boolean =>
  right === 'superadmin' || /[.](approve|pay|rollback)$/.test(right);

function assertValueDeclared(r: Route, name: string): void {
  const right = staffRight(r.access);
  const { createsValue } = r;
  if (right === undefined) {
    if (createsValue) throw new Error(`${name} declares createsValue but is not a staff route`);
    return;
  }
  const movesMoney = r.gate !== undefined && r.gate !== 'none' && r.gate !== 'launch';
  const isToPay = /[.]pay$/.test(right) && r.method !== 'GET';
  if (!createsValue) {
    if (movesMoney || isToPay) throw new Error(`${name} moves player funds without createsValue`);
    return;
  }
  if (createsValue === 'returns') return;
  if (!r.stepUp) throw new Error(`${name} creates value without stepUp`);
  if (createsValue === 'pays' && !isRightToPay(right))
    throw new Error(`${name} pays with the permission ${right}, which must end in .pay`);
}
