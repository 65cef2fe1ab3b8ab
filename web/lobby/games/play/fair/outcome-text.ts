import { fixed, list, multiplier, number } from '../../../../kit/intl.ts';
import { words } from '../../../words.ts';
import { cardSign } from '../../blackjack-cards.ts';

type Dealt = { cards: readonly number[]; total: number };
type Facts = Readonly<Record<string, unknown>>;

/** The outcome of each game in short, as the fifth step of a proof shows it. */
const TEXTS: Readonly<Record<string, (of: Facts) => string>> = {
  dice: ({ randomValue }) => fixed(randomValue as number),
  limbo: ({ randomMultiplier }) => multiplier(randomMultiplier as number),
  keno: ({ results }) => joined(results),
  plinko: ({ results }) => (results as number[]).map((turn) => words.proof.turns[turn]).join(' '),
  mines: ({ bombs }) => joined((bombs as number[]).map((cell) => cell + 1)),
  'monkey-run': ({ traps }) => joined(traps),
  roulette: ({ randomPosition }) => String(randomPosition),
  'speed-roulette': ({ position }) => String(position),
  blackjack: ({ hands, dealer }) => {
    const all = [...(hands as readonly Dealt[]), dealer as Dealt];
    return all.map(({ cards, total }) => `${cards.map(cardSign).join(' ')} = ${number(total)}`).join(' · ');
  },
};

const joined = (values: unknown) => list((values as number[]).map((value) => number(value)));

export function outcomeText(game: string, outcome: unknown): string {
  const text = TEXTS[game];
  return text ? text(outcome as Facts) : JSON.stringify(outcome);
}
