import { z } from 'zod';
import { Amount, CurrencyId, Decimal, Timestamp } from '../../../http/schemas.ts';

const balance = { currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal, updatedAt: Timestamp };
export const Balance = z.object(balance).meta({ id: 'Balance' });

/** What a player's own screen needs beside: which of two balances is the newer one. */
export const OwnBalance = z
  .object({
    ...balance,
    version: z.number().int().meta({
      description: 'Grows with every change of the wallet; that of the event `balance.updated`.',
    }),
  })
  .meta({ id: 'OwnBalance' });

export const VaultBalance = z
  .object({
    currencyId: CurrencyId,
    vaultAmount: Decimal,
    usdAmount: Decimal.optional(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'VaultBalance' });

export const VaultMove = z.strictObject({ currencyId: CurrencyId, amount: Amount }).meta({ id: 'VaultMove' });

export const VaultChange = z
  .object({
    currencyId: CurrencyId,
    amount: Decimal,
    usdAmount: Decimal,
    vaultAmount: Decimal,
    beforeBalance: Decimal,
    afterBalance: Decimal,
    beforeVaultBalance: Decimal,
    afterVaultBalance: Decimal,
    updatedAt: Timestamp,
  })
  .meta({ id: 'VaultChange' });
