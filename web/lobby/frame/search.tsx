import './search.css';
import { type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import type { GamePublic } from '../../../client/call.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Skeleton } from '../../kit/figures.tsx';
import { Chip } from '../../kit/form/toggle.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Empty, Loaded } from '../../kit/page.tsx';
import { useLater } from '../../kit/use-later.ts';
import { type Category, useAllProviders, useGames } from '../catalogue.ts';
import { GameTile } from '../game-tile.tsx';
import { own } from '../own.ts';
import { words } from '../words.ts';

const KEY = 'recentSearches';
const MOST_RECENT = 5;
const MOST = 18;

const recentSearches = (): string[] => (own.get(KEY) ?? '').split('\n').filter(Boolean);
function remember(text: string): void {
  const others = recentSearches().filter((one) => one !== text);
  own.set(KEY, [text, ...others].slice(0, MOST_RECENT).join('\n'));
}

/** Games and providers, found while the visitor types. */
export function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const wanted = useLater(text.trim());
  const leave = () => {
    if (wanted) remember(wanted);
  };
  return (
    <Dialog
      title={words.search.title}
      onClose={onClose}
      className="search-sheet"
      head={
        <label className="line grow big">
          <Icon name="search" size={20} />
          <input
            type="text"
            value={text}
            autoFocus
            enterKeyHint="search"
            aria-label={words.search.hint}
            placeholder={words.search.hint}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'ArrowDown' && moveFocus(event, 1)}
          />
        </label>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the links within */}
      <div
        className="stack"
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
          if (step) moveFocus(event, step as 1 | -1);
        }}
      >
        {wanted ? <Found text={wanted} onChoose={leave} /> : <First onChoose={leave} />}
        {!wanted && <Recent onChoose={setText} />}
      </div>
    </Dialog>
  );
}

/** The last searches in this browser. */
function Recent({ onChoose }: { onChoose: (text: string) => void }) {
  const [recent, setRecent] = useState(recentSearches);
  if (recent.length === 0) return null;
  const clear = () => {
    own.remove(KEY);
    setRecent([]);
  };
  return (
    <div className="actions">
      <h3 className="xs faint">{words.search.recent}</h3>
      {recent.map((one) => (
        <Chip key={one} onClick={() => onChoose(one)}>
          {one}
        </Chip>
      ))}
      <button type="button" className="link xs" onClick={clear}>
        {words.search.clear}
      </button>
    </div>
  );
}

const matches = (text: string) => (name: string) =>
  name.toLocaleLowerCase().includes(text.toLocaleLowerCase());

const CATEGORIES = ['SLOTS', 'LIVE_CASINO', 'HOUSE_GAME'] as const satisfies readonly Category[];

type FoundProps = { text: string; onChoose: () => void };

/** The games that were found, with their kinds and the providers whose names match. */
function Found({ text, onChoose }: FoundProps) {
  const [category, setCategory] = useState<(typeof CATEGORIES)[number]>();
  const games = useGames({ name: text, category, sortBy: 'popular', take: MOST });
  const t = words.catalogue;
  return (
    <>
      <div className="actions">
        <Chip kind={category ? undefined : 'set'} onClick={() => setCategory(undefined)}>
          {words.kit.all}
        </Chip>
        {CATEGORIES.map((one) => (
          <Chip key={one} kind={one === category ? 'set' : undefined} onClick={() => setCategory(one)}>
            {t.categories[one]}
          </Chip>
        ))}
      </div>
      <Loaded of={games} skeleton={<Skeleton height={180} />}>
        {({ data, total }) =>
          total === 0 ? (
            <Empty art="no-results" title={words.search.none(text)}>
              {words.search.noneHint}
            </Empty>
          ) : (
            <>
              <Tiles of={data} onChoose={onChoose} />
              <div className="line between">
                <p className="xs faint" role="status">
                  {t.shownOf(data.length, total)}
                  <span className="key-hint"> · {words.search.keys}</span>
                </p>
                {total > data.length && (
                  <Link
                    href={`/casino/all?${new URLSearchParams({ name: text, ...(category && { category }) })}`}
                    className="link sm"
                    onClick={onChoose}
                  >
                    {t.showAll(total)}
                  </Link>
                )}
              </div>
            </>
          )
        }
      </Loaded>
      <FoundProviders text={text} onChoose={onChoose} />
    </>
  );
}

function FoundProviders({ text, onChoose }: FoundProps) {
  const { data } = useAllProviders();
  const isFound = matches(text);
  const found = (data ?? []).filter(({ id, name }) => id !== 0 && isFound(name)).slice(0, 6);
  if (found.length === 0) return null;
  return (
    <div className="actions">
      <h3 className="xs faint">{words.search.providers}</h3>
      {found.map(({ id, name }) => (
        <Link key={id} href={`/casino/providers/${id}`} className="chip" onClick={onChoose}>
          {name}
        </Link>
      ))}
    </div>
  );
}

/** Games to begin with, before anything is typed. */
function First({ onChoose }: { onChoose: () => void }) {
  const games = useGames({ category: 'HOUSE_GAME', take: MOST });
  return (
    <section className="stack" aria-label={words.menu.originals}>
      <h3>{words.menu.originals}</h3>
      <Loaded of={games} skeleton={<Skeleton height={180} />}>
        {({ data }) => <Tiles of={data} onChoose={onChoose} />}
      </Loaded>
    </section>
  );
}

const Tiles = ({ of, onChoose }: { of: readonly GamePublic[]; onChoose: () => void }) => (
  <ul className="tiles">
    {of.map((game) => (
      <li key={game.slug}>
        <GameTile game={game} onClick={onChoose} />
      </li>
    ))}
  </ul>
);

/** Moves the focus between the field and the links of the dialog. */
function moveFocus(event: KeyboardEvent, step: 1 | -1): void {
  const stops = [
    ...(event.target as HTMLElement).closest('dialog')!.querySelectorAll<HTMLElement>('.big input, .body a'),
  ];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
