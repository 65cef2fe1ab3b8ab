import type { IncomingMessage } from 'node:http';
import { addressOf, createClientAddress } from '../platform/address.ts';
import type { Config } from '../platform/config.ts';
import type { AppError } from '../platform/errors.ts';
import { isOwnOrigin } from '../platform/origins.ts';
import { realtimeErrors } from './errors.ts';

export type Door = ReturnType<typeof createDoor>;

/** Counts a hit of a key, and returns the seconds until the next may pass; 0: this one may. */
export type Limit = (key: string) => number;

/**
 * Who may open a connection at all, before anything is known of them: pages of our own sites and programs without a page, not too
 * often and not too many at the same time from one address.
 */
export function createDoor({ config, handshakes }: { config: Config; handshakes: Limit }) {
  const clientAddress = createClientAddress(config.TRUSTED_PROXIES);
  const open = new Map<string, number>();
  let isClosed = false;

  const addressOfRequest = (request: IncomingMessage) => {
    const forwarded = request.headers['x-forwarded-for'];
    const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    return addressOf(clientAddress(request.socket.remoteAddress, chain));
  };
  /** A page of another site, or one that hides its origin. */
  const isForeign = ({ headers }: IncomingMessage) =>
    (headers.origin !== undefined || headers.referer !== undefined) && !isOwnOrigin(headers, config);

  return {
    /** Why a handshake is refused; undefined: it is not. */
    refusal(request: IncomingMessage): AppError | undefined {
      if (isClosed) return realtimeErrors.SHUTTING_DOWN();
      if (isForeign(request)) return realtimeErrors.ORIGIN_FORBIDDEN();
      const address = addressOfRequest(request);
      const seconds = handshakes(address);
      if (seconds > 0) return realtimeErrors.RATE_LIMITED({ retryAfterSeconds: seconds });
      const most = config.REALTIME_SOCKETS_PER_ADDRESS;
      return most > 0 && (open.get(address) ?? 0) >= most ? realtimeErrors.TOO_MANY_SOCKETS() : undefined;
    },
    /** Counts a connection; the returned function ends that. */
    enter(request: IncomingMessage): () => void {
      const address = addressOfRequest(request);
      open.set(address, (open.get(address) ?? 0) + 1);
      return () => {
        const left = (open.get(address) ?? 1) - 1;
        if (left > 0) open.set(address, left);
        else open.delete(address);
      };
    },
    /** Where a connection comes from; a proxy is believed only when TRUSTED_PROXIES names it. */
    addressOf: addressOfRequest,
    close: () => {
      isClosed = true;
    },
  };
}
