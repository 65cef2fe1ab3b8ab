import { z } from 'zod';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';

const balance = { currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal, updatedAt: Timestamp };
export const Balance = object('Balance', balance);

/** What a player's own screen needs beside: which of two balances is the newer one. */
export const OwnBalance = object('OwnBalance', {
  ...balance,
  version: z.number().int().meta({
    description: 'Grows with every change of the wallet; that of the event `balance.updated`.',
  }),
});

export const VaultBalance = object('VaultBalance', {
  currencyId: CurrencyId,
  vaultAmount: Decimal,
  usdAmount: Decimal.optional(),
  updatedAt: Timestamp,
});

export const VaultMove = strictObject('VaultMove', { currencyId: CurrencyId, amount: Amount });

export const VaultChange = object('VaultChange', {
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal,
  vaultAmount: Decimal,
  beforeBalance: Decimal,
  afterBalance: Decimal,
  beforeVaultBalance: Decimal,
  afterVaultBalance: Decimal,
  updatedAt: Timestamp,
});
