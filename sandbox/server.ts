import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { captcha } from './captcha.ts';
import type { SandboxAnswer, SandboxService } from './endpoint.ts';
import { indexPage } from './index-page.ts';

export type Sandbox = { port: number; close(): Promise<void> };

const BODY_LIMIT = 1024 * 1024;

/** Starts the outside world on one port; 0 takes a free one. */
export async function startSandbox(options: { port: number; host: string }): Promise<Sandbox> {
  const services = [captcha({ secret: process.env.CAPTCHA_SECRET || 'sandbox-captcha-secret' })];
  const page = indexPage(services);
  const server = createServer((request, response) => {
    answer(request, services, page)
      .catch((error: unknown) => text(500, error instanceof Error ? error.message : String(error)))
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const text = (status: number, body: string): SandboxAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});

async function answer(request: IncomingMessage, services: readonly SandboxService[], page: string) {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  if (url.pathname === '/' && request.method === 'GET') {
    return { status: 200, type: 'text/html; charset=utf-8', body: page };
  }
  const here = services.flatMap((service) => service.endpoints).filter((e) => e.path === url.pathname);
  const endpoint = here.find((e) => e.method === request.method);
  if (!endpoint) return here.length > 0 ? text(405, 'method not allowed') : text(404, 'not found; see /');
  const body = await readBody(request);
  if (body === undefined) return text(413, 'too large');
  return endpoint.handle({ headers: request.headers, query: url.searchParams, body });
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, result: SandboxAnswer): void {
  if (result === 'drop') {
    response.destroy();
    return;
  }
  response.writeHead(result.status, { 'content-type': result.type, 'cache-control': 'no-store' });
  response.end(result.body);
}
