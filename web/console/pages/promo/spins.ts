import { plural } from '../../../kit/intl.ts';

/** 10 free spins on Book of Gold at 0.20 USDT each. `each` is the stake of a spin. */
export const spinsText = (count: number, game: string, each: string): string =>
  `${plural(count, { one: '# free spin', other: '# free spins' })} on ${game} at ${each} each`;
