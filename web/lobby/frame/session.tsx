import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../kit/icon.tsx';
import { useIsCut, useIsLive } from '../../kit/live.ts';
import { minutesSince } from '../reality-check.tsx';
import { netOf, type Sat } from '../sitting.ts';
import { words } from '../words.ts';

/** Time and net result of the playing session. It opens Safer play. `kind`: a pill in the top bar, or a strip on phones. */
export function Session({ sat, kind }: { sat: Sat; kind: 'pill' | 'strip' }) {
  const isLive = useIsLive();
  const isCut = useIsCut();
  useEveryMinute();
  const [minutes, net] = [minutesSince(sat.since), netOf(sat.net)];
  return (
    <Link
      href="/protection"
      className={`session ${kind}`}
      title={words.frame.session(minutes, net)}
      data-live={isLive}
    >
      <Icon name="clock" size={14} />
      <span>{words.protect.time(minutes)}</span>
      <i aria-hidden="true" />
      <span>{words.protect.net(net)}</span>
      {isCut && (
        <span className="warn line" role="status">
          <span className="dot" /> {words.frame.notLive}
        </span>
      )}
      {kind === 'strip' && <span className="limits">{words.protect.limits}</span>}
    </Link>
  );
}

function useEveryMinute(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}
