import { Link } from 'wouter';
import { Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { GameName } from '../games/game.tsx';
import { words } from '../words.ts';
import { Catalogue } from './catalogue.tsx';
import './games.css';

/** An icon for each house game, drawn in a square of 24 by 24 units. */
const SIGNS: Readonly<Record<GameName, string>> = {
  dice: 'M4 4h16v16H4z M8.5 8.5h.01 M15.5 8.5h.01 M12 12h.01 M8.5 15.5h.01 M15.5 15.5h.01',
  limbo: 'M3 20 C10 20 14 14 16 6 M12 8 L16.5 4 L19 9.5',
  keno: 'M12 3a9 9 0 1 0 .01 0z M9 9h3v7 M9 16h6',
  plinko: 'M12 4h.01 M9 9h.01 M15 9h.01 M6 14h.01 M12 14h.01 M18 14h.01 M3 20h18',
  roulette: 'M12 3a9 9 0 1 0 .01 0z M12 8a4 4 0 1 0 .01 0z M12 3v5 M12 16v5 M3 12h5 M16 12h5',
  mines: 'M12 6a6.5 6.5 0 1 0 .01 0z M12 6V3 M6.5 7.5 4 5 M17.5 7.5 20 5',
  'monkey-run': 'M3 18h5v-5h5V8h5V4 M18 4l-2.5 2.5 M18 4l2.5 2.5',
  blackjack: 'M4 6l9-2 3 14-9 2z M14 5l6 2-3 12 M10 9v5',
  'speed-roulette': 'M12 4a8 8 0 1 0 8 8 M12 12l6-6 M14.5 5.5H18.5V9.5',
};

/** House games for all visitors, and provider games for signed-in players. */
export function Games() {
  const me = useRead('GET /user/me', {}, { staleMs: 60_000 });
  const isIn = me.data !== undefined && me.error === null;
  return (
    <Page title={words.menu.games}>
      <section aria-label={words.catalogue.house}>
        <h2>{words.catalogue.house}</h2>
        <ul className="games">
          {(Object.keys(words.games) as GameName[]).map((name) => (
            <li key={name}>
              <Link href={`/games/${name}`} className={`tile of-${name}`}>
                <svg className="sign" viewBox="0 0 24 24" aria-hidden="true">
                  <path d={SIGNS[name]} />
                </svg>
                <strong>{words.games[name]}</strong>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      {isIn && <Catalogue />}
    </Page>
  );
}
