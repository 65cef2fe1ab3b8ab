import { Link } from 'wouter';
import type { Answer, GamePublic, Input } from '../../../client/call.ts';
import { Empty, Loaded } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { Button } from '../../kit/session.tsx';
import { type FilterField, Filters, useFilters } from '../../kit/table.tsx';
import { say } from '../../kit/toast.tsx';
import { kit } from '../../kit/words.ts';
import { words } from '../words.ts';

const LIST = 'GET /casino/games';
const MAIN = 'GET /casino/games/main';
const FAVOURITES = 'GET /casino/games/favorite';
const ONE = 'GET /casino/games/{slug}';

type Query = NonNullable<Input<typeof LIST>['query']>;
type Category = NonNullable<Query['category']>;
type Order = NonNullable<Query['sortBy']>;
type Group = keyof Answer<typeof MAIN>;

const ORDERS: readonly Order[] = ['popular', 'name', 'addedAt', 'lastPlayed', 'random'];
const TAKE = 24;

/** Provider games: favourites, featured games or search results. */
export function Catalogue() {
  const filters = useFilters({});
  const { text, number } = filters;
  const isSearched = ['name', 'category', 'providerId', 'sortBy'].some((name) => text(name) !== undefined);
  return (
    <section aria-label={words.catalogue.all} className="catalogue">
      <h2>{words.catalogue.all}</h2>
      <Filters of={useFields()} in={filters} />
      {isSearched ? (
        <Found
          query={{
            name: text('name'),
            category: text<Category>('category'),
            providerId: number('providerId'),
            sortBy: text<Order>('sortBy'),
            sortOrder: text('sortBy') === 'name' ? 'asc' : undefined,
            page: filters.page,
            take: TAKE,
          }}
          onPage={filters.toPage}
        />
      ) : (
        <Front />
      )}
    </section>
  );
}

function useFields(): readonly FilterField[] {
  const providers = useRead('GET /casino/games/providers', {
    query: { sortBy: 'name', sortOrder: 'asc', take: 30 },
  });
  const t = words.catalogue;
  const categories = Object.entries(t.categories).filter(([value]) => value !== 'NEW_RELEASES');
  return [
    { name: 'name', label: t.search },
    { name: 'category', label: t.category, of: categories.map(([value, label]) => ({ value, label })) },
    {
      name: 'providerId',
      label: t.provider,
      of: (providers.data?.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
    },
    { name: 'sortBy', label: t.order, of: ORDERS.map((value) => ({ value, label: t.orders[value] })) },
  ];
}

function Found({ query, onPage }: { query: Query; onPage: (page: number) => void }) {
  const list = useRead(LIST, { query });
  return (
    <Loaded of={list}>
      {({ data, page, totalPages, total }) => (
        <>
          {data.length === 0 ? <Empty>{words.catalogue.none}</Empty> : <Tiles of={data} />}
          <nav className="pager" aria-label={kit.pages}>
            <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
              {kit.previous}
            </button>
            <span className="dim">{kit.pageOf(page, totalPages, total.toLocaleString(kit.locale))}</span>
            <button type="button" disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
              {kit.next}
            </button>
          </nav>
        </>
      )}
    </Loaded>
  );
}

function Front() {
  const favourites = useRead(FAVOURITES, { query: { take: TAKE } });
  const main = useRead(MAIN, {});
  const groups = Object.entries(main.data ?? {}).filter(([name]) => name !== 'HOUSE_GAME');
  return (
    <>
      {favourites.data && favourites.data.data.length > 0 && (
        <Shelf title={words.catalogue.favourites} of={favourites.data.data} />
      )}
      <Loaded of={main}>
        {() =>
          groups.map(([name, games]) =>
            games.length === 0 ? null : (
              <Shelf key={name} title={words.catalogue.categories[name as Group]} of={games} />
            ),
          )
        }
      </Loaded>
    </>
  );
}

const Shelf = ({ title, of }: { title: string; of: readonly GamePublic[] }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    <Tiles of={of} />
  </section>
);

const Tiles = ({ of }: { of: readonly GamePublic[] }) => (
  <ul className="games">
    {of.map((game) => (
      <li key={game.slug} className="with-heart">
        <Link href={`/games/${game.slug}`} className="tile">
          {game.images[0] && <img src={game.images[0]} alt="" loading="lazy" />}
          <strong>{game.name}</strong>
          <small className="dim">{game.provider.name}</small>
        </Link>
        <Heart game={game} />
      </li>
    ))}
  </ul>
);

/** Adds a game to the player's favourites or removes it. */
export function Heart({ game: { slug, name, isFavorite = false } }: { game: GamePublic }) {
  const stale = [LIST, MAIN, FAVOURITES, ONE] as const;
  const add = useAct('POST /casino/games/favorite/{slug}', { stale });
  const remove = useAct('DELETE /casino/games/favorite/{slug}', { stale });
  const press = async () => {
    const act = isFavorite ? remove : add;
    if (!(await act.run({ path: { slug } }))) say(words.catalogue.notKept, true);
  };
  return (
    <Button
      aria-pressed={isFavorite}
      aria-label={words.catalogue.favourite(name)}
      isBusy={add.isBusy || remove.isBusy}
      kind="quiet"
      onClick={() => void press()}
    >
      {isFavorite ? '♥' : '♡'}
    </Button>
  );
}
