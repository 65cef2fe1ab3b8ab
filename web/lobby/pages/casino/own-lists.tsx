import { ButtonLink } from '../../../kit/button.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import type { Category } from '../../catalogue.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { GameFilters, type Order } from './filters.tsx';
import { Found, Grid, GridSkeleton } from './grid.tsx';

const TAKE = 21;

/** The games that the player played last. The operation lists the others after them. */
export function Recent() {
  const isIn = useOptionalMe() !== undefined;
  const t = words.catalogue;
  const list = useRead(
    'GET /casino/games',
    { query: { sortBy: 'lastPlayed', take: 30 } },
    { isEnabled: isIn },
  );
  if (!isIn) return <OwnGames title={words.menu.recent} hint={t.noRecentHint} />;
  return (
    <Page title={words.menu.recent}>
      <Loaded of={list} skeleton={<GridSkeleton />}>
        {({ data }) => (
          <Grid
            of={data.filter(({ lastPlayedAt }) => lastPlayedAt !== null)}
            empty={<None title={t.noRecent} hint={t.noRecentHint} />}
          />
        )}
      </Loaded>
    </Page>
  );
}

const FAVOURITE_ORDERS = ['createdAt', 'name'] as const satisfies readonly Order[];

export function Favourites() {
  const isIn = useOptionalMe() !== undefined;
  return isIn ? (
    <OwnFavourites />
  ) : (
    <OwnGames title={words.menu.favourites} hint={words.catalogue.noFavouritesHint} />
  );
}

function OwnFavourites() {
  const filters = useFilters({});
  const { text, page, toPage } = filters;
  const t = words.catalogue;
  const isByName = text('sort') === 'name';
  const [name, category] = [text('name'), text<Category>('category')];
  const list = useRead('GET /casino/games/favorite', {
    query: { name, category, page, take: TAKE, ...(isByName && { sortBy: 'name', sortOrder: 'asc' }) },
  });
  const hasNone = list.data?.total === 0 && name === undefined && category === undefined;
  return (
    <Page
      title={words.menu.favourites}
      filters={!hasNone && <GameFilters in={filters} orders={FAVOURITE_ORDERS} hasCategories />}
    >
      {hasNone ? (
        <None title={t.noFavourites} hint={t.noFavouritesHint} />
      ) : (
        <Found list={list} onPage={toPage} />
      )}
    </Page>
  );
}

const None = ({ title, hint }: { title: string; hint: string }) => (
  <Empty
    art="no-results"
    title={title}
    action={
      <ButtonLink to="/games" kind="main">
        {words.page.browse}
      </ButtonLink>
    }
  >
    {hint}
  </Empty>
);

/** A list that visitors do not have. */
function OwnGames({ title, hint }: { title: string; hint: string }) {
  const link = useOverlayLink();
  return (
    <Page title={title}>
      <Empty
        art="no-results"
        title={words.catalogue.signIn}
        action={
          <ButtonLink to={link('account', 'sign-in')} kind="main">
            {words.entry.signIn}
          </ButtonLink>
        }
      >
        {hint}
      </Empty>
    </Page>
  );
}
