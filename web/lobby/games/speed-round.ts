import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import type { Events } from '../../../client/events.ts';
import {
  type Color,
  colorOf,
  POSITIONS,
} from '../../../src/modules/games/house-games/speed-roulette/rules.ts';
import { queries, refresh } from '../../kit/query.ts';
import { holdBalances } from '../balances.ts';
import { useRoom } from '../room.ts';
import { words } from '../words.ts';
import { spinTo } from './wheel.tsx';

export const INFO = 'GET /casino/games/house/speed-roulette/info';
export type Info = Answer<typeof INFO>;

const SPIN_MS = 1200;
/** For as long at most: the result may never come. */
const MOST_HELD_MS = 15_000;
type Own = { roundId: string; colors: readonly Color[] };

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

/**
 * The round as the server tells of it. The result is shown when the wheel stands; until then the balance of whoever has bet stands still.
 */
export function useRound(
  turning: RefObject<SVGGElement | null>,
  info: Info | undefined,
  order: readonly number[],
) {
  const [shown, setShown] = useState<number>();
  const [said, setSaid] = useState('');
  const own = useRef<Own>({ roundId: '', colors: [] });
  const release = useRef<() => void>(undefined);
  const letGo = () => {
    release.current?.();
    release.current = undefined;
  };
  useEffect(() => () => release.current?.(), []);
  const position = info?.game.phase === 'RESULT' ? info.game.position : null;
  // Whoever comes in the middle of a result sees where the wheel stands.
  const isKnown = useRef(false);
  useEffect(() => {
    if (info === undefined || isKnown.current) return;
    isKnown.current = true;
    if (position === null) return;
    setShown(position);
    void spinTo(turning.current, order.indexOf(position), POSITIONS, 0);
  }, [info, position, turning, order]);
  const stop = async ({ roundId, position: at }: Events['speed-roulette.round']) => {
    if (at === null) return;
    await spinTo(turning.current, order.indexOf(at), POSITIONS, SPIN_MS);
    letGo();
    setShown(at);
    setSaid(`${at} ${words.house.colours[colorOf(at)]}. ${ownWords(own.current, roundId, colorOf(at))}`);
    await refresh(INFO);
  };
  useRoom('game:speed-roulette', {
    'speed-roulette.bet': takeBets,
    'speed-roulette.round': (round) => {
      if (round.phase === 'RESULT') {
        const { roundId, seed } = round;
        patch((known) =>
          known.game.roundId === roundId
            ? { ...known, game: { ...known.game, phase: 'RESULT', seed } }
            : known,
        );
        void stop(round);
        return;
      }
      if (round.phase === 'BETTING') letGo();
      else if (own.current.roundId === round.roundId && !release.current) {
        release.current = holdBalances();
        setTimeout(letGo, MOST_HELD_MS);
      }
      void refresh(INFO);
    },
  });
  return {
    shown,
    said,
    setSaid,
    noteBet(roundId: string, color: Color) {
      const known = own.current.roundId === roundId ? own.current.colors : [];
      own.current = { roundId, colors: [...known, color] };
    },
  };
}

function ownWords({ roundId, colors }: Own, now: string, hit: Color): string {
  if (roundId !== now) return '';
  return colors.includes(hit) ? words.speed.won(words.house.colours[hit]) : words.play.paid.lost;
}
