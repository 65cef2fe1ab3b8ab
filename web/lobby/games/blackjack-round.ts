import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { words } from '../words.ts';
import {
  type Action,
  allLanded,
  endedRound,
  type Landed,
  landedBefore,
  type Round,
  sayRound,
  stepsTo,
  withStep,
} from './blackjack-deal.ts';
import { FLY_MS, moveCard } from './blackjack-felt.tsx';
import { beat } from './play/motion.ts';
import { useResume } from './play/resume.ts';
import { sound } from './play/sound.ts';
import { announce, together, useBet } from './play/use-bet.ts';

/** The next card starts when the one before it has this part of its way behind it. */
const NEXT_AT = 0.55;
const NOTHING: Landed = { dealer: 0, hands: [], isUp: false };

type Dealt = { currencyId: string; betAmount: string; sideBetAmount: string | null };

/** A round of blackjack, new or resumed, with one action after another until it ends. */
export function useRound() {
  const table = useTable();
  const { round, show, felt } = table;
  const resume = useResume('GET /casino/games/house/blackjack/getActiveState', (open) => {
    if (open?.data) {
      show(open.data);
      announce(`${words.blackjack.goesOn} · ${sayRound(undefined, open.data)}`);
    } else if (round?.status !== 'FINISHED') show(undefined);
  });
  const before = useRef<Round>(undefined);
  const betting = {
    reveal: async ({ data }: { data: Round }) => {
      before.current = table.now.current;
      await table.reveal(data);
    },
    say: ({ data }: { data: Round }) => sayRound(before.current, data),
    ended: ({ data }: { data: Round }) => endedRound(data),
  };
  const dealing = useBet('POST /casino/games/house/blackjack/init', betting);
  const acting = useBet('POST /casino/games/house/blackjack/handleAction', { ...betting, isFinishing: true });
  const [pressed, setPressed] = useState<Action>();
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  const bet = together(dealing, acting);
  return {
    ...table,
    felt,
    bet,
    isOpen: round?.status === 'PLAYER_TURN',
    isAsking: resume.isAsking,
    notAsked: resume.refused,
    ask: resume.ask,
    /** The action whose response is awaited. */
    pressed: acting.phase === 'busy' ? pressed : undefined,
    deal: (body: Dealt) => orAsk(dealing.play({ body })),
    act: (action: Action) => {
      if (bet.phase !== 'ready') return;
      setPressed(action);
      void orAsk(acting.play({ body: { action } }));
    },
  };
}

/** The cards on the table. `reveal` resolves when all cards lie there. */
function useTable() {
  const [round, setRound] = useState<Round>();
  const [landed, setLanded] = useState(NOTHING);
  const [isOver, setOver] = useState(false);
  const now = useRef<Round>(undefined);
  const felt = useRef<HTMLDivElement>(null);
  const show = (next: Round | undefined) => {
    now.current = next;
    setRound(next);
    setLanded(next ? allLanded(next) : NOTHING);
    setOver(next?.status === 'FINISHED');
  };
  const reveal = async (next: Round) => {
    const from = landedBefore(now.current, next);
    now.current = next;
    // The new cards have to be on the page before they can fly.
    flushSync(() => {
      setRound(next);
      setLanded(from);
      setOver(false);
    });
    const flights: Promise<void>[] = [];
    for (const step of stepsTo(next, from)) {
      sound('slide');
      const isDown = step.hand === 'dealer' && step.at === 1 && !from.isUp;
      flights.push(
        moveCard(felt.current, step, isDown).then(() => setLanded((known) => withStep(known, step))),
      );
      await beat(FLY_MS * NEXT_AT);
    }
    await Promise.all(flights);
    setLanded(allLanded(next));
    setOver(next.status === 'FINISHED');
  };
  return { round, landed, isOver, felt, now, show, reveal };
}
