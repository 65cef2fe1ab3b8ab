import { Agent, request } from 'node:http';

export type Reply = { status: number; body: any; headers: Record<string, unknown> };
export type CallOptions = {
  agent?: Agent;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

export const keepAlive = () => new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/**
 * Sends one HTTP request. Rejects with the connection error. It is minimal, because the load runs on the same machine as the service under
 * test.
 */
export function call(method: string, url: string, options: CallOptions = {}): Promise<Reply> {
  const { agent, token, body, headers = {}, timeoutMs = 15_000 } = options;
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (token) headers.authorization = `Bearer ${token}`;
  if (text !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(Buffer.byteLength(text));
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(agent && { agent }), timeout: timeoutMs }, (answer) => {
      let received = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        received += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const isJson = answer.headers['content-type']?.includes('json');
        resolve({
          status: answer.statusCode!,
          body: isJson && received ? JSON.parse(received) : undefined,
          headers: answer.headers,
        });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end(text);
  });
}
