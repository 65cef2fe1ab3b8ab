import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ErrorFactory } from '../platform/errors.ts';
import {
  type Access,
  type ApiClient,
  type Caller,
  isAccess,
  type SessionUser,
  type StaffCall,
  staffRight,
} from './access.ts';

/**
 * What a state-changing route means to the gate that protects players: `none` when no money moves and no play
 * starts, `launch` when play starts without money. Every route that is not a GET says it, so that nobody can forget the gate.
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
 * Class of the rate limit. Absent: `money` with a gate action, `upload` with `multipart`, `apikey` for API keys, else
 * `read` for sessions and `public` for others.
 */
export type LimitClass = 'auth' | 'money' | 'read' | 'public' | 'upload' | 'apikey';

/** Outside `local` the name gets the prefix `__Host-`, and the path is `/`. */
export type Cookie = { name: string; value: string; expiresAt?: Date; path?: string };

/** A signed message: its bytes, not parsed, and the headers that prove them. */
export type Notice = { raw: Buffer; headers: IncomingHttpHeaders };

/** The file field of a multipart body, read whole and within UPLOAD_LIMIT_BYTES. */
export type Upload = { bytes: Buffer };

export type Context<B, Q, P, H, U, By = StaffCall | undefined> = {
  user: U;
  /** The same user with what identifies their request; undefined where nobody is signed in. */
  caller: undefined extends U ? Caller | undefined : Caller;
  /** The call itself, on routes for staff. */
  by: By;
  /** Whose API key came with the request, on routes with access `apikey`. */
  client: ApiClient | undefined;
  /** The image of a multipart body, on routes with `multipart`. */
  file: Upload | undefined;
  body: B;
  query: Q;
  params: P;
  headers: H;
  /** Address of the client; a proxy is believed only when TRUSTED_PROXIES names it. */
  ip: string;
  userAgent: string | undefined;
  requestId: string;
  /** The platform's own cookies, by their plain names: outside `local` they are sent as `__Host-…`. */
  cookies: Readonly<Record<string, string | undefined>>;
  /** The request as it came, on routes with access `signature` (its service checks it before anything reads it) or `isRaw`. */
  notice: Notice | undefined;
  /** From the header Idempotency-Key, on routes with `idempotent`. */
  idempotencyKey: string | undefined;
  /** Whether Origin or Referer is a page of ours: needed before a cookie is believed on a state-changing route. */
  isOwnSite(): boolean;
  setCookie(cookie: Cookie): void;
  /** For operations with a second declared status (health): the next answer carries it. */
  setStatus(status: number): void;
  /**
   * Sends a browser on: 302 with Location for a navigation (it accepts text/html). A program gets the declared answer, with the
   * same address in Location.
   */
  redirect(url: string): void;
};

type Out<S, Fallback> = S extends z.ZodType ? z.output<S> : Fallback;

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces, as in the OpenAPI document: /bets/{betId}. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  gate?: GateAction;
  limit?: LimitClass;
  /**
   * Goes through a lane of bets, which has a queue of its own: never counted among the calls that its user may have under way. Every
   * route with the gate action `bet` does.
   */
  onLane?: boolean;
  /**
   * Whose x-api-key a route with access `apikey` takes, where that is not a partner's: throws 401 API_KEY_INVALID. Refusals alone
   * count against a rate limit.
   */
  keyCheck?: (key: string | undefined) => Promise<unknown>;
  /** The handler reads the bytes of the body itself (`notice`), as with access `signature`; `body` is for the document. */
  isRaw?: true;
  /** Needs a solved captcha in header x-captcha-token. */
  captcha?: boolean;
  /**
   * Staff proves the second factor anew, by the header x-mfa-code or within STEP_UP_SECONDS before: `true` for every call, checked
   * after rights and before the body; `conditional` where the service decides, by `StaffCall.mfaCode`.
   */
  stepUp?: true | 'conditional';
  /** Accepts the header Idempotency-Key; the handler's service must honour it. */
  idempotent?: boolean;
  /** Of an anonymous route: whoever sends a live session is known (`user`); with another token, or none, nobody is. */
  readsSession?: true;
  /** A GET that changes something by contract: refused (403) when another site's page has sent it. */
  hasSideEffect?: boolean;
  /** Name of the optional file field of a multipart/form-data body. With `body` the route takes JSON as well. */
  multipart?: string;
  /** The body is a form (application/x-www-form-urlencoded) in place of JSON; on routes with access `signature` only, which read their bytes themselves. */
  form?: true;
  body?: z.ZodType;
  query?: z.ZodObject;
  params?: z.ZodObject;
  headers?: z.ZodObject;
  /** Of success. */
  status: number;
  response?: z.ZodType;
  /** Refusals beside the common ones, for the document. */
  errors?: readonly ErrorFactory[];
  /** Where browsers (Accept: text/html) are sent when the call is refused, instead of the error body. */
  refusedAt?: (code: string) => string;
  /** Further statuses: 302 of a redirect, else ones that answer the success body (health: 503). */
  otherStatuses?: readonly number[];
  /** What those statuses mean, for the document. */
  otherwise?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the one place where handlers of all types meet
  handler: (context: Context<any, any, any, any, any, any>) => unknown;
};

/** An answer is read, never changed: a list may be one that is kept. */
type Unchanged<T> = T extends (infer Item)[] ? readonly Item[] : T;

type TypedRoute<A extends Access, B, Q, P, H, R> = Omit<
  Route,
  'access' | 'handler' | 'body' | 'query' | 'params' | 'headers' | 'response' | 'status'
> & {
  access: A;
  /** Of success; absent: 201 for POST, else 200. */
  status?: number;
  body?: B;
  query?: Q;
  params?: P;
  headers?: H;
  response?: R;
  handler: (
    context: Context<
      Out<B, undefined>,
      Out<Q, Record<string, never>>,
      Out<P, Record<string, never>>,
      Out<H, Record<string, never>>,
      A extends 'anonymous' | 'apikey' | 'signature' ? SessionUser | undefined : SessionUser,
      A extends 'superadmin' | { permission: string } ? StaffCall : undefined
    >,
  ) => R extends z.ZodType ? Unchanged<z.input<R>> | Promise<Unchanged<z.input<R>>> : void | Promise<void>;
};

/** Types its argument and fills in the status of success: a route is data. */
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

/** Whether the handler gets the bytes that came instead of what they say. */
export const takesBytes = ({ access, isRaw }: Route): boolean => access === 'signature' || isRaw === true;

/** The same routes `without` the beginning of their paths and under another tag: how the backoffice serves what is for staff. */
export const remount = (
  routes: readonly Route[],
  { without, tag }: { without: string; tag: string },
): Route[] => routes.map((r) => ({ ...r, path: r.path.replace(without, ''), tag }));

/**
 * Throws when a route says too little to be safe: no access label, a state-changing route without a gate
 * action, a money route (gate other than none) without Idempotency-Key, a second factor asked of somebody who is not staff, or
 * two routes on one address.
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
    if (r.stepUp && staffRight(r.access) === undefined)
      throw new Error(`${name} asks for a step-up without being a route for staff`);
    if (r.form && r.access !== 'signature')
      throw new Error(
        `${name} takes a form without access 'signature': only signed bodies are read by their services`,
      );
    if (!r.tag || !r.summary) throw new Error(`${name} lacks a tag or summary`);
  }
}
