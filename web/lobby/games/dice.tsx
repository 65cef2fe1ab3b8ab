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

/** Dice: the roll is above or below the player's threshold. */
export function Dice() {
  const [threshold, setThreshold] = useState(50);
  const [isAbove, setAbove] = useState(true);
  const config = useRead('GET /casino/games/house/dice/config', {}, { staleMs: 60_000 });
  const { mark, rolled, reveal } = useRoll(threshold);
  const bet = useBet(BET, { reveal, say });
  const chosen = { threshold, above: isAbove };
  return (
    <Game
      name="dice"
      said={bet.said}
      betId={rolled?.betId}
      panel={
        <BetPanel
          limits={config.data}
          onPlay={(stake) => void bet.play({ body: { ...stake, ...chosen } })}
          bet={bet}
          ask={(of, count) =>
            once('POST /casino/games/house/dice/series', { body: { ...of, ...chosen, count } })
          }
          reveal={reveal}
          say={say}
        >
          <Choices threshold={threshold} isAbove={isAbove} onThreshold={setThreshold} onAbove={setAbove} />
          <Odds {...chosen} config={config.data} />
        </BetPanel>
      }
    >
      <p className={`point ${!rolled?.isShown ? '' : rolled.didWin ? 'won' : 'lost'}`} aria-hidden="true">
        {rolled?.isShown ? `${rolled.didWin ? '✓' : '✕'} ${rolled.randomValue.toFixed(2)}` : '…'}
      </p>
      <Track threshold={threshold} isAbove={isAbove} mark={mark} hasWon={rolled?.didWin} />
    </Game>
  );
}

const say = (result: Result) => `${result.randomValue.toFixed(2)}. ${paidWords(result)}`;

/** The last roll, and the animation of its marker from the previous roll. */
function useRoll(threshold: number) {
  const [rolled, setRolled] = useState<Result & { isShown: boolean }>();
  const at = useRef<number>(undefined);
  const mark = useRef<SVGGElement>(null);
  const reveal = async (result: Result) => {
    const from = at.current ?? threshold;
    at.current = result.randomValue;
    setRolled({ ...result, isShown: false });
    const frames = [from, result.randomValue].map((x) => ({ transform: `translateX(${x}px)` }));
    await move(mark.current, frames, 450);
    setRolled({ ...result, isShown: true });
  };
  return { mark, rolled, reveal };
}

type ChoicesProps = {
  threshold: number;
  isAbove: boolean;
  onThreshold: (threshold: number) => void;
  onAbove: (isAbove: boolean) => void;
};

const Choices = ({ threshold, isAbove, onThreshold, onAbove }: ChoicesProps) => (
  <>
    <label className="field">
      <span>{isAbove ? words.dice.above(threshold) : words.dice.below(threshold)}</span>
      <input
        type="range"
        min={2}
        max={98}
        step={1}
        value={threshold}
        onChange={(event) => onThreshold(Number(event.target.value))}
      />
    </label>
    <div className="actions">
      <button type="button" aria-pressed={isAbove} onClick={() => onAbove(true)}>
        {words.dice.over}
      </button>
      <button type="button" aria-pressed={!isAbove} onClick={() => onAbove(false)}>
        {words.dice.under}
      </button>
    </div>
  </>
);

type OddsProps = {
  threshold: number;
  above: boolean;
  config: Answer<'GET /casino/games/house/dice/config'> | undefined;
};

function Odds({ threshold, above, config }: OddsProps) {
  const odds =
    config &&
    diceOdds(
      { threshold, above },
      { rtpBp: Math.round(config.rtp * 100), maxMultiplier: config.maxMultiplier },
    );
  if (!odds) return <p className="dim">&nbsp;</p>;
  const { winning, multiplier } = odds;
  return (
    <p className="dim">
      {words.play.chance(winning / 100)} · {words.play.pays(Number(multiplier) / Number(DICE_SCALE))}
    </p>
  );
}

type TrackProps = {
  threshold: number;
  isAbove: boolean;
  mark: RefObject<SVGGElement | null>;
  /** Undefined before the first roll. */
  hasWon: boolean | undefined;
};

const Track = ({ threshold, isAbove, mark, hasWon }: TrackProps) => (
  <svg viewBox="-4 -12 108 28" role="img" aria-label={words.dice.track}>
    <clipPath id="dice-track">
      <rect x="0" y="-3" width="100" height="6" rx="3" />
    </clipPath>
    <g clipPath="url(#dice-track)">
      <rect className={isAbove ? 'lose' : 'win'} x="0" y="-3" width={threshold} height="6" />
      <rect className={isAbove ? 'win' : 'lose'} x={threshold} y="-3" width={100 - threshold} height="6" />
    </g>
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
