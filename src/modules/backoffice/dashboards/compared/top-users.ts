import type { Tx } from '../../../../platform/db.ts';
import type { Compared } from '../asked.ts';
import { sumDeposits, sumPlay } from '../packed/count.ts';
import { withPrevious } from '../periods/rules.ts';
import { createRanking, type Placed } from '../rules.ts';

export type Rankings = Record<'wagered' | 'won' | 'lost' | 'deposited', Placed[]>;

/** Who has wagered, won, lost and deposited most in a period and in the one before. */
export async function readTopUsers(
  tx: Tx,
  { period, currencyId, take }: Compared & { take: number },
): Promise<{ current: Rankings; previous: Rankings }> {
  const steps = withPrevious(period);
  // The database reads the one while the other is added up.
  const [played, deposited] = await Promise.all([sumPlay(tx, steps), sumDeposits(tx, steps, currencyId)]);
  const rankingsOf = (step: number): Rankings => {
    const ranking = () => createRanking(take);
    const [wagered, won, lost, paidIn] = [ranking(), ranking(), ranking(), ranking()];
    played[step]!.forEach((userId, staked, paid) => {
      wagered.see(userId, staked);
      won.see(userId, paid - staked);
      lost.see(userId, staked - paid);
    });
    deposited[step]!.forEach((userId, amount) => {
      paidIn.see(userId, amount);
    });
    return { wagered: wagered.first, won: won.first, lost: lost.first, deposited: paidIn.first };
  };
  return { previous: rankingsOf(0), current: rankingsOf(1) };
}
