import { useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { POCKETS, ROULETTE_MOST_ENTRIES } from '../../../src/modules/games/house-games/roulette/rules.ts';
import { formatUnits, type Units, units } from '../../../src/platform/money.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './roulette.css';
import { BetPanel } from './bet-panel.tsx';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { colourOf, PLACES, Table } from './roulette-table.tsx';
import type { Stake } from './stake.tsx';
import { once, useBet } from './use-bet.ts';
import { type Pocket, spinTo, Wheel } from './wheel.tsx';

const BET = 'POST /casino/games/house/roulette/bet';
type Result = Answer<typeof BET>;

const CHIPS = ['0.1', '0.5', '1', '5', '25', '100'] as const;
/** Order of the numbers on the European wheel, clockwise. */
const ORDER = [
  0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22,
  18, 29, 7, 28, 12, 35, 3, 26,
];
const WHEEL: readonly Pocket[] = ORDER.map((number) => ({ number, colour: colourOf(number) }));

/** Chips in the order in which they were placed, each with its position and amount. */
type Laid = readonly { place: number; amount: Units }[];

const totalOn = (laid: Laid): Units => laid.reduce((sum, { amount }) => sum + amount, 0n);

function byPlace(laid: Laid): ReadonlyMap<number, Units> {
  const sums = new Map<number, Units>();
  for (const { place, amount } of laid) sums.set(place, (sums.get(place) ?? 0n) + amount);
  return sums;
}

const doubled = (laid: Laid): Laid => laid.map(({ place, amount }) => ({ place, amount: amount * 2n }));

const entriesOf = (laid: Laid) =>
  [...byPlace(laid)].map(([place, amount]) => {
    const { type, numbers } = PLACES[place]!.position;
    return { type, numbers: [...numbers], amount: formatUnits(amount) };
  });

/** Roulette: a wheel with one zero, and chips on any positions of the table. */
export function Roulette() {
  const chips = useChips();
  const { laid } = chips;
  const config = useRead('GET /casino/games/house/roulette/config', {}, { staleMs: 60_000 });
  const { turning, last, spin } = useSpin();
  const bet = useBet(BET, { reveal: spin, say });
  const { isBusy } = bet;
  const bodyOf = (stake: Stake) => ({ ...stake, params: { bets: entriesOf(laid) } });
  const hit = isBusy ? undefined : last?.randomPosition;
  return (
    <Game
      name="roulette"
      said={bet.said}
      betId={last?.betId}
      panel={
        <BetPanel
          limits={config.data}
          total={formatUnits(totalOn(laid))}
          onPlay={(stake) => void bet.play({ body: bodyOf(stake) })}
          bet={bet}
          isOff={laid.length === 0}
          ask={(of, count) =>
            once('POST /casino/games/house/roulette/series', { body: { ...bodyOf(of), count } })
          }
          reveal={spin}
          say={say}
        >
          <Chips chips={chips} isLocked={isBusy} />
        </BetPanel>
      }
    >
      <div className="roulette-stage">
        <Wheel
          pockets={WHEEL}
          turning={turning}
          shown={hit}
          label={last ? pocketWords(last.randomPosition) : words.roulette.wheel}
        />
        <Table
          chips={byPlace(laid)}
          hit={hit}
          onLay={(place) => !isBusy && chips.lay(place)}
          onUndo={() => !isBusy && chips.undo()}
        />
      </div>
    </Game>
  );
}

const say = (result: Result) => `${pocketWords(result.randomPosition)}. ${paidWords(result)}`;

/** The last result, and the rotation of the wheel to that result. */
function useSpin() {
  const [last, setLast] = useState<Result>();
  const turning = useRef<SVGGElement>(null);
  const spin = async (result: Result) => {
    await spinTo(turning.current, ORDER.indexOf(result.randomPosition), POCKETS, 1200);
    setLast(result);
  };
  return { turning, last, spin };
}

/** The chips on the table, and the selected chip value. */
function useChips() {
  const [laid, setLaid] = useState<Laid>([]);
  const [chip, setChip] = useState<string>('1');
  return {
    laid,
    chip,
    setChip,
    lay(place: number) {
      const places = byPlace(laid);
      if (places.has(place) || places.size < ROULETTE_MOST_ENTRIES)
        setLaid([...laid, { place, amount: units(chip) }]);
    },
    undo: () => setLaid(laid.slice(0, -1)),
    double: () => setLaid(doubled(laid)),
    clear: () => setLaid([]),
  };
}

type ChipsProps = { chips: ReturnType<typeof useChips>; isLocked: boolean };

function Chips({ chips: { laid, chip, setChip, undo, double, clear }, isLocked }: ChipsProps) {
  const isOff = isLocked || laid.length === 0;
  return (
    <>
      <ChipChoice chip={chip} onChange={setChip} />
      <div className="actions">
        <button type="button" disabled={isOff} onClick={undo}>
          ↶ {words.roulette.undo}
        </button>
        <button type="button" disabled={isOff} onClick={double}>
          {words.roulette.double}
        </button>
        <button type="button" disabled={isOff} onClick={clear}>
          ✕ {words.roulette.clear}
        </button>
      </div>
      {laid.length === 0 && <small className="dim">{words.roulette.lay}</small>}
    </>
  );
}

function ChipChoice({ chip, onChange }: { chip: string; onChange: (chip: string) => void }) {
  return (
    <fieldset className="chips">
      <legend>{words.roulette.chip}</legend>
      {CHIPS.map((one) => (
        <label key={one}>
          <input type="radio" name="chip" checked={chip === one} onChange={() => onChange(one)} /> {one}
        </label>
      ))}
    </fieldset>
  );
}

const pocketWords = (number: number) => `${number} ${words.house.colours[colourOf(number)]}`;
