import { z } from 'zod';
import { Amount, CurrencyId, Decimal, Timestamp } from '../../http/schemas.ts';

export const Balance = z
  .object({ currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal, updatedAt: Timestamp })
  .meta({ id: 'Balance' });

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
