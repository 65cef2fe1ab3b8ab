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
