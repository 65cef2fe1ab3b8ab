import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import type { Units } from '../../../../platform/money.ts';
import { createEncryption, dataSecret } from '../../../../platform/secrets/encryption.ts';
import { withdrawalErrors } from './errors.ts';

/** The order that a quote is for. */
type Quoted = { userId: number; currencyId: string; networkId: string; amount: Units };

const QUOTE_LIFE_MS = 60_000;

/** Quotes fix the fee for a minute. They are not stored: the quote id is the encrypted and authenticated quote. */
export function createQuotes({ config, clock }: { config: Config; clock: Clock }) {
  const encryption = createEncryption(dataSecret(config), 'withdrawal quotes');
  const factsOf = (q: Quoted) => [q.userId, q.currencyId, q.networkId, String(q.amount)];
  return {
    make(quoted: Quoted, fee: Units): { quoteId: string; expiresAt: Date } {
      const expiresAt = clock.now() + QUOTE_LIFE_MS;
      const text = JSON.stringify([...factsOf(quoted), String(fee), expiresAt]);
      return {
        quoteId: encryption.seal(Buffer.from(text)).toString('base64url'),
        expiresAt: new Date(expiresAt),
      };
    },

    /** Returns the fee of a quote. Throws 409 QUOTE_EXPIRED if it has expired or is for another order. */
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
