import type { IncomingMessage } from 'node:http';
import type { Config } from '../platform/config/config.ts';
import { type AppError, commonErrors } from '../platform/errors.ts';
import { addressOf, createClientAddress } from '../platform/net/address.ts';
import { isOwnOrigin } from '../platform/net/origins.ts';
import { realtimeErrors } from './errors.ts';

/** Returns the rejected origin and the setting that would allow it. */
const placeOf = ({ headers: { origin, referer } }: IncomingMessage) => ({
  origin: (origin ?? referer)?.slice(0, 200),
  setting: 'SITE_ORIGINS',
});

export type Door = ReturnType<typeof createDoor>;

/** Counts a hit for a key. Returns the number of seconds to wait, or 0 if this hit is allowed. */
export type Limit = (key: string) => number;

/**
 * Decides before authentication which clients may open a connection. Pages of our own sites and programs that are not web pages are
 * allowed. The rate of handshakes and the number of open sockets are limited for each address.
 */
export function createDoor({ config, handshakes }: { config: Config; handshakes: Limit }) {
  const clientAddress = createClientAddress(config.TRUSTED_PROXIES);
  const open = new Map<string, number>();
  let isClosed = false;

  const ipOf = ({ headers, socket }: IncomingMessage) =>
    clientAddress(socket.remoteAddress, headers['x-forwarded-for']);
  const keyOf = (request: IncomingMessage) => addressOf(ipOf(request));
  /** True for a page of another site, or for a page that hides its origin. */
  const isForeign = ({ headers }: IncomingMessage) =>
    (headers.origin !== undefined || headers.referer !== undefined) && !isOwnOrigin(headers, config);

  return {
    /** Returns the reason to reject a handshake, or undefined to accept it. */
    refusal(request: IncomingMessage): AppError | undefined {
      if (isClosed) return realtimeErrors.SHUTTING_DOWN();
      if (isForeign(request)) return commonErrors.ORIGIN_FORBIDDEN(placeOf(request));
      const address = keyOf(request);
      const seconds = handshakes(address);
      if (seconds > 0) return realtimeErrors.RATE_LIMITED({ retryAfterSeconds: seconds });
      const most = config.REALTIME_SOCKETS_PER_ADDRESS;
      return most > 0 && (open.get(address) ?? 0) >= most ? realtimeErrors.TOO_MANY_SOCKETS() : undefined;
    },
    /** Counts an open connection. Call the returned function when the connection closes. */
    enter(request: IncomingMessage): () => void {
      const address = keyOf(request);
      open.set(address, (open.get(address) ?? 0) + 1);
      return () => {
        const left = (open.get(address) ?? 1) - 1;
        if (left > 0) open.set(address, left);
        else open.delete(address);
      };
    },
    /** The client's full address, for country rules. A proxy is trusted only if it is listed in TRUSTED_PROXIES. */
    ipOf,
    close: () => {
      isClosed = true;
    },
  };
}
