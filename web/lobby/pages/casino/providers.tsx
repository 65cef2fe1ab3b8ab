import { Link } from 'wouter';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useAllProviders } from '../../catalogue.ts';
import { words } from '../../words.ts';

/** All providers with the number of their games. */
export function Providers() {
  const all = useAllProviders();
  return (
    <Page title={words.catalogue.providers}>
      <Loaded of={all}>
        {(found) => (
          <ul className="provider-grid">
            {found
              .filter(({ id }) => id !== 0)
              .map(({ id, name, gamesCount }) => (
                <li key={id}>
                  <Link href={`/casino/providers/${id}`}>
                    <b translate="no">{name}</b>
                    {gamesCount !== undefined && (
                      <span className="dim sm">{words.catalogue.games(gamesCount)}</span>
                    )}
                  </Link>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}
