import { useEffect, useRef, useState } from 'react';
import { formatUnits, units } from '../../../../src/platform/money.ts';
import { multiplier } from '../../../kit/intl.ts';
import { isCalm } from './motion.ts';
import type { Shown } from './outcome.ts';
import { signedUsd } from './panel-parts.tsx';

const POP_MS = 420;
const FALL_MS = 900;
const SHOWN_MS = 2400;
const COINS = 24;
const POP = 'linear(0, .36 8%, .86 18%, 1.09 29%, 1.06 36%, .99 52%, 1.004 70%, 1)';

/** The card of a big win. It closes after SHOWN_MS, or on any key or click. Screen readers read the outcome from the game's status. */
export function BigWin({ of: { multiplier: m, payout, betAmount } }: { of: Shown }) {
  const [isOpen, setOpen] = useState(true);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const close = () => setOpen(false);
    const timer = setTimeout(close, SHOWN_MS);
    document.addEventListener('keydown', close);
    document.addEventListener('pointerdown', close);
    if (!isCalm())
      card.current?.animate(
        [
          { transform: 'scale(.4)', opacity: 0 },
          { transform: 'scale(1)', opacity: 1 },
        ],
        {
          duration: POP_MS,
          easing: POP,
        },
      );
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', close);
      document.removeEventListener('pointerdown', close);
    };
  }, []);
  if (!isOpen) return null;
  return (
    <div className="big-win" aria-hidden="true">
      {!isCalm() && <Coins />}
      <div ref={card} className="card">
        <b>{multiplier(m)}</b>
        <span title={`${formatUnits(units(payout))} USD`}>{signedUsd(units(payout) - units(betAmount))}</span>
      </div>
    </div>
  );
}

/** Coins that fall once. Their places only look random. */
function Coins() {
  const all = useRef<HTMLDivElement>(null);
  useEffect(() => {
    for (const [index, coin] of [...(all.current?.children ?? [])].entries())
      coin.animate(
        [
          { transform: `translateY(-120px) rotate(0deg)`, opacity: 1 },
          { transform: `translateY(680px) rotate(${180 + index * 37}deg)`, opacity: 1 },
        ],
        { duration: FALL_MS, delay: (index % 6) * 40, easing: 'cubic-bezier(.4, 0, .9, .6)', fill: 'both' },
      );
  }, []);
  return (
    <div ref={all}>
      {Array.from({ length: COINS }, (_, index) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: the coins are alike
          key={index}
          style={{ insetInlineStart: `${(index * 151 + 40) % 97}%` }}
        />
      ))}
    </div>
  );
}
