import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Call, Reply } from './dialect.ts';

const PATIENCE_MS = 10_000;
const agents = { plain: new Agent({ keepAlive: true }), secure: new SecureAgent({ keepAlive: true }) };

type Options = {
  method?: string;
  /** True if the connection is closed once the request is sent, without reading the response. */
  hangsUp?: boolean;
};

/** Sends the call's body byte for byte, because the signature covers it. */
export function send(
  base: string,
  { path, body, headers }: Call,
  { method, hangsUp }: Options = {},
): Promise<Reply> {
  const url = new URL(base + path);
  const isSecure = url.protocol === 'https:';
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 ? { 'content-length': String(bytes.length) } : {};
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? secureRequest : request)(
      url,
      {
        method: method ?? (bytes.length > 0 ? 'POST' : 'GET'),
        headers: { ...headers, ...length },
        agent: hangsUp ? false : isSecure ? agents.secure : agents.plain,
        timeout: PATIENCE_MS,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
        answer.on('error', reject);
      },
    );
    sent.on('timeout', () =>
      sent.destroy(new Error(`${url.pathname} did not respond within ${PATIENCE_MS} ms`)),
    );
    sent.on('error', hangsUp ? () => resolve({ status: 0, body: '' }) : reject);
    // The callback runs after this process has sent the data.
    if (hangsUp) sent.end(bytes, () => setTimeout(() => sent.destroy(), 1));
    else sent.end(bytes);
  });
}
