import { useState } from 'react';
import { fixed, multiplier } from '../../../kit/intl.ts';
import { words } from '../../words.ts';
import type { Ended } from './levels.ts';
import { useMyBets } from './my-bets.ts';
import { useResults } from './outcome.ts';

const MOST = 8;

/** The number that was drawn, or else the multiplier of the payout. Only results of this visit have the former. */
const resultOf = ({
  randomValue,
  randomMultiplier,
  multiplier: m,
}: Pick<Ended, 'multiplier' | 'randomValue' | 'randomMultiplier'>) =>
  randomValue === undefined ? multiplier(randomMultiplier ?? m) : fixed(randomValue);

/** The last results of the player in this game, newest first. A multiplier above 1 is a win. */
export function Results({ game }: { game: string }) {
  const shown = useResults(game);
  const bets = useMyBets(game);
  // Later bets are in `shown`.
  const [earlier, setEarlier] = useState(bets);
  if (earlier.length === 0 && bets.length > 0 && shown === undefined) setEarlier(bets);
  const all = [
    ...(shown ?? []).map((one) => ({ ...one, key: `${one.id}` })),
    ...earlier
      .filter(({ id }) => !shown?.some(({ betId }) => betId === id))
      .map(({ id, multiplier: m }) => ({ key: id, multiplier: m })),
  ];
  return (
    <ol className="results" aria-label={words.table.results}>
      {all.slice(0, MOST).map(({ key, ...one }) => (
        <li key={key} className={one.multiplier > 1 ? 'won' : undefined}>
          {resultOf(one)}
        </li>
      ))}
    </ol>
  );
}
