import { useEffect, useRef, useState } from 'react';
import { serverNow } from './clock.ts';
import { duration, exactly } from './intl.ts';
import { kit } from './words.ts';

const HOUR_MS = 3_600_000;

type CountdownProps = {
  to: string;
  /** Shown once the time is over. */
  over: string;
  /** Called once, when the time is over. */
  onOver?: () => void;
};

/** The time that is left, in its two largest units: 2 days 4 hr. It counts seconds in the last hour, otherwise minutes. */
export function Countdown({ to, over, onOver }: CountdownProps) {
  const [now, setNow] = useState(serverNow);
  const left = Date.parse(to) - now;
  const isOver = left <= 0;
  const everyMs = left < HOUR_MS ? 1000 : 30_000;
  const latest = useRef(onOver);
  useEffect(() => {
    latest.current = onOver;
  });
  useEffect(() => {
    if (isOver) {
      latest.current?.();
      return;
    }
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [isOver, everyMs]);
  return (
    <time dateTime={to} title={exactly(to)} lang={kit.locale} className="nowrap">
      {isOver ? over : duration(left)}
    </time>
  );
}
