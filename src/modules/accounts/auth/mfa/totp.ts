const STEP_SECONDS = 30;

/** A new shared key in base32: 160 bits, as long as the hash (RFC 4226, section 4). */
export async function newKey(): Promise<string> {
  const { generateSecret } = await import('otplib');
  return generateSecret({ length: 20 });
}

/**
 * The time step of RFC 6238 (SHA-1, 30 s, 6 digits) that a code belongs to: the step of `now` (seconds), the one before or the one
 * after, and later than `lastStep`. Undefined when it belongs to none of them.
 */
export async function stepOf(
  key: string,
  code: string,
  { now, lastStep }: { now: number; lastStep: bigint },
): Promise<bigint | undefined> {
  const epoch = Math.floor(now);
  const newest = Math.floor(epoch / STEP_SECONDS) + 1;
  // The clock was set back: what was accepted lies ahead of every step that counts now.
  if (lastStep >= BigInt(newest)) return undefined;
  const { verify } = await import('otplib');
  const found = await verify({
    secret: key,
    token: code,
    epoch,
    epochTolerance: STEP_SECONDS,
    afterTimeStep: Number(lastStep),
  });
  return found.valid && 'timeStep' in found ? BigInt(found.timeStep) : undefined;
}

/** What an authenticator app needs: the key to type, the same as a link, and as a picture of it. */
export async function setupOf(key: string, { brand, account }: { brand: string; account: string }) {
  const [{ generateURI }, { toDataURL }] = await Promise.all([import('otplib'), import('qrcode')]);
  // A colon separates issuer and account.
  const otpauthUrl = generateURI({ issuer: brand.replaceAll(':', ' '), label: account, secret: key });
  return { secret: key, otpauthUrl, qrDataUrl: await toDataURL(otpauthUrl) };
}
