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
/** The European wheel, clockwise. */
const ORDER = [
  0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22,
  18, 29, 7, 28, 12, 35, 3, 26,
];
const WHEEL: readonly Pocket[] = ORDER.map((number) => ({ number, colour: colourOf(number) }));

/** Chips that lie on places of the table, in the order in which they were laid: each a place and an amount. */
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

/** A ball on a wheel with one zero; chips on all that one thinks it hits. */
export function Roulette() {
  const [laid, setLaid] = useState<Laid>([]);
  const [chip, setChip] = useState<string>('1');
  const [last, setLast] = useState<Result>();
  const turning = useRef<SVGGElement>(null);
  const config = useRead('GET /casino/games/house/roulette/config', {}, { staleMs: 60_000 });
  const reveal = async (result: Result) => {
    await spinTo(turning.current, ORDER.indexOf(result.randomPosition), POCKETS, 1200);
    setLast(result);
  };
  const say = (result: Result) => `${pocketWords(result.randomPosition)}. ${paidWords(result)}`;
  const bet = useBet(BET, { reveal, say });
  const { play, isBusy, said } = bet;
  const bodyOf = (stake: Stake) => ({ ...stake, params: { bets: entriesOf(laid) } });
  const lay = (place: number) => {
    const isFull = byPlace(laid).size >= ROULETTE_MOST_ENTRIES;
    if (!isBusy && !isFull) setLaid([...laid, { place, amount: units(chip) }]);
  };
  return (
    <Game
      name="roulette"
      said={said}
      betId={last?.betId}
      panel={
        <BetPanel
          limits={config.data}
          total={formatUnits(totalOn(laid))}
          onPlay={(stake) => void play({ body: bodyOf(stake) })}
          bet={bet}
          isOff={laid.length === 0}
          ask={(of, count) =>
            once('POST /casino/games/house/roulette/series', { body: { ...bodyOf(of), count } })
          }
          reveal={reveal}
          say={say}
        >
          <ChipChoice chip={chip} onChange={setChip} />
          <div className="actions">
            <button type="button" disabled={isBusy} onClick={() => setLaid(laid.slice(0, -1))}>
              {words.roulette.undo}
            </button>
            <button type="button" disabled={isBusy} onClick={() => setLaid(doubled(laid))}>
              2×
            </button>
            <button type="button" disabled={isBusy} onClick={() => setLaid([])}>
              {words.house.clear}
            </button>
          </div>
          {laid.length === 0 && <small className="dim">{words.roulette.lay}</small>}
        </BetPanel>
      }
    >
      <div className="roulette-stage">
        <Wheel
          pockets={WHEEL}
          turning={turning}
          label={last ? pocketWords(last.randomPosition) : words.roulette.wheel}
        />
        <Table chips={byPlace(laid)} hit={isBusy ? undefined : last?.randomPosition} onLay={lay} />
      </div>
    </Game>
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
