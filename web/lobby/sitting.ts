import { useEffect, useState } from 'react';
import type { Events } from '../../client/events.ts';
import { formatUnits, ONE, type Units, units } from '../../src/platform/money.ts';
import { useIsLive } from '../kit/live.ts';
import { refresh, useRead } from '../kit/query.ts';
import { useMe } from '../kit/session.tsx';
import { local } from '../kit/storage.ts';
import { createStore } from '../kit/store.ts';

/** After a break of this length a new playing session starts. */
const BREAK_MS = 30 * 60_000;
const KEY = 'sitting';
const STATS = 'GET /user/me/stats';
/** Maximum time by which statistics may lag behind the bets. */
const STATS_LAG_MS = 3000;
const WITHOUT_SOCKET_MS = 30_000;

/** A playing session without a long break. `since`: its start. `before`: the player's total profit at its start (US dollars × 10^8). */
type Sitting = { userId: number; since: number; last: number; before: string };

const settled = createStore<Units>(0n);

/** Adds the result of a settled bet of the player. */
export function countBet({ usdAmount, usdPayout }: Events['bet.settled']): void {
  settled.set(settled.get() + units(usdPayout) - units(usdAmount));
}

const signed = (text: string): Units => (text.startsWith('-') ? -units(text.slice(1)) : units(text));

function known(userId: number): Sitting | undefined {
  const kept = local.get(KEY);
  const sitting = kept === undefined ? undefined : (JSON.parse(kept) as Sitting);
  return sitting?.userId === userId && Date.now() - sitting.last < BREAK_MS ? sitting : undefined;
}

export type Sat = { since: number; net: Units };

/** Returns the start of the playing session and the player's net result since then. Undefined until it is known. */
export function useSitting(): Sat | undefined {
  const { id: userId } = useMe();
  const isLive = useIsLive();
  const stats = useRead(
    STATS,
    {},
    { staleMs: Number.POSITIVE_INFINITY, ...(!isLive && { everyMs: WITHOUT_SOCKET_MS }) },
  );
  // Reads the statistics again when the socket opens, because no event reports earlier bets.
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => void refresh(STATS), STATS_LAG_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  const all = settled.use();
  const [read, setRead] = useState({ at: 0, settled: 0n });
  if (stats.dataUpdatedAt !== read.at) setRead({ at: stats.dataUpdatedAt, settled: all });
  /** Adds only bets that were settled after the statistics were read, because the statistics include the earlier bets. */
  const since = all - read.settled;
  const profit = stats.data && signed(stats.data.profitUsd);
  const sitting =
    profit === undefined
      ? undefined
      : (known(userId) ?? { userId, since: Date.now(), last: Date.now(), before: String(profit) });
  useEffect(() => {
    if (!sitting) return;
    const keep = () => local.set(KEY, JSON.stringify({ ...sitting, last: Date.now() }));
    keep();
    const timer = setInterval(keep, 60_000);
    return () => clearInterval(timer);
  });
  return sitting && { since: sitting.since, net: profit! - BigInt(sitting.before) + since };
}

/** Formats an amount with a sign and two decimals, rounded towards zero. For display only. */
export function shortUsd(net: Units): string {
  const cents = (net < 0n ? -net : net) / (ONE / 100n);
  const text = formatUnits(cents * (ONE / 100n));
  const [whole, decimals = ''] = text.split('.');
  return `${net < 0n ? '−' : net > 0n ? '+' : ''}${whole}.${decimals.padEnd(2, '0')}`;
}
