import { parseUnits } from '../../../../src/platform/money.ts';
import type { Draft } from './cost.ts';

/** Shown for a deposit promotion that requires no deposit. */
export const WITHOUT_DEPOSIT = 'Anyone can claim it without a deposit.';

const isPositive = (amount: string | null | undefined): boolean => (parseUnits(amount ?? '') ?? 0n) > 0n;

const hasPercent = ({ percent }: Draft['reward']): boolean => percent !== null && percent !== undefined;

/** Says which deposit the minimum applies to. */
export const countedDeposit = (reward: Draft['reward'] | undefined): string =>
  reward && hasPercent(reward) ? 'the deposit that activates the bonus' : 'the largest deposit so far';

/** True for a deposit promotion that requires no deposit. Without a minimum deposit, only a percentage reward requires a deposit. */
export function isWithoutDeposit({ type, reward, conditions }: Draft): boolean {
  const isComplete = reward.kind === 'FREE_SPINS' || isPositive(reward.amount);
  return (
    type === 'DEPOSIT' &&
    isComplete &&
    !hasPercent(reward) &&
    !isPositive(conditions.minDepositUsd) &&
    !isPositive(conditions.depositSumUsd)
  );
}
