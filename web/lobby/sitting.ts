import { useEffect, useState } from 'react';
import { formatUnits, type Units } from '../../src/platform/money.ts';
import { money } from '../kit/intl.ts';
import { useIsLive } from '../kit/live.ts';
import { refresh, useRead } from '../kit/query.ts';
import { signed } from './amounts.ts';
import { afterReveal } from './balances.ts';
import { own } from './own.ts';

/** After a break of this length a new playing session starts. */
const BREAK_MS = 30 * 60_000;
const KEY = 'sitting';
const STATS = 'GET /user/me/stats';
/** The least time between two reads of the statistics. */
const READ_MS = 2000;
const WITHOUT_SOCKET_MS = 30_000;

/** A playing session without a long break. `since`: its start. `before`: the player's total profit at its start (US dollars × 10^8). */
type Sitting = { since: number; last: number; before: string };

let readAt = 0;
let isDue = false;

/**
 * Reads the player's statistics again soon after a bet was settled or rolled back. The statistics include every bet exactly once. Sums of
 * events would not: an event may report a bet that the statistics already include, or a bet that an earlier event reported.
 */
export function readResult(): void {
  if (isDue) return;
  isDue = true;
  const read = () => {
    isDue = false;
    readAt = Date.now();
    void refresh(STATS);
  };
  setTimeout(read, Math.max(0, readAt + READ_MS - Date.now()));
}

function isSitting(stored: unknown): stored is Sitting {
  const { since, last, before } = (stored ?? {}) as Partial<Record<keyof Sitting, unknown>>;
  return [since, last].every(Number.isFinite) && typeof before === 'string' && /^-?\d{1,30}$/.test(before);
}

function known(): Sitting | undefined {
  const sitting = own.read(KEY, isSitting);
  return sitting && Date.now() - sitting.last < BREAK_MS ? sitting : undefined;
}

export type Sat = { since: number; net: Units };

/** Returns the start of the playing session and the player's net result since then. Undefined until it is known. */
export function useSitting(): Sat | undefined {
  const profit = useProfit();
  const sitting =
    profit === undefined
      ? undefined
      : (known() ?? { since: Date.now(), last: Date.now(), before: String(profit) });
  useEffect(() => {
    if (!sitting) return;
    const keep = () => own.set(KEY, JSON.stringify({ ...sitting, last: Date.now() }));
    keep();
    const timer = setInterval(keep, 60_000);
    return () => clearInterval(timer);
  });
  return sitting && { since: sitting.since, net: profit! - BigInt(sitting.before) };
}

/** Returns the player's total profit without the bet that is being revealed. */
function useProfit(): Units | undefined {
  const isLive = useIsLive();
  const { data } = useRead(
    STATS,
    {},
    { staleMs: Number.POSITIVE_INFINITY, ...(!isLive && { everyMs: WITHOUT_SOCKET_MS }) },
  );
  const [shown, setShown] = useState<Units>();
  // Reads the statistics again when the socket opens, because no event reports earlier bets.
  useEffect(() => {
    if (isLive) readResult();
  }, [isLive]);
  useEffect(() => {
    if (data) afterReveal(() => setShown(signed(data.profitUsd)));
  }, [data]);
  return shown;
}

/** The net result in the language of the page, with its sign. */
export const netOf = (net: Units): string =>
  money(`${net < 0n ? '-' : ''}${formatUnits(net < 0n ? -net : net)}`, 'USD', true);
