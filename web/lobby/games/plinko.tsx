import { type RefObject, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import {
  PLINKO_RISKS,
  PLINKO_ROWS,
  PLINKO_SCALE,
  PLINKO_TABLE,
  type PlinkoRisk,
} from '../../../src/modules/games/house-games/plinko/rules.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './plinko.css';
import { BetPanel } from './bet-panel.tsx';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { beat, move, once, useBet } from './use-bet.ts';

const BET = 'POST /casino/games/house/plinko/bet';
type Result = Answer<typeof BET>;

const { least, most } = PLINKO_ROWS;
const ROWS = Array.from({ length: most - least + 1 }, (_, i) => least + i);
const FALL_MS = 75;
/** Vertical position of the first row of pins. */
const TOP = 1.5;

const bucketOf = (results: readonly number[]) => results.reduce((sum, turn) => sum + turn, 0);
const payOf = (risk: PlinkoRisk, rows: number) =>
  PLINKO_TABLE[risk][rows]!.map((multiplier) => Number(multiplier) / Number(PLINKO_SCALE));

/** Plinko: a ball falls through rows of pins and goes left or right at each row. */
export function Plinko() {
  const [risk, setRisk] = useState<PlinkoRisk>('LOW');
  const [rows, setRows] = useState(12);
  const config = useRead('GET /casino/games/house/plinko/config', {}, { staleMs: 60_000 });
  const { ball, last, landed, drop, clear } = useDrop();
  const bet = useBet(BET, { reveal: (result) => drop(result, config.data?.manualMs), say });
  const { isBusy } = bet;
  const chosen = { risk, rowsCount: rows };
  const change = (then: () => void) => {
    clear();
    then();
  };
  return (
    <Game
      name="plinko"
      said={bet.said}
      betId={last?.betId}
      panel={
        <BetPanel
          limits={config.data}
          onPlay={(stake) => void bet.play({ body: { ...stake, ...chosen } })}
          bet={bet}
          ask={(of, count) =>
            once('POST /casino/games/house/plinko/series', { body: { ...of, ...chosen, count } })
          }
          reveal={(result) => drop(result, config.data?.autoMs)}
          say={say}
        >
          <Choices
            risk={risk}
            rows={rows}
            isLocked={isBusy}
            onRisk={(next) => change(() => setRisk(next))}
            onRows={(next) => change(() => setRows(next))}
          />
        </BetPanel>
      }
    >
      <Board
        rows={rows}
        pays={payOf(risk, rows)}
        landed={landed}
        ball={ball}
        isThere={isBusy || last !== undefined}
      />
    </Game>
  );
}

const say = (result: Result) =>
  `${words.plinko.landed(bucketOf(result.results) + 1, result.results.length + 1, result.multiplier)} ${paidWords(result)}`;

/** The last ball and its animation. `restMs`: pause before the next ball. */
function useDrop() {
  const [last, setLast] = useState<Result>();
  const [landed, setLanded] = useState<number>();
  const ball = useRef<SVGCircleElement>(null);
  const drop = async (result: Result, restMs = 0) => {
    setLanded(undefined);
    await move(ball.current, pathOf(result.results), FALL_MS * result.results.length, 'linear');
    setLanded(bucketOf(result.results));
    setLast(result);
    await beat(restMs);
  };
  const clear = () => {
    setLanded(undefined);
    setLast(undefined);
  };
  return { ball, last, landed, drop, clear };
}

type ChoicesProps = {
  risk: PlinkoRisk;
  rows: number;
  isLocked: boolean;
  onRisk: (risk: PlinkoRisk) => void;
  onRows: (rows: number) => void;
};

const Choices = ({ risk, rows, isLocked, onRisk, onRows }: ChoicesProps) => (
  <>
    <label className="field">
      <span>{words.house.risk}</span>
      <select value={risk} disabled={isLocked} onChange={(event) => onRisk(event.target.value as PlinkoRisk)}>
        {PLINKO_RISKS.map((one) => (
          <option key={one} value={one}>
            {words.house.risks[one]}
          </option>
        ))}
      </select>
    </label>
    <label className="field">
      <span>{words.plinko.rows}</span>
      <select value={rows} disabled={isLocked} onChange={(event) => onRows(Number(event.target.value))}>
        {ROWS.map((count) => (
          <option key={count}>{count}</option>
        ))}
      </select>
    </label>
  </>
);

/** Distance between pins, in units of the drawing. */
const GAP = 10;
const at = (x: number, y: number) => ({ transform: `translate(${x * GAP}px, ${y * GAP}px)` });

/** Returns the positions on the ball's path: at each row first on a pin, then beside it. */
function pathOf(results: readonly number[]): Keyframe[] {
  const frames: Keyframe[] = [at(0, 0.2)];
  let x = 0;
  for (const [row, turn] of results.entries()) {
    const y = row + TOP - 0.5;
    const side = turn === 1 ? 0.5 : -0.5;
    frames.push(at(x, y), at(x + side * 0.6, y + 0.05));
    x += side;
  }
  frames.push(at(x, results.length + TOP - 0.68));
  return frames;
}

type BoardProps = {
  rows: number;
  pays: readonly number[];
  landed: number | undefined;
  ball: RefObject<SVGCircleElement | null>;
  isThere: boolean;
};

function Board({ rows, pays, landed, ball, isThere }: BoardProps) {
  const half = rows / 2 + 1;
  const label = words.plinko.board(rows, pays.map((multiplier) => `${multiplier} ×`).join(', '));
  const pins = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: row + 1 }, (_unused, i) => ({ x: i - row / 2, y: row + TOP })),
  ).flat();
  return (
    <svg
      viewBox={[-half, -0.4, 2 * half, rows + TOP + 1.3].map((one) => one * GAP).join(' ')}
      role="img"
      aria-label={label}
    >
      {pins.map(({ x, y }) => (
        <circle key={`${x} ${y}`} className="pin" cx={x * GAP} cy={y * GAP} r="1.3" />
      ))}
      {pays.map((multiplier, bucket) => (
        <g
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the bucket
          key={bucket}
          className={`bucket ${multiplier >= 1 ? 'up' : 'down'} ${bucket === landed ? 'landed' : ''}`}
          transform={`translate(${(bucket - rows / 2) * GAP} ${(rows + TOP) * GAP})`}
        >
          <rect x="-4.6" y="-3.5" width="9.2" height="10" rx="1.5" />
          <text y="2.8" textAnchor="middle">
            {multiplier}
          </text>
        </g>
      ))}
      <circle ref={ball} className={isThere ? 'ball' : 'ball off'} r="3.2" />
    </svg>
  );
}
