import type { Clock } from '../../../../platform/clock.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import type { Units } from '../../../../platform/money.ts';
import { withdrawalErrors } from './errors.ts';

/** What a quote was made for. */
export type Quoted = { userId: number; currencyId: string; networkId: string; amount: Units };
export type Quotes = ReturnType<typeof createQuotes>;

const LIFE_MS = 60_000;

/** Quotes fix the fee for a minute. They are sealed, not stored: nobody but us can make or change one. */
export function createQuotes({ secret, clock }: { secret: string; clock: Clock }) {
  const encryption = createEncryption(secret, 'withdrawal quotes');
  const factsOf = (q: Quoted) => [q.userId, q.currencyId, q.networkId, String(q.amount)];
  return {
    make(quoted: Quoted, fee: Units): { quoteId: string; expiresAt: Date } {
      const expiresAt = clock.now() + LIFE_MS;
      const text = JSON.stringify([...factsOf(quoted), String(fee), expiresAt]);
      return {
        quoteId: encryption.seal(Buffer.from(text)).toString('base64url'),
        expiresAt: new Date(expiresAt),
      };
    },

    /** The fee that a quote fixes. Throws 409 QUOTE_EXPIRED when it is over, or was made for something else. */
    feeOf(quoteId: string, quoted: Quoted): Units {
      const [userId, currencyId, networkId, amount, fee, expiresAt] = open(quoteId) ?? [];
      const facts = [userId, currencyId, networkId, amount];
      const isSame = factsOf(quoted).every((fact, i) => fact === facts[i]);
      if (!isSame || Number(expiresAt) <= clock.now()) throw withdrawalErrors.QUOTE_EXPIRED();
      return BigInt(fee as string);
    },
  };

  function open(quoteId: string): unknown[] | undefined {
    try {
      return JSON.parse(encryption.open(Buffer.from(quoteId, 'base64url')).toString()) as unknown[];
    } catch {
      return undefined;
    }
  }
}
