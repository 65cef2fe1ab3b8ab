import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../../../../platform/config.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { createEncryption, deriveKey } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { assertTry, giveBack, type Limit } from '../attempts.ts';
import { type FactorRow, lockFactor, replaceRecoveryCodes, takeRecoveryCode, takeStep } from './queries.ts';
import { RECOVERY_CODE_BYTES, readCode, spellRecoveryCode, type Typed } from './rules.ts';
import { stepOf } from './totp.ts';

export type Factor = ReturnType<typeof createFactor>;
export type Kind = Typed['kind'];

const TRIES = 10;
const TRIES_WINDOW_SECONDS = 1800;
const TRIES_PER_TOKEN = 5;
const RECOVERY_TRIES = 10;
const RECOVERY_CODES = 10;

/** Where a code is typed: in a session, or at a sign-in, with the hash of its token and, if it is known to this user, the device. */
export type Place = { sessionId: string } | { token: Buffer; device: string | undefined };
export type Guess = { userId: number; at: Place; code: string };

/**
 * What a guess counts against. Codes of the app have six digits: all guesses at sign-ins share the tries of the account, but known devices
 * of the owner and sessions have tries of their own, so that a stranger with the password does not use up the owner's. Recovery codes have
 * 80 bits, which nobody guesses: they count by token or session alone, so that strangers cannot lock the owner out.
 */
function limitsOf({ userId, at, code }: Guess, tokenSeconds: number): Limit[] {
  const account = `mfa:user:${userId}`;
  const isTotp = readCode(code)?.kind === 'TOTP';
  const tries = isTotp ? TRIES : RECOVERY_TRIES;
  const kind = isTotp ? account : `${account}:recovery`;
  const window = { tries, windowSeconds: TRIES_WINDOW_SECONDS };
  if ('sessionId' in at) return [{ key: `${kind}:session:${at.sessionId}`, ...window }];
  const token = `${kind}:token:${at.token.toString('base64url')}`;
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

  const limits = (guess: Guess) => limitsOf(guess, config.MFA_TOKEN_SECONDS);
  /** A right code is not a guess. */
  const returnTry = (guess: Guess) =>
    giveBack(
      counters,
      limits(guess).map(({ key }) => key),
      'one',
    );
  const isTaken = async (tx: Tx, userId: number, factor: FactorRow, { kind, code }: Typed) => {
    if (kind === 'RECOVERY') return takeRecoveryCode(tx, userId, hashOf(code));
    const step = await stepOf(open(factor.active!), code, factor);
    return step !== undefined && takeStep(tx, userId, step);
  };

  return {
    seal: (key: string) => encryption.seal(Buffer.from(key)),
    open,

    /** Takes a try of each limit. Throws 429 RATE_LIMITED at the first exhausted one, without a try of those after it. */
    async countTry(guess: Guess): Promise<void> {
      for (const limit of limits(guess)) await assertTry(counters, limit);
    },

    returnTry,

    /**
     * Redeems a code of the factor in force, once, and returns its kind. Throws 400 MFA_INVALID when it is wrong, used or not of the given
     * kinds. The caller has counted the try.
     */
    async redeem(tx: Tx, guess: Guess, kinds: readonly Kind[]): Promise<Kind> {
      const { userId } = guess;
      const typed = readCode(guess.code);
      const factor = await lockFactor(tx, userId);
      const isGood =
        typed && factor?.active && kinds.includes(typed.kind) && (await isTaken(tx, userId, factor, typed));
      if (!isGood) throw commonErrors.MFA_INVALID();
      await returnTry(guess);
      return typed.kind;
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
