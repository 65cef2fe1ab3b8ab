import type { FastifyInstance } from 'fastify';
import { addressOf } from '../platform/address.ts';
import { commonErrors } from '../platform/errors.ts';
import { countRequest, type RateLimiter } from './rate-limit.ts';

/** Reads a stored file by its name (`avatars/….webp`); undefined when there is none, whatever the name. */
export type ReadFile = (name: string) => Promise<Uint8Array | undefined>;

/**
 * GET /files/{folder}/{name}.webp: what was uploaded, where no bucket or CDN serves it. Every file is a picture of our own making
 * under a name that is never used again, so it may be kept for ever and shown on any page.
 */
export function registerFiles(app: FastifyInstance, read: ReadFile, limiter: RateLimiter): void {
  app.get('/files/:folder/:name', async (request, reply) => {
    countRequest(limiter, 'public', addressOf(request.ip));
    // As it was sent: a name has one spelling, so nothing is decoded.
    const name = /^\/files\/([a-z-]+\/[\w-]+\.webp)$/.exec(request.raw.url ?? '')?.[1];
    const bytes = name === undefined ? undefined : await read(name);
    if (!bytes) throw commonErrors.NOT_FOUND();
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('cross-origin-resource-policy', 'cross-origin')
      .type('image/webp')
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });
}
