import { useState } from 'react';
import { formatUnits, type Units, units } from '../../../src/platform/money.ts';
import { PLACES } from './roulette-places.ts';

export const CHIPS = ['0.1', '1', '5', '25', '100'] as const;

/** Total chips on each position, by its index. */
export type Laid = ReadonlyMap<number, Units>;

const NONE: Laid = new Map();
/** The most states that Undo goes back. */
const MOST_STATES = 100;
/** The chips of the last bet, while the application is open. */
let lastBet: Laid = NONE;

export const totalOn = (laid: Laid): Units => [...laid.values()].reduce((sum, amount) => sum + amount, 0n);

const CENT = units('0.01');

/** Returns the chips in the same proportions for another total, in whole cents. Autoplay changes the total after wins and losses. */
export function scaledTo(wanted: Units, laid: Laid): Laid {
  const total = totalOn(laid);
  if (wanted === total || total === 0n) return laid;
  const scaled = (amount: Units) => ((amount * wanted) / total / CENT) * CENT;
  return new Map([...laid].map(([place, amount]) => [place, scaled(amount) || CENT]));
}

export const entriesOf = (laid: Laid) =>
  [...laid].map(([place, amount]) => {
    const { type, numbers } = PLACES[place]!.position;
    return { type, numbers: [...numbers], amount: formatUnits(amount) };
  });

/** The chips on the table, and the chip that is placed next. Every change can be undone. */
export function useChips() {
  const [states, setStates] = useState<readonly Laid[]>([NONE]);
  const [chip, setChip] = useState<string>('1');
  const laid = states.at(-1)!;
  const put = (next: Laid) => setStates([...states.slice(-MOST_STATES), next]);
  return {
    laid,
    chip,
    setChip,
    canUndo: states.length > 1,
    canRepeat: laid.size === 0 && lastBet.size > 0,
    lay(places: readonly number[]) {
      const next = new Map(laid);
      for (const place of places) next.set(place, (next.get(place) ?? 0n) + units(chip));
      put(next);
    },
    undo: () => states.length > 1 && setStates(states.slice(0, -1)),
    double: () => put(new Map([...laid].map(([place, amount]) => [place, amount * 2n]))),
    clear: () => put(NONE),
    repeat: () => put(lastBet),
    note() {
      lastBet = laid;
    },
  };
}

export type Chips = ReturnType<typeof useChips>;
