import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';

/** Reads a stored file by its name (`avatars/….webp`). Any string is accepted as a name. Returns undefined if the file does not exist. */
export type ReadFile = (name: string) => Promise<Uint8Array | undefined>;

/**
 * GET /files/{folder}/{name}.webp: serves uploads unless a bucket or a CDN serves them. Every file is a picture that the platform encoded,
 * under a name that is never reused. A file may therefore be cached forever and shown on any page.
 */
export function registerFiles(app: FastifyInstance, read: ReadFile, limiter: RateLimiter): void {
  app.get('/files/:folder/:name', async (request, reply) => {
    countFile(limiter, request.clientIp);
    // The raw URL is compared without decoding, because file names contain no characters that need encoding.
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
