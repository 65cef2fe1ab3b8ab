import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, type SandboxAnswer, text } from './endpoint.ts';

type Answer = SandboxAnswer | Promise<SandboxAnswer>;
/** `work` carries out the request and returns its response. `refuse` returns the rejection in the dialect's format. */
type Request = {
  work: () => SandboxAnswer;
  refuse: () => SandboxAnswer;
  slowMs: number;
  redirectTo: string;
};

const HUGE_BYTES = 100 * 1024 * 1024;
const LATE_MS = 24 * 3600_000;

/**
 * Outcomes of a request to the provider. In the modes `refuse` and `redirect`, and in modes ending in `-before`, the request is not carried
 * out. In the other modes it is.
 */
const FAULTS: Readonly<Record<string, (request: Request) => Answer>> = {
  ok: ({ work }) => work(),
  async slow({ work, slowMs }) {
    const good = work();
    await sleep(slowMs, undefined, { ref: false });
    return good;
  },
  refuse: ({ refuse }) => refuse(),
  'timeout-before': () => never,
  'timeout-after': ({ work }) => after(work, never),
  'error-before': () => text(500, 'Internal Server Error'),
  'error-after': ({ work }) => after(work, text(500, 'Internal Server Error')),
  reset: ({ work }) => after(work, (response) => void response.socket?.resetAndDestroy()),
  garbage: ({ work }) => after(work, { status: 200, type: 'text/html', body: '<html>Just a moment…' }),
  'wrong-types': ({ work }) => json(200, wrong(work())),
  huge: ({ work }) => after(work, huge),
  drip: ({ work }) => after(work, drip),
  redirect: ({ redirectTo: location }) => ({
    status: 307,
    type: 'text/plain',
    body: '',
    headers: { location },
  }),
  headers: ({ work }) => after(work, manyHeaders),
};

export const MODES = Object.keys(FAULTS);

/** Responds to a request in the given mode. */
export const answerAs = (mode: string, request: Request): Answer => FAULTS[mode]!(request);

function after(work: () => SandboxAnswer, answer: SandboxAnswer): SandboxAnswer {
  work();
  return answer;
}

/** Sends no response, so that the caller times out. */
const never = (response: ServerResponse): void => response.setTimeout(LATE_MS) && undefined;

function huge(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, ' ');
  let left = HUGE_BYTES;
  response.writeHead(200, { 'content-type': 'application/json' });
  const fill = () => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) return void response.once('drain', fill);
    }
    response.end('{}');
  };
  fill();
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 1000).unref();
  response.on('close', () => clearInterval(timer));
  response.write('{');
}

function manyHeaders(response: ServerResponse): void {
  for (let i = 0; i < 10_000; i++) response.setHeader(`x-header-${i}`, 'of no use');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{}');
}

/** Returns the same response with wrong types: numbers instead of strings, strings instead of numbers, and lists instead of objects. */
function wrong(answer: SandboxAnswer): unknown {
  const swap = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length;
    if (typeof value === 'object' && value !== null) return Object.values(value).map(swap);
    return `${value}`;
  };
  const good: unknown = typeof answer === 'object' ? JSON.parse(answer.body) : null;
  return Object.fromEntries(Object.entries({ ...(good as object) }).map(([k, v]) => [k, swap(v)]));
}
