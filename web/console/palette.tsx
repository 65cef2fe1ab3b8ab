import './palette.css';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Op } from '../../client/call.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Badge } from '../kit/figures.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { words } from '../kit/page.tsx';
import { missingRight, useMe } from '../kit/session.tsx';
import { useMenu } from './navigation.tsx';
import { type Hit, pageOf, searchAll } from './search.ts';

/** A row of the palette. It leads to a page. */
type Entry = { group: string; icon: IconName; title: string; subtitle?: string; note?: string; to: string };

type Action = { title: string; icon: IconName; of: Op; to: string };

/** Things to do, each with the operation whose permission it needs. */
const ACTIONS: readonly Action[] = [
  {
    title: 'Review withdrawals',
    icon: 'banknote',
    of: 'POST /admin/payments/withdraw/approve',
    to: '/withdrawals',
  },
  { title: 'Review identity documents', icon: 'user-check', of: 'PATCH /admin/kyc/{userId}', to: '/kyc' },
  { title: 'Ban a user', icon: 'ban', of: 'PATCH /admin/user/{id}/ban', to: '/users' },
  { title: 'Create a promotion', icon: 'gift', of: 'POST /admin/promo', to: '/promo/new' },
  { title: 'Create a challenge', icon: 'target', of: 'PUT /admin/challenge', to: '/challenges/new' },
  { title: 'Create a leaderboard', icon: 'trophy', of: 'POST /admin/leaderboards', to: '/leaderboards/new' },
  { title: 'Disable a game', icon: 'gamepad-2', of: 'POST /admin/casino/games/{slug}', to: '/games' },
  { title: 'Give or take money', icon: 'hand-coins', of: 'POST /admin/admin-tips', to: '/tips' },
  { title: 'Block a country', icon: 'globe', of: 'PATCH /admin/country/{code}', to: '/countries' },
  { title: 'Add a colleague', icon: 'user-plus', of: 'POST /admin/user/admin-user', to: '/staff' },
  {
    title: 'Change settings',
    icon: 'sliders-horizontal',
    of: 'PATCH /admin/config/{code}',
    to: '/configuration',
  },
];

const KINDS: Readonly<Record<Hit['kind'], { group: string; icon: IconName }>> = {
  player: { group: 'Users', icon: 'user' },
  withdrawal: { group: 'Withdrawals', icon: 'banknote' },
  deposit: { group: 'Deposits', icon: 'arrow-down-to-line' },
  bet: { group: 'Bets', icon: 'receipt' },
  game: { group: 'Games', icon: 'gamepad-2' },
  promotion: { group: 'Promotions', icon: 'gift' },
};

/** Finds players, payments, bets, games, pages and actions. A text that begins with > finds actions alone. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const id = useId();
  const { entries, isBusy, hasFailed } = useEntries(text);
  const current = Math.min(at, entries.length - 1);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current row is scrolled into view after each move
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const open = (entry: Entry | undefined, isNewTab: boolean) => {
    if (!entry) return;
    if (isNewTab) window.open(`/console${entry.to}`, '_blank', 'noopener');
    else go(entry.to);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((current + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') open(entries[current], event.metaKey || event.ctrlKey);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      title="Search or jump to"
      className="palette"
      onClose={onClose}
      head={
        <>
          <Icon name="search" size={20} />
          <input
            className="grow"
            role="combobox"
            aria-label="Search or jump to"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={entries[current] && `${id}-${current}`}
            placeholder="Name, email, ID, address or transaction hash"
            value={text}
            autoComplete="off"
            onChange={({ target }) => {
              setText(target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </>
      }
      foot={<Hints />}
    >
      <div ref={list} id={id} role="listbox" aria-label="Results" aria-busy={isBusy}>
        {entries.map((entry, index) => (
          <Row
            key={`${entry.group} ${entry.to} ${entry.title}`}
            id={`${id}-${index}`}
            of={entry}
            hasHead={entries[index - 1]?.group !== entry.group}
            isCurrent={index === current}
            onPoint={() => setAt(index)}
            onOpen={(isNewTab) => open(entry, isNewTab)}
          />
        ))}
      </div>
      {entries.length === 0 && (
        <p className="dim" role="status">
          {hasFailed ? 'The search failed. Try again.' : isBusy ? 'Searching…' : 'No matches'}
        </p>
      )}
    </Dialog>
  );
}

const WAIT_MS = 200;
/** Searches of one letter would find too much. */
const LEAST = 2;

function useEntries(text: string) {
  const isOnlyActions = text.startsWith('>');
  const wanted = text.replace(/^>/, '').trim();
  const searched = useLater(isOnlyActions ? '' : wanted);
  const found = useQuery({
    queryKey: ['search', searched],
    queryFn: ({ signal }) => searchAll(searched, signal),
    enabled: searched.length >= LEAST,
  });
  const hits = searched === wanted ? (found.data ?? []) : [];
  const places = usePlaces(wanted, isOnlyActions);
  return {
    entries: [...hits.map(entryOf), ...places],
    isBusy: !isOnlyActions && wanted.length >= LEAST && (searched !== wanted || found.isPending),
    hasFailed: found.isError && searched === wanted,
  };
}

const entryOf = (hit: Hit): Entry => ({
  ...KINDS[hit.kind],
  title: hit.title,
  ...(hit.subtitle !== null && { subtitle: hit.subtitle }),
  ...(hit.state !== null && { note: words(hit.state) }),
  to: pageOf(hit),
});

/** The actions and pages whose name contains the text. Without a text, all of them. */
function usePlaces(wanted: string, isOnlyActions: boolean): Entry[] {
  const me = useMe();
  const isFound = (title: string) => title.toLowerCase().includes(wanted.toLowerCase());
  const actions = ACTIONS.filter(({ title, of }) => missingRight(me, of) === undefined && isFound(title)).map(
    ({ title, icon, to }) => ({ group: 'Actions', icon, title, to }),
  );
  const pages = useMenu().flatMap(({ group, entries }) =>
    entries.flatMap(({ entry }) =>
      entry.tabs
        .filter(({ name, of }) => missingRight(me, of) === undefined && isFound(name))
        .map(({ name, path }) => ({
          group: 'Go to',
          icon: entry.icon,
          title: name,
          ...(group.name !== undefined && { subtitle: group.name }),
          to: path,
        })),
    ),
  );
  if (isOnlyActions) return actions;
  return wanted === '' ? [...pages, ...actions] : [...actions, ...pages];
}

/** Returns the text once it has not changed for a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}

type RowProps = {
  id: string;
  of: Entry;
  hasHead: boolean;
  isCurrent: boolean;
  onPoint: () => void;
  onOpen: (isNewTab: boolean) => void;
};

function Row({
  id,
  of: { group, icon, title, subtitle, note },
  hasHead,
  isCurrent,
  onPoint,
  onOpen,
}: RowProps) {
  return (
    <>
      {hasHead && (
        <h3 role="presentation" className="faint">
          {group}
        </h3>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isCurrent}
        className="entry"
        onPointerMove={onPoint}
        onClick={(event) => onOpen(event.metaKey || event.ctrlKey)}
      >
        <Icon name={icon} size={16} />
        <span className="grow clip">
          {title} {subtitle && <span className="faint">{subtitle}</span>}
        </span>
        {note && <Badge>{note}</Badge>}
      </div>
    </>
  );
}

const Hints = () => (
  <span className="hints dim xs">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> Move
    </span>
    <span>
      <kbd>↵</kbd> Open
    </span>
    <span className="wide-only">
      <kbd>⌘</kbd> <kbd>↵</kbd> New tab
    </span>
    <span>
      <kbd>&gt;</kbd> Actions only
    </span>
  </span>
);
