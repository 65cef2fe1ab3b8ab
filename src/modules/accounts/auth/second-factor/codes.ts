/** A code that a user enters: one from the app, a recovery code in its canonical spelling, or a code issued for a passkey. */
export type Code = { kind: 'TOTP' | 'RECOVERY' | 'PASSKEY'; code: string };

/** Crockford's base32 alphabet, which leaves out letters that look like digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Eighty bits, which are 16 letters of 5 bits each. */
export const RECOVERY_CODE_BYTES = 10;

const PASSKEY_CODE = /^pk_[\w-]{43}$/;

export function readCode(text: string): Code | undefined {
  if (PASSKEY_CODE.test(text)) return { kind: 'PASSKEY', code: text };
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  if (/^[0-9]{6}$/.test(code)) return { kind: 'TOTP', code };
  const plain = code.replaceAll('O', '0').replace(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(plain) ? { kind: 'RECOVERY', code: plain } : undefined;
}

/** Formats 80 random bits as four groups of four characters. */
export function spellRecoveryCode(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < 16; i++) {
    text = LETTERS[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

const STEP_SECONDS = 30;

/** Returns a new shared key in base32: 160 bits, as long as the hash (RFC 4226, section 4). */
export async function newKey(): Promise<string> {
  const { generateSecret } = await import('otplib');
  return generateSecret({ length: 20 });
}

/**
 * Returns the time step of a code (RFC 6238: SHA-1, 30 s, 6 digits). The step must be the current one (`now` in seconds), the previous or
 * the next one, and later than `lastStep`. Otherwise returns undefined.
 */
export async function stepOf(
  key: string,
  code: string,
  { now, lastStep }: { now: number; lastStep: bigint },
): Promise<bigint | undefined> {
  const epoch = Math.floor(now);
  const newest = Math.floor(epoch / STEP_SECONDS) + 1;
  // If the clock was set back, the last accepted step is later than every step that is valid now.
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

/** Returns the data with which a user sets up an authenticator app: the key to type, and the same key as a link and as a QR code. */
export async function setupOf(key: string, { brand, account }: { brand: string; account: string }) {
  const [{ generateURI }, { toDataURL }] = await Promise.all([import('otplib'), import('qrcode')]);
  // The issuer must contain no colon, because a colon separates issuer and account.
  const otpauthUrl = generateURI({ issuer: brand.replaceAll(':', ' '), label: account, secret: key });
  return { secret: key, otpauthUrl, qrDataUrl: await toDataURL(otpauthUrl) };
}
