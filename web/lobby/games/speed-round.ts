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
/** For as long at most: the result may never come. */
const MOST_HELD_MS = 15_000;
type OwnBet = { color: Color; betAmount: string };
type Own = { roundId: string; bets: readonly OwnBet[] };

const patch = (change: (known: Info) => Info): void => {
  queries.setQueryData<Info>([INFO, {}], (known) => (known ? change(known) : known));
};

/** Bets of the others, and one's own: new ones are added, or all are known anew. */
function takeBets({ roundId, mode, bets }: Events['speed-roulette.bet']): void {
  patch((known) =>
    known.game.roundId === roundId
      ? { ...known, usersBets: mode === 'ALL' ? bets : [...known.usersBets, ...bets] }
      : known,
  );
}

type Wheel = { turning: RefObject<SVGGElement | null>; order: readonly number[] };

/** Whoever comes in the middle of a result sees where the wheel stands. `then` is told of the first that is known. */
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

/** Holds the balance of whoever has bet until the wheel stands, for some seconds at most. */
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

/** The round as the server tells of it. The result is shown when the wheel stands. `maxProfit`: the most that all bets of a player may win. */
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

/** The seed is known from now on; where the wheel stands is shown later. */
const takeResult = ({ roundId, seed }: Events['speed-roulette.round']): void =>
  patch((known) =>
    known.game.roundId === roundId ? { ...known, game: { ...known.game, phase: 'RESULT', seed } } : known,
  );

/** What all bets of one's own in a round came to; nothing where there were none. */
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
