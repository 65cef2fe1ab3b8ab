import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import type { Events } from '../../../client/events.ts';
import {
  type Color,
  colorOf,
  multiplierOf,
  POSITIONS,
} from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { queries, refresh } from '../../kit/query.ts';
import { useMe } from '../../kit/session.tsx';
import { holdBalances } from '../balances.ts';
import { useRoom } from '../room.ts';
import { words } from '../words.ts';
import { paidWords } from './outcome.ts';
import { spinTo } from './wheel.tsx';

export const INFO = 'GET /casino/games/house/speed-roulette/info';
export type Info = Answer<typeof INFO>;

const SPIN_MS = 1200;
/** Maximum time for which updates of the displayed balance are held back. It is limited because the result event may never arrive. */
const MOST_HELD_MS = 15_000;
type OwnBet = { color: Color; betAmount: string };
type Own = { roundId: string; bets: readonly OwnBet[] };

const patch = (change: (known: Info) => Info): void => {
  queries.setQueryData<Info>([INFO, {}], (known) => (known ? change(known) : known));
};

/** Adds new bets of the round, or replaces all bets (mode ALL). */
function takeBets({ roundId, mode, bets }: Events['speed-roulette.bet']): void {
  patch((known) =>
    known.game.roundId === roundId
      ? { ...known, usersBets: mode === 'ALL' ? bets : [...known.usersBets, ...bets] }
      : known,
  );
}

type Wheel = { turning: RefObject<SVGGElement | null>; order: readonly number[] };

/**
 * Turns the wheel to its final position for a player who opens the page while the result is displayed. Calls `then` with the first known
 * round.
 */
function useStanding({ turning, order }: Wheel, info: Info | undefined, then: (info: Info) => void) {
  const isKnown = useRef(false);
  useEffect(() => {
    if (info === undefined || isKnown.current) return;
    isKnown.current = true;
    const { phase, position } = info.game;
    if (phase === 'RESULT' && position !== null)
      void spinTo(turning.current, order.indexOf(position), POSITIONS, 0);
    then(info);
  }, [info, turning, order, then]);
}

/** After a bet, the displayed balance is not updated until the wheel stops or MOST_HELD_MS has passed. */
function useHold() {
  const release = useRef<() => void>(undefined);
  const letGo = useCallback(() => {
    release.current?.();
    release.current = undefined;
  }, []);
  useEffect(() => letGo, [letGo]);
  const hold = () => {
    if (release.current) return;
    release.current = holdBalances();
    setTimeout(letGo, MOST_HELD_MS);
  };
  return { hold, letGo };
}

/**
 * The current round, updated by events. The result is shown when the wheel has stopped. `maxProfit`: the maximum total profit of one
 * player's bets in the round.
 */
export function useRound(wheel: Wheel, info: Info | undefined, maxProfit: number | undefined) {
  const [shown, setShown] = useState<number>();
  const [said, setSaid] = useState('');
  const { id } = useMe();
  const own = useRef<Own>({ roundId: '', bets: [] });
  const { hold, letGo } = useHold();
  const begin = useCallback(
    ({ game, usersBets }: Info) => {
      if (game.phase === 'RESULT' && game.position !== null) setShown(game.position);
      own.current = { roundId: game.roundId, bets: usersBets.filter(({ user }) => user.id === id) };
    },
    [id],
  );
  useStanding(wheel, info, begin);
  const stop = async ({ roundId, position: at }: Events['speed-roulette.round']) => {
    if (at === null) return;
    await spinTo(wheel.turning.current, wheel.order.indexOf(at), POSITIONS, SPIN_MS);
    letGo();
    setShown(at);
    const bets = own.current.roundId === roundId ? own.current.bets : [];
    setSaid(`${at} ${words.house.colours[colorOf(at)]}. ${ownWords(bets, at, maxProfit)}`);
    await refresh(INFO);
  };
  useRoom('game:speed-roulette', {
    'speed-roulette.bet': takeBets,
    'speed-roulette.round': (round) => {
      if (round.phase === 'RESULT') {
        takeResult(round);
        void stop(round);
        return;
      }
      if (round.phase === 'BETTING') {
        letGo();
        setShown(undefined);
      } else if (own.current.roundId === round.roundId) hold();
      void refresh(INFO);
    },
  });
  return {
    shown,
    said,
    setSaid,
    noteBet(roundId: string, bet: OwnBet) {
      const known = own.current.roundId === roundId ? own.current.bets : [];
      own.current = { roundId, bets: [...known, bet] };
    },
  };
}

/** Stores the revealed seed. The winning position is shown later, when the wheel has stopped. */
const takeResult = ({ roundId, seed }: Events['speed-roulette.round']): void =>
  patch((known) =>
    known.game.roundId === roundId ? { ...known, game: { ...known.game, phase: 'RESULT', seed } } : known,
  );

/** Describes the total of the player's own bets in a round. Empty if there are none. */
function ownWords(bets: readonly OwnBet[], at: number, maxProfit: number | undefined): string {
  if (bets.length === 0) return '';
  let [staked, paid] = [0n, 0n];
  for (const { color, betAmount } of bets) {
    staked += units(betAmount);
    paid += units(betAmount) * multiplierOf(color, at);
  }
  const most = maxProfit === undefined ? paid : staked + units(String(maxProfit));
  return paidWords({ payout: formatUnits(paid < most ? paid : most), betAmount: formatUnits(staked) });
}
