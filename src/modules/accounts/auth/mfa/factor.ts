import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../../../../platform/config.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { createEncryption, deriveKey } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { assertTry, giveBack, type Limit } from '../attempts.ts';
import { takeToken } from '../one-time.ts';
import {
  type FactorRow,
  isOn,
  lockFactor,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from './queries.ts';
import { RECOVERY_CODE_BYTES, readCode, spellRecoveryCode, type Typed } from './rules.ts';
import { stepOf } from './totp.ts';

export type Factor = ReturnType<typeof createFactor>;
export type Kind = Typed['kind'];

const TRIES = 10;
const TRIES_WINDOW_SECONDS = 1800;
const TRIES_PER_TOKEN = 5;
/** Of what nobody guesses. */
const STRONG_TRIES = 10;
const RECOVERY_CODES = 10;

/** Where a factor is proven: in a session, or at a sign-in, with the hash of its token and, if it is known to this user, the device. */
export type Place = { sessionId: string } | { token: Buffer; device: string | undefined };
/** An attempt at a factor; without a kind what was typed is no code at all. */
export type Try = { userId: number; at: Place; kind: Kind | undefined };
export type Guess = { userId: number; at: Place; code: string };

/** What a text counts as. */
export const tryOf = ({ userId, at, code }: Guess): Try => ({ userId, at, kind: readCode(code)?.kind });

/**
 * What a try counts against. Codes of the app have six digits: all guesses at sign-ins share the tries of the account, but known devices
 * of the owner and sessions have tries of their own, so that a stranger with the password does not use up the owner's. Recovery codes have
 * 80 bits and passkeys sign, which nobody guesses: they count by token or session alone, so that strangers cannot lock the owner out.
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
 * Codes: storing, counting and redeeming them. `counters` is a database handle of its own: tries are counted outside the transaction that
 * they belong to, so that its rollback does not give them back, and a transaction that holds a connection of the common pool must
 * not wait for a second one.
 */
export function createFactor({ counters, config }: { counters: Db; config: Config }) {
  const encryption = createEncryption(config.DATA_SECRET, 'second factors');
  const pepper = deriveKey(config.DATA_SECRET, 'recovery codes');
  const hashOf = (code: string) => createHmac('sha256', pepper).update(code).digest();
  const open = (sealed: Buffer) => encryption.open(sealed).toString();

  const limits = (attempt: Try) => limitsOf(attempt, config.MFA_TOKEN_SECONDS);
  /** What was right is not a guess. */
  const returnTry = (attempt: Try) =>
    giveBack(
      counters,
      limits(attempt).map(({ key }) => key),
      'one',
    );
  const isTaken = async (tx: Tx, { userId, at }: Guess, factor: FactorRow, { kind, code }: Typed) => {
    if (kind === 'PASSKEY') return takePasskeyCode(tx, { userId, at, code });
    if (kind === 'RECOVERY') return isOn(factor) && takeRecoveryCode(tx, userId, hashOf(code));
    if (!factor.active) return false;
    const step = await stepOf(open(factor.active), code, factor);
    return step !== undefined && takeStep(tx, userId, step);
  };

  return {
    seal: (key: string) => encryption.seal(Buffer.from(key)),
    open,

    /** Takes a try of each limit. Throws 429 RATE_LIMITED at the first exhausted one, without a try of those after it. */
    async countTry(attempt: Try): Promise<void> {
      for (const limit of limits(attempt)) await assertTry(counters, limit);
    },

    returnTry,

    /**
     * Redeems a code of a factor in force, once, and returns its kind. Throws 400 MFA_INVALID when it is wrong, used or not of the given
     * kinds. The caller has counted the try.
     */
    async redeem<K extends Kind>(tx: Tx, guess: Guess, kinds: readonly K[]): Promise<K> {
      const typed = readCode(guess.code);
      const kind = kinds.find((one) => one === typed?.kind);
      const factor = await lockFactor(tx, guess.userId);
      const isGood = typed && kind && factor && (await isTaken(tx, guess, factor, typed));
      if (!isGood) throw commonErrors.MFA_INVALID();
      await returnTry(tryOf(guess));
      return kind;
    },

    /** Ten new recovery codes in place of all others; only their hashes are stored. */
    async renewRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        spellRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)),
      );
      const hashes = codes.map((code) => hashOf(readCode(code)!.code));
      await replaceRecoveryCodes(tx, userId, hashes);
      return codes;
    },
  };
}

/** Uses up the code that a passkey was exchanged for; false unless it is of this user and session. */
async function takePasskeyCode(tx: Tx, { userId, at, code }: Guess): Promise<boolean> {
  const taken = await takeToken<PasskeyCode>(tx, 'PASSKEY_CODE', code);
  return taken?.userId === userId && 'sessionId' in at && taken.payload.sessionId === at.sessionId;
}

/** What the code of a passkey carries: the session that it counts in. */
export type PasskeyCode = { sessionId: string };
