import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { isSameSecret } from '../../../platform/secrets/encryption.ts';

const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/** Returns the header `x-signature` of the platform's own protocol: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`. */
export function signatureOf(raw: Buffer | string, secret: string, unixSeconds: number): string {
  const mac = createHmac('sha256', secret).update(`${unixSeconds}.`).update(raw).digest('hex');
  return `t=${unixSeconds},v1=${mac}`;
}

/**
 * Returns true if one of the secrets has signed exactly these bytes within the tolerance. Two secrets are valid during a rotation. Returns
 * false if the header is sent twice.
 */
export function isSigned(
  raw: Buffer,
  header: string | string[] | undefined,
  { secrets, now, toleranceSeconds }: { secrets: readonly string[]; now: number; toleranceSeconds: number },
): boolean {
  const match = typeof header === 'string' ? HEADER.exec(header) : null;
  if (!match) return false;
  const at = Number(match[1]);
  if (Math.abs(now / 1000 - at) > toleranceSeconds) return false;
  const checks = secrets.map((secret) => isSameSecret(signatureOf(raw, secret, at), header as string));
  return checks.includes(true);
}

/** Returns a function that checks whether one of these secrets has recently signed a webhook of the platform's own protocol. */
export const signedBy =
  (secrets: readonly string[], { config, clock }: { config: Config; clock: Clock }) =>
  (raw: Buffer, headers: IncomingHttpHeaders): boolean =>
    isSigned(raw, headers['x-signature'], {
      secrets,
      now: clock.now(),
      toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
    });
