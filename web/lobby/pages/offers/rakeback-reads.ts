import { useState } from 'react';
import type { RakebackState } from '../../../../client/call.ts';
import { money } from '../../../kit/intl.ts';
import { useAct, useRead } from '../../../kit/query.ts';
import { say } from '../../../kit/toast.tsx';
import { isPositive, sum } from '../../amounts.ts';
import { words } from '../../words.ts';

export const RAKEBACK = 'GET /rakeback';
export const PERIODS = ['instant', 'daily', 'weekly', 'monthly'] as const;
export type Period = (typeof PERIODS)[number];
/** The periods that unlock at a known time. Instant rakeback can be claimed at any time. */
export const UNLOCKING = ['daily', 'weekly', 'monthly'] as const;

const STALE = [RAKEBACK, 'GET /accounting/balances'] as const;

export const useRakeback = () => useRead(RAKEBACK, {}, { staleMs: 60_000 });

/** When the next of a player's periods unlocks, or undefined if nothing accrues. */
export function nextUnlock({ currencies }: RakebackState): { period: Period; at: string } | undefined {
  const unlocks = currencies.flatMap((currency) =>
    UNLOCKING.filter((period) => isPositive(currency[period].accumulated)).map((period) => ({
      period,
      at: currency[period].unlocksAt,
    })),
  );
  return unlocks.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
}

/** Claims periods one after the other. Each of them is a request of its own. */
export function useClaim() {
  const claim = useAct('POST /rakeback/claim', { stale: STALE });
  const [busy, setBusy] = useState<readonly Period[]>([]);
  const run = async (periods: readonly Period[]) => {
    setBusy(periods);
    const paid: string[] = [];
    for (const period of periods) {
      const done = await claim.run({ body: { period } });
      if (!done) break;
      paid.push(done.answer.totalUsd);
    }
    setBusy([]);
    if (paid.length > 0) say(words.offers.rakeback.claimed(money(sum(paid))));
  };
  return { run, busy, refused: claim.refused };
}

export const claimablePeriods = ({ totalsUsd }: RakebackState) =>
  PERIODS.filter((period) => isPositive(totalsUsd[period]));
