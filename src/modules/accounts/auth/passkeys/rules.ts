import { z } from 'zod';

/** What a browser has signed besides the authenticator's own data (WebAuthn, CollectedClientData). */
export type ClientData = { challenge: string; isFramed: boolean };

const CHALLENGE = /^[\w-]{43}$/;
const Collected = z.object({
  challenge: z.string().regex(CHALLENGE),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

/** Reads `clientDataJSON`, which is base64url; undefined when it is none of ours. `isFramed`: made within a frame of another site. */
export function readClientData(encoded: string): ClientData | undefined {
  const read = Collected.safeParse(parsed(Buffer.from(encoded, 'base64url').toString()));
  if (!read.success) return undefined;
  const { challenge, crossOrigin, topOrigin } = read.data;
  return { challenge, isFramed: crossOrigin === true || topOrigin !== undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a passkey was used by a copy of its authenticator (WebAuthn, 6.1.1): where uses are counted, each has to count more than the
 * last one. Passkeys that are kept in step on several devices count none: always 0.
 */
export const isCopy = ({ stored, seen }: { stored: bigint; seen: bigint }): boolean =>
  (stored > 0n || seen > 0n) && seen <= stored;

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** How a browser reaches the authenticator, as far as it names known ways. */
export const knownTransports = (named: readonly string[] = []): string[] =>
  TRANSPORTS.filter((transport) => named.includes(transport));
