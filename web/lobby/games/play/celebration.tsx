import './celebration.css';
import { useEffect, useRef } from 'react';
import { Imported, lazily } from '../../../kit/load.tsx';
import { isCalm } from './motion.ts';
import { lastShown, type Shown } from './outcome.ts';

const GLOW_MS = 220;

/** Loaded after the stage. A game without the card goes on if the import fails. */
const BigWin = lazily<{ of: Shown }>(async () => {
  const loaded = await import('./big-win.tsx').catch(() => undefined);
  return loaded?.BigWin ?? (() => null);
});

/** Makes the edge of the stage glow after a win. A big win also shows a card and coins, which never delay the next bet. */
export function Celebration() {
  const last = lastShown.use();
  useEffect(() => void BigWin.preload(), []);
  const isWin = last?.level === 'win' || last?.level === 'big';
  return (
    <>
      {isWin && <Glow key={`glow ${last.id}`} />}
      {last?.level === 'big' && (
        <Imported>
          <BigWin key={last.id} of={last} />
        </Imported>
      )}
    </>
  );
}

function Glow() {
  const edge = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isCalm())
      edge.current?.animate([{ opacity: 1 }, { opacity: 0 }], { duration: GLOW_MS, easing: 'ease-out' });
  }, []);
  return <div ref={edge} className="glow" aria-hidden="true" />;
}
