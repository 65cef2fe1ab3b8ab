import type { Tx } from '../../../../platform/db.ts';
import type { Compared } from '../asked.ts';
import { sumDeposits, sumPlay } from '../packed/count.ts';
import { withPrevious } from '../periods/rules.ts';
import { largest, type Placed } from '../rules.ts';

export type Rankings = Record<'wagered' | 'won' | 'lost' | 'deposited', Placed[]>;

/** Who has wagered, won, lost and deposited most in a period and in the one before. */
export async function readTopUsers(
  tx: Tx,
  { period, currencyId, take }: Compared & { take: number },
): Promise<{ current: Rankings; previous: Rankings }> {
  const steps = withPrevious(period);
  const played = await sumPlay(tx, steps);
  const deposited = await sumDeposits(tx, steps, currencyId);
  const rankingsOf = (step: number): Rankings => {
    const { userIds, one: staked, two: paid } = played[step]!;
    const { userIds: depositors, one: paidIn } = deposited[step]!;
    return {
      wagered: largest(userIds, (i) => staked[i]!, take),
      won: largest(userIds, (i) => paid[i]! - staked[i]!, take),
      lost: largest(userIds, (i) => staked[i]! - paid[i]!, take),
      deposited: largest(depositors, (i) => paidIn[i]!, take),
    };
  };
  return { previous: rankingsOf(0), current: rankingsOf(1) };
}
