import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, type SandboxAnswer, text } from './endpoint.ts';
import type { Behaviour, Mode } from './payments-behaviour.ts';

const HUGE_BYTES = 100 * 1024 * 1024;
const LATE_MS = 24 * 3600_000;

/** Answers as a mode says. `work` does what was asked for and answers well; `refuse` is the dialect's refusal. */
export async function answerAs(
  mode: Mode,
  parts: { work: () => SandboxAnswer; refuse: () => SandboxAnswer; behaviour: Behaviour },
): Promise<SandboxAnswer> {
  const { work, refuse, behaviour } = parts;
  if (mode === 'refuse') return refuse();
  if (mode === 'timeout-before') return never;
  if (mode === 'error-before') return text(500, 'Internal Server Error');
  if (mode === 'redirect')
    return { status: 307, type: 'text/plain', body: '', headers: { location: behaviour.redirectTo } };
  const good = work();
  if (mode === 'slow') await sleep(behaviour.slowMs, undefined, { ref: false });
  if (mode === 'timeout-after') return never;
  if (mode === 'error-after') return text(500, 'Internal Server Error');
  if (mode === 'reset') return (response) => void response.socket?.resetAndDestroy();
  if (mode === 'garbage') return { status: 200, type: 'text/html', body: '<html>Just a moment…' };
  if (mode === 'wrong-types') return json(200, wrong(good));
  if (mode === 'huge') return huge;
  if (mode === 'drip') return drip;
  if (mode === 'headers') return manyHeaders;
  return good;
}

/** Nothing is said, until whoever asks has enough of it. */
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

/** The same answer, but texts are numbers, numbers are texts and objects are lists. */
function wrong(answer: SandboxAnswer): unknown {
  const swap = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length;
    if (typeof value === 'object' && value !== null) return Object.values(value).map(swap);
    return `${value}`;
  };
  const good: unknown = typeof answer === 'object' ? JSON.parse(answer.body) : null;
  return Object.fromEntries(Object.entries({ ...(good as object) }).map(([k, v]) => [k, swap(v)]));
}
