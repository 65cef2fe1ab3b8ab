import { z } from 'zod';
import { CurrencyId, Decimal, object, Timestamp } from '../../../http/schemas.ts';

const balance = { currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal, updatedAt: Timestamp };
export const Balance = object('Balance', balance);

export const OwnBalance = object('OwnBalance', {
  ...balance,
  version: z.number().int().meta({
    description:
      'Increases with every change of the wallet. The event `balance.updated` contains the same number.',
  }),
});

export const VaultBalance = object('VaultBalance', {
  currencyId: CurrencyId,
  vaultAmount: Decimal,
  usdAmount: Decimal.optional(),
  updatedAt: Timestamp,
});
