import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';

const FOLDER = fileURLToPath(new URL('../../../web/art/', import.meta.url));

/** GET /art/{name}.svg: built-in pictures such as house game tiles. Any page may show them. */
export function registerArt(app: FastifyInstance, limiter: RateLimiter): void {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.svg'));
  const files = new Map(names.map((name) => [name, readFileSync(FOLDER + name)]));
  const tags = new Map([...files].map(([name, bytes]) => [name, `"${hashOf(bytes)}"`]));
  app.get<{ Params: { name: string } }>('/art/:name', async (request, reply) => {
    countFile(limiter, request.clientIp);
    const { name } = request.params;
    const [bytes, etag] = [files.get(name), tags.get(name)];
    if (!bytes || !etag) throw commonErrors.NOT_FOUND();
    reply
      .header('cache-control', 'public, max-age=86400')
      .header('etag', etag)
      .header('cross-origin-resource-policy', 'cross-origin');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('image/svg+xml').send(bytes);
  });
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
