import { useEffect } from 'react';
import type { OwnBalance } from '../../client/call.ts';
import type { Events } from '../../client/events.ts';
import { call } from '../kit/api.ts';
import { isLive } from '../kit/live.ts';
import { queries, refresh, useRead } from '../kit/query.ts';
import { createStore } from '../kit/store.ts';
import { ownStore } from './own-store.ts';

const BALANCES = 'GET /accounting/balances';
type Told = Pick<Events['balance.updated'], 'currencyId' | 'amount' | 'version'>;

/** Number of outcomes whose animation is running. The displayed balance does not change until this number is zero. */
let revealing = 0;
/** True while an outcome is revealed. */
export const isRevealing = createStore(false);
const waiting = new Map<string, Told>();
const delayed: (() => void)[] = [];

/** Applies a balance from the socket if it is newer than the balance that is already known. */
export function takeBalance(told: Told): void {
  const before = waiting.get(told.currencyId);
  if (before === undefined || before.version < told.version) waiting.set(told.currencyId, told);
  if (revealing === 0) show();
}

/** Reads the balances again when the socket opens, because no event reports earlier changes. */
export async function readBalances(): Promise<void> {
  const all = await call(BALANCES, {}).catch(() => []);
  for (const balance of all) takeBalance(balance);
}

/**
 * Stops updates of the displayed balance until the returned function is called. Otherwise the balance would reveal the outcome before its
 * animation ends.
 */
export function holdBalances(): () => void {
  revealing++;
  isRevealing.set(true);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    revealing--;
    if (revealing === 0) {
      isRevealing.set(false);
      show();
      for (const run of delayed.splice(0)) run();
    }
    // Reads the balances again, because without the socket no event has reported changes in the meantime.
    if (!isLive()) void refresh(BALANCES);
  };
}

function show(): void {
  for (const { currencyId, amount, version } of waiting.values())
    queries.setQueryData<OwnBalance[]>([BALANCES, {}], (known) => {
      if (known === undefined) return undefined;
      const one = known.find((balance) => balance.currencyId === currencyId);
      if (!one) {
        void queries.invalidateQueries({ queryKey: [BALANCES] });
        return known;
      }
      return one.version >= version
        ? known
        : known.map((balance) => (balance === one ? { ...one, amount, version } : balance));
    });
  waiting.clear();
}

/** Runs the function when no outcome is revealed, for figures that would reveal the outcome early. */
export function afterReveal(run: () => void): void {
  if (revealing === 0) run();
  else delayed.push(run);
}

/** The player's cash, one entry per currency. */
export const useBalances = () => useRead(BALANCES, {}, { staleMs: Number.POSITIVE_INFINITY });

const currency = ownStore('currency');

/** The currency of play: the selected one, if the player has such a balance. */
export function useCurrency() {
  const chosen = currency.use() ?? 'USDT';
  const { data } = useBalances();
  const isThere = data === undefined || data.some(({ currencyId }) => currencyId === chosen);
  const first = data?.[0]?.currencyId;
  const currencyId = isThere ? chosen : (first ?? chosen);
  useEffect(() => {
    if (currencyId !== chosen) currency.pin(currencyId);
  }, [currencyId, chosen]);
  return {
    currencyId,
    amount: data?.find((balance) => balance.currencyId === currencyId)?.amount ?? '0',
    /** False until the balances are loaded. */
    isKnown: data !== undefined,
    choose: currency.set,
  };
}
