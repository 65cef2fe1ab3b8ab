import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { etagOf, hashesOf, isBrowser } from '../docs/pages.ts';
import { createDocument } from '../server/compress.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';
import { lastBuild, sendNotBuilt, TYPES } from './web-apps.ts';

type Page = {
  document: ReturnType<typeof createDocument>;
  type: string;
  policy: string | undefined;
  etag: string;
};

/** The build writes this file last, so a folder without it contains no complete site. */
const LAST_FILE = 'llms.txt';
const NOT_FOUND = '404.html';
/** Files in formats that are compressed already. */
const IS_PACKED = /\.(woff2|png|webp)$/;

/**
 * GET /docs/…: serves the documentation site that `npm run docs` builds into `folder`. Pages have no extension in their address. With `.md`
 * the address returns the source of the page. Until the site is built, the response names the command that builds it.
 */
export function registerSite(app: FastifyInstance, folder: string, limiter: RateLimiter): void {
  const site = lastBuild(join(folder, LAST_FILE), () => filesOf(folder));
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    countFile(limiter, request.clientIp);
    const path = (request.params as { '*'?: string })['*'] ?? '';
    const pages = site();
    if (!pages) return sendNotBuilt(reply, 'documentation', 'npm run docs');
    const name = pages.find(path);
    if (name) return sendPage(request, reply, { page: pages.read(name), name });
    if (pages.find(`${path}/`)) return reply.redirect(`/docs/${path}/`, 302);
    if (!pages.find(NOT_FOUND) || !isBrowser(request)) throw commonErrors.NOT_FOUND();
    return sendPage(request, reply.code(404), { page: pages.read(NOT_FOUND), name: NOT_FOUND });
  };
  app.get('/docs/', send);
  app.get('/docs/*', send);
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page: { document, type, policy, etag }, name }: { page: Page; name: string },
) {
  // Files in `assets` have a hash in their names.
  const isFixed = name.startsWith('assets/');
  if (policy) reply.header('content-security-policy', policy);
  reply
    .header('etag', etag)
    .header('cache-control', isFixed ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(type).send(await document(request, reply));
}

/** Returns whether the site in this folder has been built. */
export const isSiteBuilt = (folder: string): boolean => existsSync(join(folder, LAST_FILE));

function filesOf(folder: string) {
  const names = new Set(globSync('**/*.*', { cwd: folder }));
  const read = new Map<string, Page>();
  return {
    /** Returns the name of the file at an address. Only names of the list are read, so an address cannot leave the folder. */
    find: (path: string): string | undefined =>
      [path, `${path}.html`, `${path}index.html`].find(
        (name) => names.has(name) && (read.has(name) || existsSync(join(folder, name))),
      ),
    /** A file is read on its first request, and then stays in memory. */
    read(name: string): Page {
      const page = read.get(name) ?? pageOf(readFileSync(join(folder, name)), name);
      read.set(name, page);
      return page;
    },
  };
}

function pageOf(bytes: Buffer, name: string): Page {
  const type = TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream';
  const hasPolicy = /\.(html|svg)$/.test(name);
  return {
    document: IS_PACKED.test(name) ? async () => bytes : createDocument(bytes),
    type,
    policy: hasPolicy ? policyOf(bytes.toString()) : undefined,
    etag: etagOf(bytes),
  };
}

/** A page may load scripts, styles, fonts and pictures of this origin, and use its own inline scripts and style sheets, but no `style` attribute. */
const policyOf = (html: string): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...hashesOf(html, 'script')].join(' '),
    ["style-src 'self'", ...hashesOf(html, 'style')].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
