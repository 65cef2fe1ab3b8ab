import { useState } from 'react';
import { multiplier } from '../../../kit/intl.ts';
import { words } from '../../words.ts';
import { useMyBets } from './my-bets.ts';
import { useResults } from './outcome.ts';

const MOST = 8;

/** The last multipliers of the player in this game, newest first. A multiplier above 1 is a win. */
export function Results({ game }: { game: string }) {
  const shown = useResults(game);
  const bets = useMyBets(game);
  // Later bets are in `shown`.
  const [earlier, setEarlier] = useState(bets);
  if (earlier.length === 0 && bets.length > 0 && shown === undefined) setEarlier(bets);
  const all = [
    ...(shown ?? []).map(({ id, multiplier: m }) => ({ key: `${id}`, m })),
    ...earlier
      .filter(({ id }) => !shown?.some(({ betId }) => betId === id))
      .map(({ id, multiplier: m }) => ({ key: id, m })),
  ];
  return (
    <ol className="results" aria-label={words.table.results}>
      {all.slice(0, MOST).map(({ key, m }) => (
        <li key={key} className={m > 1 ? 'won' : undefined}>
          {multiplier(m)}
        </li>
      ))}
    </ol>
  );
}
