import type { Readable } from 'node:stream';
import type {} from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { AppError, commonErrors } from '../../platform/errors.ts';
import type { Upload } from '../route.ts';

/** Extra bytes allowed for boundaries, headers, and anything a client sends before and after the file. */
const AROUND_BYTES = 16 * 1024;
/** A rejected client may send up to this multiple of the limit before it is disconnected, so that it can read the response. */
const DRAINED_TIMES = 4;
/** Number of uploads of maximum size that may be in memory at the same time. */
const HELD_AT_ONCE = 16;

/** The parser's limits. They are just high enough that excess content is rejected by the rules in this file and not by the parser. */
const LIMITS = { files: 2, fields: 1, parts: 3, fieldSize: 1024, headerPairs: 20, headerSize: 8192 };

export type Uploads = ReturnType<typeof createUploads>;

/**
 * Reads the image of multipart bodies, which must contain exactly one file and nothing else. Bodies stay in memory until the response is
 * sent, so their total size is limited. A slow sender occupies only the memory for the bytes that it has sent so far.
 */
export function createUploads({ UPLOAD_LIMIT_BYTES: limit }: Config) {
  /** Number of bytes that all uploads together keep in memory. */
  let held = 0;
  const tooLarge = () => commonErrors.PAYLOAD_TOO_LARGE({ maxBytes: limit });
  /** Reads the whole file. Its bytes count towards a limit on all uploads until the response is sent. Throws 503 above that limit. */
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
    /** Accepts multipart bodies on the routes of a scope. Other routes run without these hooks. */
    register: (scope: FastifyInstance): void => {
      const limits = { ...LIMITS, fileSize: limit };
      void scope.register(import('@fastify/multipart'), { throwFileSizeLimit: false, limits });
    },

    /**
     * Returns the file of the request, or undefined if there is no file or the body is not multipart. The file name is ignored. Throws 400
     * for a malformed body or any other content, and 413 if it is too large. Throws 503 if too many uploads arrive at the same time.
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
        // The parser ignores data before the first part and after the last part, so the total size must be limited here.
        return await Promise.race([
          fileOf(request, field, (file) => collect(file, reply)),
          overrun(raw, most).then(() => Promise.reject(tooLarge())),
        ]);
      } catch (error) {
        raw.unpipe();
        raw.resume();
        void overrun(raw, DRAINED_TIMES * limit).then(() => raw.destroy());
        // Parser errors are always caused by the client's data.
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

/** Resolves once the client has sent more than `most` bytes. */
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
