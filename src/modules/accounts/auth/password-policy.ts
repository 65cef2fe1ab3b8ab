import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import type { BreachedPasswords } from './breached-passwords.ts';
import { normalized } from './passwords.ts';

/** The owner of a new password, which must not contain these names. */
export type Owner = { username?: string | null | undefined; email?: string | null | undefined };

const SHORTEST = 8;
const LONGEST = 128;
/** Shorter names occur in too many good passwords. */
const NAME = 4;

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

/**
 * What a new password must be: as `assertPassword` says, and not known from breaches. Throws 400 VALIDATION_FAILED for the body's `field`, 400
 * PASSWORD_BREACHED.
 */
export const createPasswordPolicy =
  (isBreached: BreachedPasswords) =>
  async (password: string, owner: Owner, field: string): Promise<void> => {
    await assertPassword(password, owner, field);
    if (await isBreached(normalized(password))) throw userErrors.PASSWORD_BREACHED({ field });
  };

/**
 * What a new password must be in itself (ASVS 6.2): 8 to 128 characters as they are hashed, none of the common ones, without the owner's
 * names; no rules of composition. Throws VALIDATION_FAILED for the body's `field`.
 */
export async function assertPassword(password: string, owner: Owner, field: string): Promise<void> {
  const message = await weaknessOf(normalized(password), owner);
  if (message) throw commonErrors.VALIDATION_FAILED({ fields: [{ path: field, message }] });
}

async function weaknessOf(password: string, { username, email }: Owner): Promise<string | undefined> {
  const length = [...password].length;
  if (length < SHORTEST || length > LONGEST) return `needs ${SHORTEST} to ${LONGEST} characters`;
  const text = password.toLowerCase();
  const names = [username, email?.split('@')[0], email];
  const isNamed = names.some((name) => name && name.length >= NAME && text.includes(name.toLowerCase()));
  if (isNamed) return 'may not contain your username or your email address';
  if ((await common()).has(text)) return 'is too common: it is the first that others would try';
  return undefined;
}

let known: Promise<ReadonlySet<string>> | undefined;

/** The 49,000 passwords that are used most; read when the first one is set. */
function common(): Promise<ReadonlySet<string>> {
  known ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return known;
}
