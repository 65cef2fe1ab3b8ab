import './casino.css';
import { useFilters } from '../../../kit/filters.ts';
import { Page } from '../../../kit/page.tsx';
import { useOptionalMe } from '../../../kit/session.tsx';
import { type Category, type GamesQuery, pathOf, useGames } from '../../catalogue.ts';
import { NotFound } from '../../not-found.tsx';
import { words } from '../../words.ts';
import { GameFilters, type Order } from './filters.tsx';
import { Found } from './grid.tsx';
import { Favourites, Recent } from './own-lists.tsx';
import { Providers } from './providers.tsx';

/** Full rows of seven tiles, and of three on phones. */
const TAKE = 21;
const ORDERS = ['popular', 'name', 'addedAt', 'random'] as const satisfies readonly Order[];
const PLAYER_ORDERS = [...ORDERS, 'lastPlayed'] as const;
const NEWEST = ['addedAt', 'name', 'popular', 'random'] as const satisfies readonly Order[];

/** A page of the catalogue, by the last part of its address. */
export function Casino({ params: { list = '' } }: { params: { list?: string } }) {
  if (list === 'favourites') return <Favourites />;
  if (list === 'recent') return <Recent />;
  if (list === 'all') return <AllGames />;
  if (list === 'providers') return <Providers />;
  if (list === 'new')
    return <Games title={words.menu.newReleases} orders={NEWEST} hasCategories hasProviders />;
  const categories = Object.keys(words.catalogue.categories) as Category[];
  const category = categories.find((name) => pathOf(name) === `/casino/${list}`);
  if (!category) return <NotFound />;
  return (
    <Games
      key={category}
      title={words.catalogue.categories[category]}
      query={{ category }}
      hasProviders={category !== 'HOUSE_GAME'}
    />
  );
}

/** The games of one provider. */
export function Provider({ params: { id = '' } }: { params: { id?: string } }) {
  const providerId = Number(id);
  const isNumber = Number.isSafeInteger(providerId) && providerId >= 0;
  const games = useGames({ providerId, take: 1 }, isNumber);
  if (!isNumber || games.error?.status === 404 || games.data?.total === 0) return <NotFound />;
  const name = games.data?.data[0]?.provider.name ?? words.catalogue.provider;
  return <Games title={name} query={{ providerId }} hasCategories />;
}

function AllGames() {
  return <Games title={words.catalogue.all} hasCategories hasProviders />;
}

type GamesProps = {
  title: string;
  /** The fixed part of the query. */
  query?: Pick<GamesQuery, 'category' | 'providerId'>;
  orders?: readonly Order[];
  hasCategories?: boolean;
  hasProviders?: boolean;
};

function Games({ title, query, orders, ...shown }: GamesProps) {
  const isIn = useOptionalMe() !== undefined;
  const filters = useFilters({});
  const { text, page, number: numberOf, toPage } = filters;
  const available = orders ?? (isIn ? PLAYER_ORDERS : ORDERS);
  const sort = available.find((order) => order === text('sort')) ?? available[0]!;
  const list = useGames({
    name: text('name'),
    category: text<Category>('category'),
    providerId: numberOf('providerId'),
    ...query,
    sortBy: sort as GamesQuery['sortBy'],
    ...(sort === 'name' && { sortOrder: 'asc' }),
    page,
    take: TAKE,
  });
  return (
    <Page
      title={title}
      filters={<GameFilters in={filters} orders={available} category={query?.category} {...shown} />}
    >
      <Found list={list} onPage={toPage} />
    </Page>
  );
}
