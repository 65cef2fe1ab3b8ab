import type { Readable } from 'node:stream';
import type {} from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../platform/config.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import type { Upload } from './route.ts';

/** Boundaries and headers around the file, and whatever a client sends before and after. */
const AROUND_BYTES = 16 * 1024;
/** What a refused client may go on sending so that it reads its answer, in times of the limit; then it is disconnected. */
const DRAINED_TIMES = 4;
/** Uploads of the largest size that may be in memory at the same time. */
const HELD_AT_ONCE = 16;

/** So few parts that the rules here refuse what is too much, not the parser. */
const LIMITS = { files: 2, fields: 1, parts: 3, fieldSize: 1024, headerPairs: 20, headerSize: 8192 };

export type Uploads = ReturnType<typeof createUploads>;

/**
 * Reads the image of multipart bodies: one file, nothing beside it. Bodies are in memory until they are answered, so all of them
 * together have a bound; slow senders hold no more than what they have sent.
 */
export function createUploads({ UPLOAD_LIMIT_BYTES: limit }: Config) {
  /** Bytes that are in memory, of all uploads together. */
  let held = 0;
  const tooLarge = () => commonErrors.PAYLOAD_TOO_LARGE({ maxBytes: limit });
  /** The whole file. Its bytes count as held until the answer has left. Throws 503 when all together would be too large. */
  const collect = async (file: Readable & { truncated?: boolean }, reply: FastifyReply): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.raw.once('close', () => {
      held -= bytes;
    });
    for await (const chunk of file as AsyncIterable<Buffer>) {
      if (reply.raw.destroyed) throw incomplete();
      if (held + chunk.length > HELD_AT_ONCE * limit)
        throw commonErrors.SERVICE_UNAVAILABLE({ retryAfterSeconds: 2 });
      held += chunk.length;
      bytes += chunk.length;
      chunks.push(chunk);
    }
    if (file.truncated) throw tooLarge();
    return Buffer.concat(chunks);
  };
  return {
    /** Lets the routes of a scope take multipart bodies; all others go without its hooks. */
    register: (scope: FastifyInstance): void => {
      const limits = { ...LIMITS, fileSize: limit };
      void scope.register(import('@fastify/multipart'), { throwFileSizeLimit: false, limits });
    },

    /**
     * The file of the request, undefined when there is none or the body is not multipart. Its name is not looked at. Throws 400
     * when the body is malformed or holds anything else, 413 when it is too large, 503 when too many arrive at the same time.
     */
    read: async (
      request: FastifyRequest,
      reply: FastifyReply,
      field: string,
    ): Promise<Upload | undefined> => {
      if (!request.isMultipart()) return undefined;
      const most = limit + AROUND_BYTES;
      if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
      const { raw } = request;
      try {
        // The parser takes no notice of what stands before and after the parts, however long.
        return await Promise.race([
          fileOf(request, field, (file) => collect(file, reply)),
          overrun(raw, most).then(() => Promise.reject(tooLarge())),
        ]);
      } catch (error) {
        raw.unpipe();
        raw.resume();
        void overrun(raw, DRAINED_TIMES * limit).then(() => raw.destroy());
        // The parser fails for what the client has sent and for nothing else.
        throw error instanceof AppError ? error : incomplete();
      }
    },
  };
}

async function fileOf(
  request: FastifyRequest,
  field: string,
  collect: (file: Readable) => Promise<Buffer>,
): Promise<Upload | undefined> {
  let upload: Upload | undefined;
  for await (const part of request.parts()) {
    if (part.fieldname !== field || part.type !== 'file')
      throw refused(part.fieldname, `is not the file field ${field}`);
    if (upload) throw refused(field, 'may be sent once');
    upload = { bytes: await collect(part.file) };
  }
  return upload;
}

/** Resolves once more than so many bytes have come. */
function overrun(raw: Readable, most: number): Promise<void> {
  let received = 0;
  return new Promise((resolve) => {
    raw.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > most) resolve();
    });
  });
}

function refused(path: string, message: string): AppError {
  return commonErrors.VALIDATION_FAILED({ fields: [{ path: path.slice(0, 200), message }] });
}

const incomplete = () => refused('', 'The body is not complete multipart/form-data.');
