import type { Terms } from '../../../src/modules/games/betting/rules.ts';
import { ONE, units } from '../../../src/platform/money.ts';

export const SEED = '0123456789abcdef'.repeat(4);

/** A bet of one US dollar in a currency with two decimals, whose profit is not limited. */
export const TERMS: Terms = {
  betUsd: ONE,
  stake: ONE,
  rate: 10n ** 12n,
  decimals: 2,
  maxProfitUsd: units('90000000000'),
};

/** RTPs in basis points: the lowest, the usual one and the highest. */
export const RTPS = [8000, 9900, 9990];
