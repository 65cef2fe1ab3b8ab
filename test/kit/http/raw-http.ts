import { connect } from 'node:net';
import { seeAnswer } from './canaries.ts';

export type RawAnswer = { status: number; headers: Headers; text: string; body: any };
type Options = { headers?: Record<string, string>; body?: string | Buffer; from?: string };

/** Sends one request byte for byte. Allows requests that fetch would not send. */
export function rawRequest(
  url: string,
  method: string,
  path: string,
  { headers, body, from }: Options = {},
): Promise<RawAnswer> {
  const bytes = Buffer.from(body ?? '');
  const length = bytes.length > 0 ? { 'content-length': String(bytes.length) } : {};
  const lines = Object.entries({ host: new URL(url).host, connection: 'close', ...length, ...headers });
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''];
  return rawBytes(url, [Buffer.from(head.join('\r\n'), 'latin1'), bytes], from);
}

/** Sends bytes and reads until the server closes the connection. The response must be complete. */
export function rawBytes(
  url: string,
  chunks: readonly (string | Buffer)[],
  from?: string,
): Promise<RawAnswer> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, ...(from ? { localAddress: from } : {}) });
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    // A server that rejects a large body resets the connection after its response.
    socket.on('error', (error) => received.length === 0 && reject(error));
    socket.on('close', () => {
      try {
        const answer = parse(Buffer.concat(received));
        seeAnswer(String(chunks[0]).split(' HTTP/')[0]!.slice(0, 100), answer.text, answer.headers);
        resolve(answer);
      } catch (error) {
        reject(error as Error);
      }
    });
    for (const chunk of chunks) if (chunk.length > 0) socket.write(chunk);
  });
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`);
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const text = bytes.subarray(end + 4).toString();
  const isJson = headers.get('content-type')?.includes('json') === true && text !== '';
  return { status: Number(first.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined };
}
