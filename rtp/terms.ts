import type { Terms } from '../src/modules/games/betting/rules.ts';
import { ONE } from '../src/platform/money.ts';

/** Every bet is one unit of a currency that is worth one dollar and has eight decimals. No payout reaches the maximum profit. */
export const TERMS: Terms = {
  betUsd: ONE,
  stake: ONE,
  rate: 10n ** 12n,
  decimals: 8,
  maxProfitUsd: ONE * 10n ** 9n,
};

export const RTP_BP = 9900;
