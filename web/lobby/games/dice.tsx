import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { DICE_SCALE, diceOdds } from '../../../src/modules/games/house-games/dice/rules.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './dice.css';
import { BetPanel } from './bet-panel.tsx';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { move, once, useBet } from './use-bet.ts';

const BET = 'POST /casino/games/house/dice/bet';
type Result = Answer<typeof BET>;

/** The roll lies above or below a threshold of one's own. */
export function Dice() {
  const [threshold, setThreshold] = useState(50);
  const [isAbove, setAbove] = useState(true);
  const [rolled, setRolled] = useState<{ didWin: boolean; betId: string }>();
  const at = useRef<number>(undefined);
  const mark = useRef<SVGGElement>(null);
  const config = useRead('GET /casino/games/house/dice/config', {}, { staleMs: 60_000 });
  const reveal = ({ randomValue, didWin, betId }: Result) => {
    const from = at.current ?? threshold;
    at.current = randomValue;
    setRolled({ didWin, betId });
    return move(
      mark.current,
      [{ transform: `translateX(${from}px)` }, { transform: `translateX(${randomValue}px)` }],
      450,
    );
  };
  const say = (result: Result) => `${result.randomValue.toFixed(2)}. ${paidWords(result)}`;
  const bet = useBet(BET, { reveal, say });
  const { play, said } = bet;
  const odds =
    config.data &&
    diceOdds(
      { threshold, above: isAbove },
      { rtpBp: Math.round(config.data.rtp * 100), maxMultiplier: config.data.maxMultiplier },
    );
  return (
    <Game
      name="dice"
      said={said}
      betId={rolled?.betId}
      panel={
        <BetPanel
          limits={config.data}
          onPlay={(stake) => void play({ body: { ...stake, threshold, above: isAbove } })}
          bet={bet}
          ask={(of, count) =>
            once('POST /casino/games/house/dice/series', {
              body: { ...of, threshold, above: isAbove, count },
            })
          }
          reveal={reveal}
          say={say}
        >
          <label className="field">
            <span>{isAbove ? words.dice.above(threshold) : words.dice.below(threshold)}</span>
            <input
              type="range"
              min={2}
              max={98}
              step={1}
              value={threshold}
              onChange={(event) => setThreshold(Number(event.target.value))}
            />
          </label>
          <div className="actions">
            <button type="button" aria-pressed={isAbove} onClick={() => setAbove(true)}>
              {words.dice.over}
            </button>
            <button type="button" aria-pressed={!isAbove} onClick={() => setAbove(false)}>
              {words.dice.under}
            </button>
          </div>
          <p className="dim">
            {odds
              ? `${words.play.chance(odds.winning / 100)} · ${words.play.pays(Number(odds.multiplier) / Number(DICE_SCALE))}`
              : ' '}
          </p>
        </BetPanel>
      }
    >
      <Track threshold={threshold} isAbove={isAbove} mark={mark} hasWon={rolled?.didWin} />
    </Game>
  );
}

type TrackProps = {
  threshold: number;
  isAbove: boolean;
  mark: RefObject<SVGGElement | null>;
  /** Undefined: nothing was rolled yet. */
  hasWon: boolean | undefined;
};

const Track = ({ threshold, isAbove, mark, hasWon }: TrackProps) => (
  <svg viewBox="-4 -16 108 32" role="img" aria-label={words.dice.track}>
    <rect className="lose" x="0" y="-3" width="100" height="6" rx="3" />
    <rect
      className="win"
      x={isAbove ? threshold : 0}
      y="-3"
      width={isAbove ? 100 - threshold : threshold}
      height="6"
      rx="3"
    />
    {[0, 25, 50, 75, 100].map((tick) => (
      <text key={tick} x={tick} y="12" textAnchor="middle">
        {tick}
      </text>
    ))}
    <line className="threshold" x1={threshold} x2={threshold} y1="-5" y2="5" />
    <g ref={mark} className={hasWon === undefined ? 'mark off' : hasWon ? 'mark won' : 'mark'}>
      <path d="M0 -4 L-3 -11 L3 -11 Z" />
    </g>
  </svg>
);
