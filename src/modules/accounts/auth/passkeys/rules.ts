/**
 * Whether a passkey was used by a copy of its authenticator (WebAuthn, 6.1.1): where uses are counted, each has to count more than the
 * last one. Passkeys that are kept in step on several devices count none: always 0.
 */
export const isCopy = ({ stored, seen }: { stored: bigint; seen: bigint }): boolean =>
  stored > 0n && seen <= stored;

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** How a browser reaches the authenticator, as far as it names known ways. */
export const knownTransports = (named?: readonly string[]): string[] =>
  TRANSPORTS.filter((transport) => named?.includes(transport));
