import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './limbo.css';
import { BetPanel } from './bet-panel.tsx';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { move, once, useBet } from './use-bet.ts';

const BET = 'POST /casino/games/house/limbo/bet';
type Result = Answer<typeof BET>;

const WIDTH = 100;
const DECADES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/** Position on a logarithmic axis from 1 to 1,000,000. */
const xOf = (multiplier: number) => (Math.log10(Math.max(1, multiplier)) / 6) * WIDTH;

/** Limbo: the bet wins if the resulting multiplier reaches the player's target. */
export function Limbo() {
  const [typed, setTyped] = useState('2');
  const config = useRead('GET /casino/games/house/limbo/config', {}, { staleMs: 60_000 });
  const target = targetIn(typed, config.data);
  const { mark, last, isRising, reveal } = useRise();
  const bet = useBet(BET, { reveal, say });
  const hasWon = last !== undefined && last.randomMultiplier >= last.offeredMultiplier;
  const isShown = last !== undefined && !isRising;
  return (
    <Game
      name="limbo"
      said={bet.said}
      betId={last?.betId}
      panel={
        <BetPanel
          limits={config.data}
          onPlay={(stake) => void bet.play({ body: { ...stake, multiplier: target! } })}
          bet={bet}
          isOff={target === undefined}
          ask={(of, count) =>
            once('POST /casino/games/house/limbo/series', { body: { ...of, multiplier: target!, count } })
          }
          reveal={reveal}
          say={say}
        >
          <Target typed={typed} target={target} config={config.data} onChange={setTyped} />
        </BetPanel>
      }
    >
      <p className={`point ${isShown ? (hasWon ? 'won' : 'lost') : ''}`} aria-hidden="true">
        {isShown ? `${hasWon ? '✓' : '✕'} ${last.randomMultiplier.toFixed(2)} ×` : '…'}
      </p>
      <Line
        target={target}
        mark={mark}
        isThere={isRising || last !== undefined}
        hasWon={hasWon && !isRising}
      />
    </Game>
  );
}

const say = (result: Result) => `${result.randomMultiplier.toFixed(2)} ×. ${paidWords(result)}`;

/** The last result and its animation. */
function useRise() {
  const [last, setLast] = useState<Result>();
  const [isRising, setRising] = useState(false);
  const mark = useRef<SVGGElement>(null);
  const reveal = async (result: Result) => {
    setRising(true);
    const to = `translateX(${xOf(result.randomMultiplier)}px)`;
    await move(mark.current, [{ transform: 'translateX(0px)' }, { transform: to }], 700);
    setLast(result);
    setRising(false);
  };
  return { mark, last, isRising, reveal };
}

type Config = Answer<'GET /casino/games/house/limbo/config'> | undefined;

/** Returns the entered target, or undefined if the game does not offer it. */
function targetIn(typed: string, config: Config): number | undefined {
  if (!config || !/^\d+(\.\d{1,2})?$/.test(typed)) return undefined;
  const target = Number(typed);
  return target >= config.minMultiplier && target <= config.maxMultiplier ? target : undefined;
}

type TargetProps = {
  typed: string;
  target: number | undefined;
  config: Config;
  onChange: (typed: string) => void;
};

function Target({ typed, target, config, onChange }: TargetProps) {
  const isWrong = config !== undefined && target === undefined;
  return (
    <>
      <label className="field">
        <span>{words.limbo.target}</span>
        <input
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          aria-invalid={isWrong}
          onChange={(event) => onChange(event.target.value.replace(',', '.'))}
        />
      </label>
      {isWrong ? (
        <p className="problem">{words.limbo.range(config.minMultiplier, config.maxMultiplier)}</p>
      ) : (
        <p className="dim">
          {config && target !== undefined
            ? `${words.play.chance(Number((config.rtp / target).toPrecision(4)))} · ${words.play.pays(target)}`
            : '\u00a0'}
        </p>
      )}
    </>
  );
}

type LineProps = {
  target: number | undefined;
  mark: RefObject<SVGGElement | null>;
  isThere: boolean;
  hasWon: boolean;
};

function Line({ target, mark, isThere, hasWon }: LineProps) {
  const from = target === undefined ? undefined : xOf(target);
  return (
    <svg viewBox="-4 -14 108 30" role="img" aria-label={words.limbo.line}>
      <clipPath id="limbo-track">
        <rect x="0" y="-2" width={WIDTH} height="4" rx="2" />
      </clipPath>
      <g clipPath="url(#limbo-track)">
        <rect className="lose" x="0" y="-2" width={from ?? WIDTH} height="4" />
        {from !== undefined && <rect className="win" x={from} y="-2" width={WIDTH - from} height="4" />}
      </g>
      {DECADES.map((at) => (
        <g key={at} transform={`translate(${xOf(at)} 0)`}>
          <line className="tick" y1="2" y2="4.5" />
          <text y="9" textAnchor="middle">
            {at >= 1_000_000 ? '1M' : at >= 1000 ? `${at / 1000}k` : at}
          </text>
        </g>
      ))}
      {from !== undefined && <line className="threshold" x1={from} x2={from} y1="-5" y2="5" />}
      <g ref={mark} className={`mark ${hasWon ? 'won' : ''} ${isThere ? '' : 'off'}`}>
        <path d="M0 -3 C-3 -6 -2 -10 0 -12 C2 -10 3 -6 0 -3 Z" />
      </g>
    </svg>
  );
}
