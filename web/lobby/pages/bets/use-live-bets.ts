import { useEffect, useRef, useState } from 'react';
import type { LiveBetRow } from '../../../../client/call.ts';
import { useIsLive } from '../../../kit/live.ts';
import { queries, useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { useRoom } from '../../room.ts';

const LIVE = 'GET /live-bets';
const OPEN_LIVE = 'GET /public/live-bets';
export type Kind = 'ALL' | 'HIGH_ROLLERS' | 'LUCKY_WINS';

/** Visitors have no socket. The server reads the feed once a second, and returns 304 while it stays the same. */
const VISITORS_MS = 2000;
/** Refresh interval of the filtered lists, which no event updates. */
const FILTERED_MS = 10_000;

/** The latest bets of all players, updated live. */
export function useLiveBets(type: Kind, count: number) {
  const isIn = useOptionalMe() !== undefined;
  const hasEvents = useIsLive() && type === 'ALL';
  const input = { query: { type, count } };
  const own = useRead(LIVE, input, { isEnabled: isIn, everyMs: hasEvents ? undefined : FILTERED_MS });
  const open = useRead(OPEN_LIVE, input, {
    isEnabled: !isIn,
    everyMs: type === 'ALL' ? VISITORS_MS : FILTERED_MS,
  });
  useRoom('public', {
    'live-bets.new': ({ bets }) => {
      if (type !== 'ALL') return;
      queries.setQueryData<LiveBetRow[]>([LIVE, input], (known) => {
        if (!known) return undefined;
        const fresh = bets.filter(({ id }) => known.every((row) => row.id !== id));
        return [...fresh, ...known].slice(0, count);
      });
    },
  });
  return isIn ? own : open;
}

/** At most two new rows a second, so that a reader can follow. */
const STEP_MS = 500;
/** With more new rows than this, all are shown together. */
const MOST_WAITING = 8;

type Shown = { rows: readonly LiveBetRow[]; settled: ReadonlySet<string> };
const showAll = (rows: readonly LiveBetRow[]): Shown => ({
  rows,
  settled: new Set(rows.map(({ id }) => id)),
});

/** Returns the rows of a feed, in which new ones appear one after another. None appear while `isHeld`. */
export function useTrickle(feed: readonly LiveBetRow[], isHeld: boolean) {
  const [shown, setShown] = useState(() => showAll(feed));
  const latest = useRef(feed);
  useEffect(() => {
    latest.current = feed;
  });
  useEffect(() => {
    if (isHeld) return;
    const step = () =>
      setShown((known) => {
        const now = latest.current;
        if (known.rows.length === 0) return now.length === 0 ? known : showAll(now);
        const waiting = now.filter(({ id }) => known.rows.every((row) => row.id !== id));
        if (waiting.length === 0) return known;
        if (waiting.length > MOST_WAITING) return showAll(now);
        return { ...known, rows: [waiting.at(-1)!, ...known.rows].slice(0, now.length) };
      });
    const timer = setInterval(step, STEP_MS);
    return () => clearInterval(timer);
  }, [isHeld]);
  return { rows: shown.rows, isFresh: ({ id }: LiveBetRow) => !shown.settled.has(id) };
}
