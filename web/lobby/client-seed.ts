/** Generates a client seed on this device, so that the server cannot choose both the client seed and the server seed of a pair. */
export const drawClientSeed = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
