import { mulDivDown, type Units } from '../../../platform/money.ts';

/** What has to be wagered of a reward before anything is paid out. */
export const turnoverOf = (usdAmount: Units, percent: number): Units =>
  mulDivDown(usdAmount, BigInt(percent), 100n);
