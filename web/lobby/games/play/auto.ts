import { useEffect, useRef, useState } from 'react';
import type { Op, Refused, RefusedBet } from '../../../../client/call.ts';
import { type Units, units } from '../../../../src/platform/money.ts';
import { asRefused } from '../../../kit/query.ts';
import { createStore } from '../../../kit/store.ts';
import { noteRefusal } from '../../exclusion.ts';
import { words } from '../../words.ts';
import type { Ended } from './levels.ts';
import type { Plan } from './plan.ts';
import { pendingBets } from './send.ts';
import type { Stake } from './stake.ts';
import { announce, autoplay } from './use-bet.ts';

export type Answered<B> = { bets: B[]; refused: RefusedBet | null; unknown: number };

export type Auto<B extends Ended> = {
  /** Places this number of bets with one idempotency key (`send`). */
  ask: (stake: Stake, count: number) => Promise<Answered<B>>;
  /** Shows one outcome. */
  reveal: (bet: B) => Promise<unknown> | undefined;
  /** Describes one outcome. */
  say: (bet: B) => string;
  /** Time between an outcome and the next bet. */
  pauseMs?: number | undefined;
};

/** True if the player's country does not allow autoplay. The tab is then hidden. */
export const isAutoClosed = createStore(false);

type Tally = { left: number; net: Units; stake: Units; isAway: boolean; end?: string | undefined };

/** Loads what plays a series of bets. Call it when the Auto tab is opened, so that a series starts immediately. */
export const loadSeries = () => import('./series.ts');

/** Runs a series of bets, which shows their outcomes one after another. */
export function useAuto<B extends Ended>(game: string, auto: Auto<B> | undefined) {
  const latest = useRef(auto);
  const isWanted = useRef(false);
  const [state, setState] = useState<'idle' | 'running' | 'ending'>('idle');
  const [tally, setTally] = useState<Tally>();
  const [refused, setRefused] = useState<Refused>();
  useEffect(() => {
    latest.current = auto;
  });
  useEffect(
    () => () => {
      isWanted.current = false;
      autoplay.set(false);
    },
    [],
  );
  const refuse = (error: unknown) => {
    noteRefusal(error);
    const no = asRefused(error);
    if (no.code === 'SERIES_CLOSED') isAutoClosed.set(true);
    setRefused(no);
  };
  const isPending = useLost(game, latest, refuse);
  const start = async (stake: Stake, plan: Plan) => {
    if (autoplay.get()) return;
    isWanted.current = true;
    autoplay.set(true);
    setState('running');
    setRefused(undefined);
    const so: Tally = { left: plan.count, net: 0n, stake: units(stake.betAmount), isAway: false };
    const run = { game, plan, so, stake, tell: () => setTally({ ...so }), isWanted, latest } as const;
    run.tell();
    try {
      const { playSeries } = await loadSeries();
      so.end = await playSeries(run);
    } catch (error) {
      refuse(error);
      so.end = words.auto.ends.refused;
    }
    autoplay.set(false);
    run.tell();
    announce(so.end);
    setState('idle');
  };
  const stop = () => {
    isWanted.current = false;
    setState('ending');
  };
  const forget = () => setRefused(undefined);
  return {
    isPending,
    isRunning: state !== 'idle',
    isEnding: state === 'ending',
    tally,
    refused,
    forget,
    start,
    stop,
  };
}

/** The operations that place the bets of a series. */
const opsOf = (game: string) =>
  ['series', 'auto-spin'].map((name) => `POST /casino/games/house/${game}/${name}` as Op);

/** Shows the bets of a series whose response was lost by a reload of the page. Returns true until they are known. */
function useLost<B extends Ended>(
  game: string,
  latest: { readonly current: Auto<B> | undefined },
  refuse: (error: unknown) => void,
): boolean {
  const [isPending, setPending] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after a reload
  useEffect(() => {
    let isThere = true;
    const asked = opsOf(game).flatMap((op) => pendingBets(op, { isWanted: () => isThere }));
    if (asked.length > 0) {
      setPending(true);
      loadSeries()
        .then(({ showLost }) => showLost(game, asked, latest))
        .catch(refuse)
        .finally(() => setPending(false));
    }
    return () => {
      isThere = false;
    };
  }, []);
  return isPending;
}

export type Run<B extends Ended> = {
  game: string;
  plan: Plan;
  so: Tally;
  stake: Stake;
  tell: () => void;
  isWanted: { readonly current: boolean };
  latest: { readonly current: Auto<B> | undefined };
};
