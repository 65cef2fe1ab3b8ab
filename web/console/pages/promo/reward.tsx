import type { PromoAdmin } from '../../../../client/call.ts';
import { Amount } from '../../../kit/amount.tsx';
import { exactMoney, money } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { spinsText } from './spins.ts';

type Rewarded = Pick<PromoAdmin, 'reward' | 'gameNames'>;

/** Free spins as staff set them: their value is in dollars, and they are played in the currency. */
function spinsOf({ reward, gameNames = {} }: Rewarded, isExact: boolean): string {
  const { freeSpins, gameSlug, freeSpinValueUsd, currencyId } = reward;
  const game = (gameSlug && (gameNames[gameSlug] ?? gameSlug)) || 'a game';
  const value = freeSpinValueUsd ?? '0';
  const each = isExact ? exactMoney(value, 'USD') : money(value);
  return `${spinsText(freeSpins ?? 0, game, each)}, in ${currencyId}`;
}

/** Describes a promotion's reward in one line. `isExact` shows all decimals of amounts, for confirmations. */
export function Reward({ of, isExact = false }: { of: Rewarded; isExact?: boolean }) {
  const { kind, currencyId, amount, percent, maxAmount } = of.reward;
  if (kind === 'FREE_SPINS') return spinsOf(of, isExact);
  const what = words(kind).toLowerCase();
  const shown = (value: string | null | undefined) =>
    isExact && value ? exactMoney(value, currencyId) : <Amount of={value} in={currencyId} />;
  if (amount)
    return (
      <>
        {shown(amount)} {what}
      </>
    );
  // The platform's built-in promotion has no fixed amount. Each grant has its own amount.
  if (percent === null || percent === undefined) return `${what}, amount per grant`;
  return (
    <>
      {percent}% {what}
      {maxAmount ? <>, up to {shown(maxAmount)}</> : ', without an upper limit'}
    </>
  );
}
