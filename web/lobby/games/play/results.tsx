import { useState } from 'react';
import { fixed, multiplier } from '../../../kit/intl.ts';
import { words } from '../../words.ts';
import { useMyBets } from './my-bets.ts';
import type { Ended } from './levels.ts';
import { useResults } from './outcome.ts';

const MOST = 8;

/** The number that was drawn in this visit, or else the multiplier of the payout. */
const resultOf = ({ randomValue, randomMultiplier, multiplier: m }: Ended) =>
  randomValue === undefined ? multiplier(randomMultiplier ?? m) : fixed(randomValue);

/** The last results of the player in this game, newest first. A multiplier above 1 is a win. */
export function Results({ game }: { game: string }) {
  const shown = useResults(game);
  const bets = useMyBets(game);
  // Later bets are in `shown`.
  const [earlier, setEarlier] = useState(bets);
  if (earlier.length === 0 && bets.length > 0 && shown === undefined) setEarlier(bets);
  const all = [
    ...(shown ?? []).map((one) => ({ key: `${one.id}`, m: one.multiplier, text: resultOf(one) })),
    ...earlier
      .filter(({ id }) => !shown?.some(({ betId }) => betId === id))
      .map(({ id, multiplier: m }) => ({ key: id, m, text: multiplier(m) })),
  ];
  return (
    <ol className="results" aria-label={words.table.results}>
      {all.slice(0, MOST).map(({ key, m, text }) => (
        <li key={key} className={m > 1 ? 'won' : undefined}>
          {text}
        </li>
      ))}
    </ol>
  );
}
