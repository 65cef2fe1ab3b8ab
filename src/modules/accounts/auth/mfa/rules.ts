/** What somebody typed or sent: a code of the app, a recovery code in its one spelling, the code that a passkey was exchanged for, or neither. */
export type Typed = { kind: 'TOTP' | 'RECOVERY' | 'PASSKEY'; code: string };

/** Crockford's 32 letters and digits: none is mistaken for another. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 16 letters of 5 bits. */
export const RECOVERY_CODE_BYTES = 10;

const PASSKEY_CODE = /^pk_[\w-]{43}$/;

export function readCode(text: string): Typed | undefined {
  if (PASSKEY_CODE.test(text)) return { kind: 'PASSKEY', code: text };
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  if (/^[0-9]{6}$/.test(code)) return { kind: 'TOTP', code };
  const plain = code.replaceAll('O', '0').replace(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(plain) ? { kind: 'RECOVERY', code: plain } : undefined;
}

/** 80 random bits as four groups of four. */
export function spellRecoveryCode(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < 16; i++) {
    text = LETTERS[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return text.replace(/(.{4})(?=.)/g, '$1-');
}
