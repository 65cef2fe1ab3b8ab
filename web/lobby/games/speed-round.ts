import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import type { Events } from '../../../client/events.ts';
import {
  type Color,
  colorOf,
  multiplierOf,
} from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { useIsLive } from '../../kit/live.ts';
import { queries, refresh, useRead } from '../../kit/query.ts';
import { useOptionalMe } from '../../kit/session.tsx';
import { holdBalances } from '../balances.ts';
import { useRoom } from '../room.ts';
import { words } from '../words.ts';
import { beginReveal } from './play/motion.ts';
import { paidWords, showOutcome } from './play/outcome.ts';
import { announce } from './play/use-bet.ts';

const INFO = 'GET /casino/games/house/speed-roulette/info';
export type Info = Answer<typeof INFO>;
export type Config = Answer<'GET /casino/games/house/speed-roulette/config'>;

const KEY = [INFO, {}];
const POLL_MS = 2000;
/** Maximum time for which updates of the displayed balance are held back. It is limited because the result may never arrive. */
const MOST_HELD_MS = 15_000;
/** The time for which a result is shown, until the configuration is loaded. */
const USUAL_RESULT_MS = 8000;

export type OwnBet = { color: Color; betAmount: string };
type Own = { roundId: string; bets: readonly OwnBet[] };

/** Time until the end of the phase by the server's clock. `readAt`: when the round was read. */
export const leftMs = ({ timeToNextBlockMs }: Info, readAt: number): number =>
  Math.max(0, readAt + timeToNextBlockMs - Date.now());

/** Changes the known round. The time at which it was read stays, because the countdown is relative to that time. */
function patch(change: (known: Info) => Info): void {
  const readAt = queries.getQueryState(KEY)?.dataUpdatedAt;
  queries.setQueryData<Info>(KEY, (known) => known && change(known), {
    ...(readAt !== undefined && { updatedAt: readAt }),
  });
}

/** Adds new bets of the round, or replaces all bets (mode ALL). */
const takeBets = ({ roundId, mode, bets }: Events['speed-roulette.bet']): void =>
  patch((known) =>
    known.game.roundId === roundId
      ? { ...known, usersBets: mode === 'ALL' ? bets : [...known.usersBets, ...bets] }
      : known,
  );

/** Stores the result. Its phase ends later by the same clock. */
const takeResult = ({ roundId, seed, position, color, endsAt }: Events['speed-roulette.round']): void =>
  patch((known) => {
    if (known.game.roundId !== roundId) return known;
    const laterMs = Date.parse(endsAt) - Date.parse(known.game.endsAt);
    return {
      ...known,
      timeToNextBlockMs: known.timeToNextBlockMs + laterMs,
      game: { ...known.game, phase: 'RESULT', seed, position, color, endsAt },
    };
  });

/** The current round, updated by events. Without the socket it is polled. Visitors see no rounds. */
export function useInfo() {
  const isIn = useOptionalMe() !== undefined;
  const isLive = useIsLive();
  const read = useRead(INFO, {}, { isEnabled: isIn, ...(!isLive && { everyMs: POLL_MS }) });
  useRoom('game:speed-roulette', {
    'speed-roulette.bet': takeBets,
    'speed-roulette.round': (round) => {
      // A response that is older than the event would replace it.
      void queries.cancelQueries({ queryKey: KEY });
      if (round.phase === 'RESULT' && queries.getQueryData(KEY)) takeResult(round);
      else void refresh(INFO);
    },
  });
  return { info: read.data, readAt: read.dataUpdatedAt, refused: read.error, ask: () => refresh(INFO) };
}

/** The player's own bets in the current round: those that the round contains, and those that were just placed. */
export function useOwnBets(info: Info | undefined) {
  const me = useOptionalMe();
  const [noted, setNoted] = useState<Own>({ roundId: '', bets: [] });
  const roundId = info?.game.roundId;
  const seen = (info?.usersBets ?? []).filter(({ user }) => me !== undefined && user.id === me.id);
  const fresh = noted.roundId === roundId ? noted.bets : [];
  return {
    own: seen.length >= fresh.length ? seen : fresh,
    note: (bet: OwnBet) =>
      roundId !== undefined &&
      setNoted({ roundId, bets: [...(seen.length > fresh.length ? seen : fresh), bet] }),
  };
}

type Watched = {
  info: Info | undefined;
  readAt: number;
  config: Config | undefined;
  own: readonly OwnBet[];
  /** Moves the wheel to the position. `sinceMs`: the time since the result is known. */
  spin: (position: number, sinceMs: number) => Promise<void>;
};

/**
 * Shows the result of each round when the wheel has stopped, and the outcome of the player's own bets. Until then the displayed balance does
 * not change. Returns the position, while it is shown.
 */
export function useResult({ info, readAt, config, own, spin }: Watched): number | undefined {
  const [stopped, setStopped] = useState<string>();
  const latest = useRef({ own, config, spin });
  useEffect(() => {
    latest.current = { own, config, spin };
  });
  const { hold, letGo } = useHold();
  const { roundId, phase, position = null } = info?.game ?? {};
  const seen = useRef<string>(undefined);
  /** The last round that was on the page before its result. */
  const awaited = useRef<string>(undefined);
  const isOwn = own.length > 0;
  useEffect(() => {
    if (phase !== 'RESULT') awaited.current = roundId;
    if (phase === 'BETTING') letGo();
    else if (isOwn && roundId !== seen.current) hold();
  }, [phase, isOwn, roundId, hold, letGo]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each result
  useEffect(() => {
    if (!info || roundId === undefined || phase !== 'RESULT' || position === null) return;
    if (seen.current === roundId) return;
    seen.current = roundId;
    const { resultMs } = latest.current.config?.timeConfig ?? { resultMs: USUAL_RESULT_MS };
    const sinceMs = Math.max(0, resultMs - leftMs(info, readAt));
    beginReveal();
    void latest.current.spin(position, sinceMs).then(() => {
      letGo();
      setStopped(roundId);
      if (awaited.current === roundId) tell(position, latest.current.own, latest.current.config);
    });
  }, [roundId, phase, position]);
  return stopped !== undefined && stopped === roundId && position !== null ? position : undefined;
}

/** Says the result, and shows the outcome of the player's own bets. */
function tell(position: number, own: readonly OwnBet[], config: Config | undefined): void {
  const at = resultWords(position);
  if (own.length === 0) {
    announce(at);
    return;
  }
  const ended = outcomeOf(position, own, config?.maxProfit);
  showOutcome('speed-roulette', ended);
  announce(`${at} · ${paidWords(ended)}`);
}

export const resultWords = (position: number): string => words.roulette.landed(position, colorOf(position));

/** The total of the player's bets in a round. `maxProfit` limits their profit together. */
export function outcomeOf(position: number, own: readonly OwnBet[], maxProfit: number | undefined) {
  let [staked, paid] = [0n, 0n];
  for (const { color, betAmount } of own) {
    staked += units(betAmount);
    paid += units(betAmount) * multiplierOf(color, position);
  }
  const most = maxProfit === undefined ? paid : staked + units(String(maxProfit));
  const payout = paid < most ? paid : most;
  return {
    betAmount: formatUnits(staked),
    payout: formatUnits(payout),
    multiplier: Number((payout * 10_000n) / staked) / 10_000,
  };
}

/** After a bet, the displayed balance is not updated until the wheel stops or MOST_HELD_MS has passed. */
function useHold() {
  const release = useRef<() => void>(undefined);
  const letGo = useCallback(() => {
    release.current?.();
    release.current = undefined;
  }, []);
  const hold = useCallback(() => {
    if (release.current) return;
    release.current = holdBalances();
    setTimeout(letGo, MOST_HELD_MS);
  }, [letGo]);
  useEffect(() => letGo, [letGo]);
  return { hold, letGo };
}
