import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../../../platform/config.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { createVault, deriveKey } from '../../../platform/vault.ts';
import { assertTry, giveBack, type Limit } from '../attempts.ts';
import { type FactorRow, lockFactor, replaceRecoveryCodes, takeRecoveryCode, takeStep } from './queries.ts';
import { RECOVERY_CODE_BYTES, readCode, spellRecoveryCode, type Typed } from './rules.ts';
import { stepOf } from './totp.ts';

export type Factor = ReturnType<typeof createFactor>;
export type Kind = Typed['kind'];

const TRIES = 10;
const TRIES_WINDOW_SECONDS = 1800;
const TRIES_PER_TOKEN = 5;
const RECOVERY_CODES = 10;

const account = (userId: number) => `mfa:user:${userId}`;

/**
 * Codes: how they are kept, counted and taken. `counters` is a database handle of its own: tries are counted outside of the
 * transaction that they belong to, so that its roll back does not give them back, and a transaction that holds a connection of
 * the common pool must not wait for a second one.
 */
export function createFactor({ counters, config }: { counters: Db; config: Config }) {
  const vault = createVault(config.DATA_SECRET, 'second factors');
  const pepper = deriveKey(config.DATA_SECRET, 'recovery codes');
  const hashOf = (code: string) => createHmac('sha256', pepper).update(code).digest();
  const open = (sealed: Buffer) => vault.open(sealed).toString();

  const count = (limit: Limit) => assertTry(counters, limit);
  /** A code that was right is no guess. */
  const returnTry = (userId: number) => giveBack(counters, [account(userId)], 'one');
  const isTaken = async (tx: Tx, userId: number, factor: FactorRow, { kind, code }: Typed) => {
    if (kind === 'RECOVERY') return takeRecoveryCode(tx, userId, hashOf(code));
    const step = await stepOf(open(factor.active!), code, factor);
    return step !== undefined && takeStep(tx, userId, step);
  };

  return {
    seal: (key: string) => vault.seal(Buffer.from(key)),
    open,

    /** Takes one of the tries of an account. Throws 429 RATE_LIMITED when there is none left. */
    countTry: (userId: number) =>
      count({ key: account(userId), tries: TRIES, windowSeconds: TRIES_WINDOW_SECONDS }),

    /** The same for a token of a sign-in; `hash` names it. */
    countTokenTry: (hash: Buffer) =>
      count({
        key: `mfa:token:${hash.toString('base64url')}`,
        tries: TRIES_PER_TOKEN,
        windowSeconds: config.MFA_TOKEN_SECONDS,
      }),

    returnTry,

    /**
     * Takes a code of the factor in force and says which kind it was; it counts once. Throws 400 MFA_INVALID when it is wrong,
     * used or of another kind than those asked for. The caller has counted the try.
     */
    async redeem(tx: Tx, userId: number, text: string, kinds: readonly Kind[]): Promise<Kind> {
      const typed = readCode(text);
      const factor = await lockFactor(tx, userId);
      const isGood =
        typed && factor?.active && kinds.includes(typed.kind) && (await isTaken(tx, userId, factor, typed));
      if (!isGood) throw commonErrors.MFA_INVALID();
      await returnTry(userId);
      return typed.kind;
    },

    /** Ten new recovery codes in place of all others; only their hashes stay. */
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
