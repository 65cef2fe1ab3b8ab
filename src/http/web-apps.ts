import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../platform/address.ts';
import { commonErrors } from '../platform/errors.ts';
import { countRequest, type RateLimiter } from './rate-limit.ts';

/** An application of one page, built into a folder (scripts/web.ts): `base` is where it is served, without a slash at its end. */
export type WebApp = {
  name: string;
  base: string;
  folder: string;
  about: string;
  /** Browsers that open the service are led to it. */
  isFront?: boolean;
  /** Games of suppliers are opened in a frame of it. */
  framesGames?: boolean;
};

/** What the pages may load and ask beside their own origin. */
export type WebOrigins = {
  files: string;
  realtime: string;
  captchaScript: string | undefined;
  /** Where games of suppliers are opened. */
  games: readonly string[];
};

type File = { type: string; plain: Buffer; gzip?: Buffer | undefined; brotli?: Buffer | undefined };

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  png: 'image/png',
};

/** Applications that were built; of others nothing is known. */
export const builtApps = (apps: readonly WebApp[]): WebApp[] =>
  apps.filter(({ folder }) => existsSync(join(folder, 'index.html')));

/**
 * Serves applications of one page. What lies in `assets` has a hash in its name and may be kept for ever; every other address below the
 * base is the page itself, which looks at the address. Files are in memory, read again when the page was built anew.
 */
export function registerWebApps(
  app: FastifyInstance,
  { apps, origins }: { apps: readonly WebApp[]; origins: WebOrigins },
  limiter: RateLimiter,
): void {
  const admit = (request: FastifyRequest) => countRequest(limiter, 'public', addressOf(request.ip));
  for (const { base, folder, framesGames = false } of builtApps(apps)) {
    const built = readerOf(folder, framesGames ? origins : { ...origins, games: [] });
    app.get(`${base}/assets/:name`, async (request, reply) => {
      admit(request);
      const file = built().assets.get((request.params as { name: string }).name);
      if (!file) throw commonErrors.NOT_FOUND();
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return sendFile(request, reply, file);
    });
    const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
      admit(request);
      const { html, policy, etag } = built();
      reply
        .header('content-security-policy', policy)
        .header('etag', etag)
        .header('cache-control', 'no-cache');
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('text/html; charset=utf-8').send(html);
    };
    app.get(base, async (request, reply) => {
      admit(request);
      return reply.redirect(`${base}/`, 302);
    });
    app.get(`${base}/`, sendPage);
    app.get(`${base}/*`, sendPage);
  }
}

/** The files of an application as they were last built; while they are being built, as they were before. */
function readerOf(folder: string, origins: WebOrigins) {
  const index = join(folder, 'index.html');
  const read = () => ({ assets: readAssets(join(folder, 'assets')), ...pageOf(index, origins) });
  const builtAt = () => statSync(index, { throwIfNoEntry: false })?.mtimeMs;
  let at = builtAt();
  let files = read();
  return () => {
    const now = builtAt();
    if (now !== undefined && now !== at) {
      files = read();
      at = now;
    }
    return files;
  };
}

/** The smallest form that the browser reads. */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: File) {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  reply.header('vary', 'Accept-Encoding').header('cross-origin-resource-policy', 'same-origin');
  reply.type(file.type);
  if (file.brotli && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (file.gzip && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}

function readAssets(folder: string): Map<string, File> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const bytesOf = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : undefined);
  const files = names.flatMap((name) => {
    const type = TYPES[name.split('.').at(-1)!];
    if (!type) return [];
    const packed = { gzip: bytesOf(`${name}.gz`), brotli: bytesOf(`${name}.br`) };
    return [[name, { type, plain: bytesOf(name)!, ...packed }] as const];
  });
  return new Map(files);
}

/** The page with what it has to know of this place, and the policy that holds it to that. */
function pageOf(file: string, { files, realtime, captchaScript, games }: WebOrigins) {
  const settings = JSON.stringify({ realtime, hasCaptcha: captchaScript !== undefined }).replaceAll(
    '<',
    '\\u003c',
  );
  const script = captchaScript ? `<script src="${captchaScript}" async defer></script>` : '';
  const html = readFileSync(file, 'utf8').replace(
    '<!-- settings -->',
    () => `<script type="application/json" id="settings">${settings}</script>${script}`,
  );
  const captcha = captchaScript ? ` ${new URL(captchaScript).origin}` : '';
  const frames = new Set([...(captcha ? [captcha.trim()] : []), ...games]);
  const socket = realtime.replace(/^http/, 'ws');
  const directives = [
    "default-src 'none'",
    `script-src 'self'${captcha}`,
    "style-src 'self'",
    `img-src ${[...new Set(["'self'", 'data:', 'blob:', new URL(files).origin, ...games])].join(' ')}`,
    "font-src 'self'",
    `connect-src 'self' ${realtime} ${socket}${captcha}`,
    `frame-src ${[...frames].join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...(captcha ? [] : ["require-trusted-types-for 'script'"]),
  ];
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return { html, policy: directives.join('; '), etag };
}
