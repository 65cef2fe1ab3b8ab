import './home.css';
import { Link } from 'wouter';
import type { GamePublic } from '../../../../client/call.ts';
import type { IconName } from '../../../kit/icon.tsx';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { pathOf, useAllProviders, useCategories, useGames, useMainPage } from '../../catalogue.ts';
import { GameTile } from '../../game-tile.tsx';
import { Shelf, TileSkeletons } from '../../shelf.tsx';
import { words } from '../../words.ts';
import { HomeBets } from './home-bets.tsx';
import { Promos } from './promos.tsx';
import { Wins } from './wins.tsx';

const SHOWN = 20;

/** The first page, for players and visitors: offers, big wins, games and live bets. */
export const Home = () => (
  <Page title={words.menu.home} isTitleHidden>
    <div className="home-page">
      <Promos />
      <Wins />
      <Originals />
      <OwnShelves />
      <Sections />
      <Providers />
      <HomeBets />
    </div>
  </Page>
);

const tiles = (games: readonly GamePublic[]) =>
  games.map((game) => (
    <li key={game.slug}>
      <GameTile game={game} />
    </li>
  ));

function Originals() {
  const { data, error } = useGames({ category: 'HOUSE_GAME', take: SHOWN });
  if (error || data?.total === 0) return null;
  return (
    <Shelf title={words.menu.originals} icon="dice-5" to={pathOf('HOUSE_GAME')} count={data?.total}>
      {data ? tiles(data.data) : <TileSkeletons count={7} />}
    </Shelf>
  );
}

/** The games that the player played last, and the favourites. */
function OwnShelves() {
  const isIn = useOptionalMe() !== undefined;
  const recent = useRead(
    'GET /casino/games',
    { query: { sortBy: 'lastPlayed', take: SHOWN } },
    { isEnabled: isIn, staleMs: 10_000 },
  );
  const favourites = useRead('GET /casino/games/favorite', { query: { take: SHOWN } }, { isEnabled: isIn });
  const played = (recent.data?.data ?? []).filter(({ lastPlayedAt }) => lastPlayedAt !== null);
  const kept = favourites.data;
  return (
    <>
      {played.length > 0 && (
        <Shelf title={words.menu.recent} icon="history" to="/casino/recent">
          {tiles(played)}
        </Shelf>
      )}
      {kept && kept.total > 0 && (
        <Shelf title={words.menu.favourites} icon="star" to="/casino/favourites" count={kept.total}>
          {tiles(kept.data)}
        </Shelf>
      )}
    </>
  );
}

const ICONS: Readonly<Record<string, IconName>> = {
  SLOTS: 'flame',
  LIVE_CASINO: 'tv',
  ROULETTE: 'circle-dot',
  GAME_SHOWS: 'gamepad-2',
  NEW_RELEASES: 'sparkles',
};

/** The sections that staff composed, with the live casino. Empty ones are left out. */
function Sections() {
  const main = useMainPage();
  const live = useGames({ category: 'LIVE_CASINO', sortBy: 'popular', take: SHOWN });
  const counts = new Map(useCategories().data?.map(({ category, gamesCount }) => [category, gamesCount]));
  return (
    <Loaded of={main} skeleton={<SectionSkeletons />}>
      {({ SLOTS, ROULETTE, GAME_SHOWS, NEW_RELEASES }) => {
        const sections = { SLOTS, LIVE_CASINO: live.data?.data, ROULETTE, GAME_SHOWS, NEW_RELEASES };
        return (Object.entries(sections) as [keyof typeof sections, GamePublic[] | undefined][]).map(
          ([name, games = []]) =>
            games.length > 0 && (
              <Shelf
                key={name}
                title={words.catalogue.categories[name]}
                icon={ICONS[name]!}
                to={pathOf(name)}
                count={name === 'NEW_RELEASES' ? undefined : counts.get(name)}
              >
                {tiles(games)}
              </Shelf>
            ),
        );
      }}
    </Loaded>
  );
}

const SectionSkeletons = () => (
  <>
    {(['SLOTS', 'NEW_RELEASES'] as const).map((name) => (
      <Shelf key={name} title={words.catalogue.categories[name]} icon={ICONS[name]!}>
        <TileSkeletons count={7} />
      </Shelf>
    ))}
  </>
);

function Providers() {
  const { data } = useAllProviders();
  // The originals are a provider too. They have a shelf of their own.
  const found = (data ?? []).filter(({ id }) => id !== 0);
  if (found.length === 0) return null;
  return (
    <Shelf
      title={words.catalogue.providers}
      icon="layers"
      to="/casino/providers"
      count={found.length}
      kind="providers"
    >
      {found.map(({ id, name }) => (
        <li key={id}>
          <Link href={`/casino/providers/${id}`} translate="no">
            {name}
          </Link>
        </li>
      ))}
    </Shelf>
  );
}
