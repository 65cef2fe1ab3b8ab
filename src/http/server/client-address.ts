import type { FastifyInstance } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { createClientAddress } from '../../platform/net/address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Returns the client's address. Fastify's own `ip` would include ports, quotes and brackets that proxies write. */
    readonly clientIp: string;
  }
}

/** Adds `clientIp` to requests. A proxy is trusted only if it is listed in TRUSTED_PROXIES. */
export function registerClientAddress(
  app: FastifyInstance,
  { TRUSTED_PROXIES }: Pick<Config, 'TRUSTED_PROXIES'>,
): void {
  const clientAddress = createClientAddress(TRUSTED_PROXIES);
  app.decorateRequest('clientIp', {
    getter() {
      return clientAddress(this.raw.socket.remoteAddress, this.raw.headers['x-forwarded-for']);
    },
  });
}
