import { useLayoutEffect, useRef, useState } from 'react';
import type { Answer, Input } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { number } from '../../kit/intl.ts';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './keno.css';
import { useConfig } from './play/config.ts';
import { Game } from './play/game.tsx';
import { beat, isStill, move } from './play/motion.ts';
import { paidWords } from './play/outcome.ts';
import { BetPanel } from './play/panel.tsx';
import { Choice } from './play/panel-parts.tsx';
import { send } from './play/send.ts';
import { sound } from './play/sound.ts';
import { announce, useBet } from './play/use-bet.ts';
import { useRoving } from './roving.ts';

const BET = 'POST /casino/games/house/keno/bet';
type Result = Answer<typeof BET>;
type Risk = Input<typeof BET>['body']['risk'];

/** Numbers on the board, and how many of them a player may pick and the server draws. */
const COUNT = 40;
const MOST = 10;
const DRAWN = 10;

const COLUMNS = 8;
const NUMBERS = Array.from({ length: COUNT }, (_, i) => i + 1);
const DRAW_MS = 60;
const POP_MS = 240;

const isRisk = (stored: unknown): stored is Risk => Object.hasOwn(words.board.risks, String(stored));

/** Keno: ten of forty numbers are drawn. The payout depends on the number of hits. */
export function Keno() {
  const config = useConfig('GET /casino/games/house/keno/config');
  const [risk, setRisk] = useKept<Risk>(own, 'chosen.keno', ['CLASSIC', isRisk]);
  const [selected, setSelected] = useState<readonly number[]>([]);
  const { drawn, draw, clear } = useDraw(selected);
  const roving = useRoving(COUNT, COLUMNS);
  const say = (result: Result) =>
    words.keno.result(hitsOf(selected, result.results), selected.length, paidWords(result));
  const bet = useBet(BET, { reveal: draw, say });
  const choose = (next: readonly number[]) => {
    if (bet.isBusy) return;
    setSelected(next);
    clear();
  };
  const chosen = { risk, selected: [...selected] };
  return (
    <Game
      name="keno"
      config={config}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.play.bet}
          why={selected.length === 0 ? words.keno.pick(MOST) : undefined}
          onPlay={(stake) => {
            clear();
            void bet.play({ body: { ...stake, ...chosen } });
          }}
          auto={{
            ask: (stake, count) =>
              send('POST /casino/games/house/keno/series', { body: { ...stake, ...chosen, count } }),
            reveal: draw,
            say,
          }}
          keys={roving.keys(words.board.move)}
        >
          <Settings
            risk={risk}
            isLocked={bet.isBusy}
            canClear={selected.length > 0}
            onRisk={(next) => {
              setRisk(next);
              clear();
            }}
            onPick={(next) => {
              choose(next);
              announce(next.length > 0 ? words.keno.picked(next) : '');
            }}
          />
        </BetPanel>
      }
    >
      <div className="keno-stage">
        <Board roving={roving} selected={selected} drawn={drawn} isLocked={bet.isBusy} onChange={choose} />
        <Payouts
          of={config?.multipliers[risk]?.[String(selected.length)]}
          hits={drawn.length === DRAWN ? hitsOf(selected, drawn) : undefined}
        />
      </div>
    </Game>
  );
}

type SettingsProps = {
  risk: Risk;
  isLocked: boolean;
  canClear: boolean;
  onRisk: (risk: Risk) => void;
  onPick: (selected: readonly number[]) => void;
};

const Settings = ({ risk, isLocked, canClear, onRisk, onPick }: SettingsProps) => (
  <>
    <Choice
      label={words.board.risk}
      of={words.board.risks}
      value={risk}
      disabled={isLocked}
      onChange={onRisk}
    />
    <div className="pair">
      <Button icon="shuffle" disabled={isLocked} onClick={() => onPick(atRandom())}>
        {words.board.autoPick}
      </Button>
      <Button disabled={isLocked || !canClear} onClick={() => onPick([])}>
        {words.board.clear}
      </Button>
    </div>
  </>
);

const hitsOf = (selected: readonly number[], drawn: readonly number[]) =>
  drawn.filter((one) => selected.includes(one)).length;

/** The drawn numbers, which fall in one after another. */
function useDraw(selected: readonly number[]) {
  const [drawn, setDrawn] = useState<readonly number[]>([]);
  const draw = async ({ results }: Result) => {
    for (let count = isStill() ? results.length : 1; count <= results.length; count++) {
      setDrawn(results.slice(0, count));
      if (isStill()) continue;
      const isHit = selected.includes(results[count - 1]!);
      if (isHit) sound('reveal', { semitones: hitsOf(selected, results.slice(0, count)) - 1 });
      else sound('tick');
      await beat(DRAW_MS);
    }
    await beat(POP_MS - DRAW_MS);
  };
  return { drawn, draw, clear: () => setDrawn([]) };
}

type PayoutsProps = {
  /** Undefined while no number is selected. */
  of: readonly number[] | undefined;
  /** The hits of the last draw. */
  hits: number | undefined;
};

/** The multiplier for each number of hits. */
function Payouts({ of, hits: reached }: PayoutsProps) {
  if (!of) return <p className="keno-payouts dim">{words.keno.pick(MOST)}</p>;
  return (
    <ol className="keno-payouts" aria-label={words.keno.payouts}>
      {of.map((multiplier, hits) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the number of hits
          key={hits}
          className={reached === hits && multiplier > 1 ? 'won' : ''}
          aria-current={reached === hits ? 'true' : undefined}
        >
          <b>{`${number(multiplier)}×`}</b> <small>{words.keno.hits(hits)}</small>
        </li>
      ))}
    </ol>
  );
}

type BoardProps = {
  roving: ReturnType<typeof useRoving<HTMLDivElement>>;
  selected: readonly number[];
  drawn: readonly number[];
  isLocked: boolean;
  onChange: (selected: readonly number[]) => void;
};

function Board({ roving, selected, drawn, isLocked, onChange }: BoardProps) {
  const press = (n: number) => {
    if (selected.includes(n)) onChange(selected.filter((one) => one !== n));
    else if (selected.length < MOST) onChange([...selected, n]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid
    <div
      ref={roving.grid}
      className="keno-board"
      role="group"
      aria-label={words.keno.board}
      onKeyDown={roving.onKeyDown}
    >
      {NUMBERS.map((n) => {
        const isDrawn = drawn.includes(n);
        const isMine = selected.includes(n);
        return (
          <button
            key={n}
            type="button"
            {...roving.cell(n - 1)}
            aria-pressed={isMine}
            aria-disabled={isLocked}
            aria-label={words.keno.number(n, isDrawn)}
            className={isDrawn ? (isMine ? 'hit' : 'drawn') : ''}
            onClick={() => press(n)}
          >
            {isDrawn ? <Drawn n={n} /> : <span>{n}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** A drawn number, which falls into its place. */
function Drawn({ n }: { n: number }) {
  const ball = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const frames = [
      { transform: 'translateY(-20px) scale(.5)', opacity: 0 },
      { transform: 'none', opacity: 1 },
    ];
    void move(ball.current, frames, POP_MS, 'pop');
  }, []);
  return (
    <span ref={ball} className="ball">
      <span>{n}</span>
    </span>
  );
}

/** Selects ten different numbers for the player. The draw itself happens on the server. */
function atRandom(): number[] {
  const left = [...NUMBERS];
  return Array.from(
    { length: MOST },
    () => left.splice(Math.floor(Math.random() * left.length), 1)[0]!,
  ).toSorted((a, b) => a - b);
}
