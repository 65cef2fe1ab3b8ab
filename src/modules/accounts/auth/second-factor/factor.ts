import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { createEncryption, dataSecret, deriveKeys } from '../../../../platform/secrets/encryption.ts';
import { assertTry, giveBack, type Limit } from '../attempts.ts';
import { consumeToken } from '../one-time-tokens.ts';
import { type FactorRow, isOn, lockFactor, replaceRecoveryCodes } from './queries.ts';

export type Factor = ReturnType<typeof createFactor>;
type Kind = Code['kind'];

const TRIES = 10;
const TRIES_WINDOW_SECONDS = 1800;
const TRIES_PER_TOKEN = 5;
/** The limit for recovery codes and passkeys, which cannot be guessed. */
const STRONG_TRIES = 10;
const RECOVERY_CODES = 10;

/**
 * The session or sign-in in which a factor is proven. A sign-in is identified by the hash of its token, and includes the device if the user
 * has signed in on it before.
 */
type Place = { sessionId: string } | { token: Buffer; device: string | undefined };
/** One attempt. `kind` is undefined if the input does not have the form of any kind of code. */
type Try = { userId: number; at: Place; kind: Kind | undefined };
type Guess = { userId: number; at: Place; code: string };

export const tryOf = ({ userId, at, code }: Guess): Try => ({ userId, at, kind: readCode(code)?.kind });

/**
 * Returns the limits of an attempt. App codes have only six digits, so all guesses during sign-ins count towards the account's limit. Known
 * devices and sessions have separate limits, so that a stranger with the password does not use up the owner's attempts. Recovery codes (80
 * bits) and passkey signatures cannot be guessed. They are therefore counted per token or session, so that strangers cannot lock the owner
 * out.
 */
function limitsOf({ userId, at, kind }: Try, tokenSeconds: number): Limit[] {
  const account = `mfa:user:${userId}`;
  const isTotp = kind === 'TOTP';
  const tries = isTotp ? TRIES : STRONG_TRIES;
  const group = isTotp ? account : `${account}:${kind === 'PASSKEY' ? 'passkey' : 'recovery'}`;
  const window = { tries, windowSeconds: TRIES_WINDOW_SECONDS };
  if ('sessionId' in at) return [{ key: `${group}:session:${at.sessionId}`, ...window }];
  const token = `${group}:token:${at.token.toString('base64url')}`;
  if (!isTotp) return [{ key: token, tries, windowSeconds: tokenSeconds }];
  return [
    { key: token, tries: TRIES_PER_TOKEN, windowSeconds: tokenSeconds },
    { key: at.device === undefined ? account : `${account}:device:${at.device}`, ...window },
  ];
}

/**
 * Stores, counts and redeems codes. `counters` uses a separate connection pool. Attempts are counted outside the caller's transaction, so
 * that a rollback does not undo the count. The separate pool is needed because a transaction that holds a connection must not wait for a
 * second one from the same pool.
 */
export function createFactor({ counters, config }: { counters: Db; config: Config }) {
  const encryption = createEncryption(dataSecret(config), 'second factors');
  const peppers = deriveKeys(dataSecret(config), 'recovery codes');
  const hashesOf = (code: string) =>
    peppers.map((pepper) => createHmac('sha256', pepper).update(code).digest());
  const open = (sealed: Buffer) => encryption.open(sealed).toString();

  const limits = (attempt: Try) => limitsOf(attempt, config.MFA_TOKEN_SECONDS);
  const returnTry = (attempt: Try) =>
    giveBack(
      counters,
      limits(attempt).map(({ key }) => key),
      'one',
    );
  const consume = async (tx: Tx, { userId, at }: Guess, factor: FactorRow, { kind, code }: Code) => {
    if (kind === 'PASSKEY') return consumePasskeyCode(tx, { userId, at, code });
    if (kind === 'RECOVERY') return isOn(factor) && consumeRecoveryCode(tx, userId, hashesOf(code));
    if (!factor.active) return false;
    const step = await stepOf(open(factor.active), code, factor);
    return step !== undefined && consumeStep(tx, userId, step);
  };

  return {
    seal: (key: string) => encryption.seal(Buffer.from(key)),
    open,

    /** Counts an attempt for each limit. At the first exhausted limit it stops counting and throws 429 RATE_LIMITED. */
    async countTry(attempt: Try): Promise<void> {
      for (const limit of limits(attempt)) await assertTry(counters, limit);
    },

    returnTry,

    /**
     * Redeems a code once and returns its kind. Throws 400 MFA_INVALID if the code is wrong, already used or not of the given kinds. The
     * caller must have counted the attempt.
     */
    async redeem<K extends Kind>(tx: Tx, guess: Guess, kinds: readonly K[]): Promise<K> {
      const read = readCode(guess.code);
      const kind = kinds.find((one) => one === read?.kind);
      const factor = await lockFactor(tx, guess.userId);
      const isValid = read && kind && factor && (await consume(tx, guess, factor, read));
      if (!isValid) throw commonErrors.MFA_INVALID();
      await returnTry(tryOf(guess));
      return kind;
    },

    /** Replaces all recovery codes with ten new ones. Only their hashes are stored. */
    async renewRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        spellRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)),
      );
      const hashes = codes.map((code) => hashesOf(readCode(code)!.code)[0]!);
      await replaceRecoveryCodes(tx, userId, hashes);
      return codes;
    },
  };
}

/** Consumes the code issued for a passkey. Returns false unless it belongs to this user and session. */
async function consumePasskeyCode(tx: Tx, { userId, at, code }: Guess): Promise<boolean> {
  const taken = await consumeToken<PasskeyCode>(tx, 'PASSKEY_CODE', code);
  return taken?.userId === userId && 'sessionId' in at && taken.payload.sessionId === at.sessionId;
}

/** The payload of a passkey's code: the only session in which the code is valid. */
export type PasskeyCode = { sessionId: string };

/** Consumes a time step. Returns false if this time step or a later one was already used. */
async function consumeStep(tx: Tx, userId: number, step: bigint): Promise<boolean> {
  const consumed = await tx
    .updateTable('mfa_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return consumed !== undefined;
}

/** Consumes a recovery code. Returns false if the code is unknown or used. */
async function consumeRecoveryCode(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<boolean> {
  const consumed = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('hash', 'in', hashes)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return consumed !== undefined;
}

/** A code that a user enters: a code from the app, a recovery code in its canonical spelling, or a code issued for a passkey. */
type Code = { kind: 'TOTP' | 'RECOVERY' | 'PASSKEY'; code: string };

/** Crockford's base32 alphabet, which excludes letters that look like digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The size of a recovery code: 80 bits, which are 16 letters of 5 bits each. */
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

/** Returns a new shared key in base32. It has 160 bits, the length of the hash (RFC 4226, section 4). */
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
  // If the clock was set back, the last accepted step is later than every step that is currently valid.
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

/** Returns the data that a user needs to set up an authenticator app: the key as text, as a link and as a QR code. */
export async function setupOf(key: string, { brand, account }: { brand: string; account: string }) {
  const [{ generateURI }, { toDataURL }] = await Promise.all([import('otplib'), import('qrcode')]);
  // The issuer must contain no colon, because a colon separates issuer and account.
  const otpauthUrl = generateURI({ issuer: brand.replaceAll(':', ' '), label: account, secret: key });
  return { secret: key, otpauthUrl, qrDataUrl: await toDataURL(otpauthUrl) };
}
