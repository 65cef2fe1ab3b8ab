import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createDocument } from '../server/compress.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';

/** A self-contained page, rendered on its first request. Links to the page show `name` and `about`. */
export type StaticPage = { name: string; path: string; about: string; html: () => string };

/** A link on the root page of a service. */
export type Link = { name: string; url: string; about: string };

/** The introduction of a document: `description` is Markdown, and `tags` describes each group of operations. */
export type DocumentInfo = { title: string; description: string; tags: Readonly<Record<string, string>> };

const KEPT_SECONDS = 300;

/**
 * Serves public pages. A page can run only its inline scripts and styles. It cannot load other resources, send data anywhere or be shown in
 * a frame.
 */
export function registerPages(
  app: FastifyInstance,
  pages: readonly StaticPage[],
  limiter: RateLimiter,
): void {
  for (const { path, html } of pages) {
    let made: ReturnType<typeof madeOf> | undefined;
    app.get(path, async (request, reply) => {
      countFile(limiter, request.clientIp);
      made ??= madeOf(html());
      const { document, policy, etag } = made;
      reply.header('content-security-policy', policy).header('etag', etag);
      reply.header('cache-control', `public, max-age=${KEPT_SECONDS}`);
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('text/html; charset=utf-8').send(await document(request, reply));
    });
  }
}

/** Builds the document, policy and ETag of a page. */
const madeOf = (text: string) => ({
  document: createDocument(text),
  policy: policyOf(text),
  etag: etagOf(text),
});

/** Returns the ETag of a page. It is weak because the compressed forms of a page differ in their bytes. */
export const etagOf = (text: string | Buffer): string => `W/"${sha256(text)}"`;

/** Returns true if the request is a page visit in a browser. Other clients do not request HTML. */
export const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/html') === true;

/**
 * Returns the query of a URL including its question mark, or an empty string. Redirects keep the query, so that an affiliate's code reaches
 * the lobby.
 */
export const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/**
 * Returns a policy that lets a page run only its inline scripts and styles. Only pages of the origins in `framedBy` may show it in a frame.
 */
export function policyOf(html: string, framedBy: readonly string[] = []): string {
  const directives = [
    "default-src 'none'",
    `script-src ${hashesOf(html, 'script').join(' ') || "'none'"}`,
    `style-src ${hashesOf(html, 'style').join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framedBy.join(' ') || "'none'"}`,
  ];
  return directives.join('; ');
}

/** Returns the hashes of the inline scripts or styles of a page, as a policy lists them. */
export function hashesOf(html: string, tag: 'script' | 'style'): string[] {
  const inline = html.matchAll(new RegExp(`<${tag}\\b(?![^>]*\\bsrc=)[^>]*>([\\s\\S]*?)</${tag}>`, 'g'));
  return Array.from(inline, ([, text]) => `'sha256-${sha256(text!)}'`);
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('base64');
}
