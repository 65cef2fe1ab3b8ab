import { Link } from 'wouter';
import { Page } from '../../kit/page.tsx';
import type { GameName } from '../games/game.tsx';
import { words } from '../words.ts';

/** The games of the house. */
export function Games() {
  return (
    <Page title={words.menu.games}>
      <section aria-label={words.catalogue.house}>
        <h2>{words.catalogue.house}</h2>
        <ul className="games">
          {(Object.keys(words.games) as GameName[]).map((name) => (
            <li key={name}>
              <Link href={`/games/${name}`} className={`tile of-${name}`}>
                <strong>{words.games[name]}</strong>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}
