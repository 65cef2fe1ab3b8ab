import { createHmac } from 'node:crypto';
import { createEncryption, deriveKey } from '../../../platform/encryption.ts';
import { sameness } from './rules.ts';
import type { Person } from './schemas.ts';

export type Persons = ReturnType<typeof createPersons>;

/** How what players state about themselves is kept: sealed, with a key that is equal for the same person. */
export function createPersons(secret: string) {
  const encryption = createEncryption(secret, 'kyc');
  const key = deriveKey(secret, 'kyc same person');
  return {
    seal: (person: Person) => ({
      sealed: encryption.seal(Buffer.from(JSON.stringify(person))),
      personKey: createHmac('sha256', key).update(sameness(person)).digest(),
    }),
    open: (sealed: Buffer): Person => JSON.parse(encryption.open(sealed).toString()) as Person,
  };
}
