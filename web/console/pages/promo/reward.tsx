import type { PromoAdmin } from '../../../../client/call.ts';
import { Amount } from '../../../kit/amount.tsx';
import { words } from '../../../kit/page.tsx';

/** Describes a promotion's reward in one line. */
export function Reward({ of: reward }: { of: PromoAdmin['reward'] }) {
  const { kind, currencyId, amount, percent, maxAmount, freeSpins, gameSlug } = reward;
  if (kind === 'FREE_SPINS') return `${freeSpins} free spins on ${gameSlug}`;
  const what = words(kind).toLowerCase();
  if (amount)
    return (
      <>
        <Amount of={amount} in={currencyId} /> {what}
      </>
    );
  // The platform's built-in promotion has no fixed amount. Each grant has its own amount.
  if (percent === null || percent === undefined) return `${what}, amount per grant`;
  return (
    <>
      {percent}% {what}, up to <Amount of={maxAmount} in={currencyId} />
    </>
  );
}
