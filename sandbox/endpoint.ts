import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type SandboxRequest = {
  /** Path and query as received. */
  url: string;
  headers: IncomingMessage['headers'];
  query: URLSearchParams;
  /** Values of the `{name}` segments in the endpoint's path. */
  params: Readonly<Record<string, string>>;
  body: string;
};

/**
 * A response, or `drop`, which ends the connection without a response, as if the service were down. A response that cannot be expressed in
 * this form is written by a function.
 */
export type SandboxAnswer =
  | { status: number; type: string; body: string; headers?: Readonly<Record<string, string>> }
  | 'drop'
  | ((response: ServerResponse) => void);

/** One operation of a simulated service. A segment of `path` may be `{name}`. `example` is the body of a request that succeeds. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  about: string;
  example?: string;
  handle: (request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer>;
};

/** All requests below a path. A library handles them with its own HTTP handler. */
export type Mount = {
  path: string;
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
};

/** `settings` are the environment variables that point the platform to this service. */
export type SandboxService = {
  name: string;
  about: string;
  settings: Readonly<Record<string, string>>;
  endpoints: readonly Endpoint[];
  mount?: Mount;
  /** Stops background work. */
  close?: () => void;
};

const answerOf = (type: string) => (status: number, body: string) => ({
  status,
  type: `${type}; charset=utf-8`,
  body,
});

export const text = answerOf('text/plain');
export const html = answerOf('text/html');
export const json = (status: number, body: unknown) =>
  answerOf('application/json')(status, JSON.stringify(body));

/** Returns a redirect that the client follows with GET. */
export const seeOther = (location: string) => ({ ...text(303, ''), headers: { location } });

/** Reads a setting that the platform also reads. */
export const setting = (name: string, fallback: string): string => process.env[name] || fallback;

/** Returns the first secret of a list. Two secrets are valid during a rotation. */
export const secretOf = (name: string, fallback: string): string =>
  setting(name, fallback).split(',')[0]!.trim();

/** Returns the x-signature header of the platform's own protocol. */
export function signatureOf(body: string, secret: string, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

/** Returns the handler that sets how a service misbehaves. The body is `{ mode }`. */
export function behaviour<M extends string>(
  modes: readonly M[],
  set: (mode: M) => void,
): (request: SandboxRequest) => SandboxAnswer {
  return ({ body }) => {
    const mode = modes.find((m) => m === parseObject(body)?.mode);
    if (!mode) return json(400, { error: `mode must be one of ${modes.join(', ')}` });
    set(mode);
    return json(200, { mode });
  };
}

/** A delay that is longer than the platform's timeout. */
const SLOW_MS = 5000;

/**
 * Modes in which a service misbehaves. Requests to `endpoint` switch the mode. A handler wrapped in `behaving` drops the connection (down),
 * responds after five seconds (slow), or responds with a page instead of data (garbage).
 */
export function createModes(
  path: string,
  modes: readonly ('ok' | 'down' | 'slow' | 'garbage')[],
  about: string,
) {
  let mode = modes[0];
  const endpoint: Endpoint = {
    method: 'POST',
    path,
    about,
    example: '{ "mode": "down" }',
    handle: behaviour(modes, (next) => {
      mode = next;
    }),
  };
  const behaving =
    (handle: Endpoint['handle']): Endpoint['handle'] =>
    async (request) => {
      if (mode === 'down') return 'drop';
      if (mode === 'garbage') return html(200, '<html>Just a moment…');
      if (mode === 'slow') await sleep(SLOW_MS, undefined, { ref: false });
      return handle(request);
    };
  return { endpoint, behaving };
}

/** Returns the object in a JSON text, or undefined. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
