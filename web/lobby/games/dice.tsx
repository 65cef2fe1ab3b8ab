import { useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { DICE_SCALE, diceOdds } from '../../../src/modules/games/house-games/dice/rules.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './dice.css';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { Series } from './series.tsx';
import { StakePanel } from './stake.tsx';
import { move, once, useBet } from './use-bet.ts';

const BET = 'POST /casino/games/house/dice/bet';
type Result = Answer<typeof BET>;

/** The roll lies above or below a threshold of one's own. */
export function Dice() {
  const [threshold, setThreshold] = useState(50);
  const [isAbove, setAbove] = useState(true);
  const [rolled, setRolled] = useState<{ at: number; didWin: boolean; betId: string }>();
  const at = useRef<number>(undefined);
  const mark = useRef<SVGGElement>(null);
  const config = useRead('GET /casino/games/house/dice/config', {}, { staleMs: 60_000 });
  const reveal = ({ randomValue, didWin, betId }: Result) => {
    const from = at.current ?? threshold;
    at.current = randomValue;
    setRolled({ at: randomValue, didWin, betId });
    return move(
      mark.current,
      [{ transform: `translateX(${from}px)` }, { transform: `translateX(${randomValue}px)` }],
      450,
    );
  };
  const say = (result: Result) => `${result.randomValue.toFixed(2)}. ${paidWords(result)}`;
  const { play, isBusy, refused, said, setSaid } = useBet(BET, { reveal, say });
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
        <StakePanel
          onPlay={(stake) => void play({ body: { ...stake, threshold, above: isAbove } })}
          isBusy={isBusy}
          refused={refused}
          more={(stake) => (
            <Series
              stake={stake}
              ask={(of, count) =>
                once('POST /casino/games/house/dice/series', {
                  body: { ...of, threshold, above: isAbove, count },
                })
              }
              reveal={reveal}
              say={say}
              onSaid={setSaid}
            />
          )}
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
        </StakePanel>
      }
    >
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
        {[0, 25, 50, 75, 100].map((at) => (
          <text key={at} x={at} y="12" textAnchor="middle">
            {at}
          </text>
        ))}
        <line className="threshold" x1={threshold} x2={threshold} y1="-5" y2="5" />
        <g ref={mark} className={rolled ? (rolled.didWin ? 'mark won' : 'mark') : 'mark off'}>
          <path d="M0 -4 L-3 -11 L3 -11 Z" />
        </g>
      </svg>
    </Game>
  );
}
