import type { IncomingMessage } from 'node:http';

export type SandboxRequest = { headers: IncomingMessage['headers']; query: URLSearchParams; body: string };

/** An answer, or `drop`: the connection ends without one, as when the other side is down. */
export type SandboxAnswer = { status: number; type: string; body: string } | 'drop';

/**
 * One operation of a service that the sandbox stands in for. `example` is the body of a request that works.
 */
export type Endpoint = {
  method: 'GET' | 'POST';
  path: string;
  about: string;
  example?: string;
  handle: (request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer>;
};
export type SandboxService = { name: string; about: string; endpoints: readonly Endpoint[] };

export const json = (status: number, body: unknown): SandboxAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});
