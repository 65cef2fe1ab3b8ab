import type { JWTHeaderParameters } from 'jose';
import { deriveKey } from '../../../platform/encryption.ts';

export type TokenKeys = ReturnType<typeof createTokenKeys>;

/**
 * The keys of tokens: the current one signs, and the previous one, if there is any, still verifies what it has signed until that is
 * over. A token names its key by `kid`; one without a name is from before keys had any, and is the current one's.
 */
export function createTokenKeys(current: string, previous: string | undefined) {
  const keys = [current, previous].flatMap((secret) =>
    secret === undefined ? [] : [{ kid: nameOf(secret), key: new TextEncoder().encode(secret) }],
  );
  const [signing] = keys as [(typeof keys)[number], ...typeof keys];
  return {
    signing,
    /** Throws for a name that is none of ours. */
    keyOf({ kid }: JWTHeaderParameters): Uint8Array {
      const named = kid === undefined ? signing : keys.find((one) => one.kid === kid);
      if (!named) throw new Error('signed by another key');
      return named.key;
    },
  };
}

/** Tells keys apart and says nothing of them. */
const nameOf = (secret: string): string =>
  deriveKey(secret, 'name of a token key').toString('base64url').slice(0, 12);
