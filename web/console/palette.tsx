import './palette.css';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../kit/dialog.tsx';
import { Badge } from '../kit/figures.tsx';
import { Icon } from '../kit/icon.tsx';
import { COMMAND_KEY } from './command-key.ts';
import { type Entry, useEntries } from './palette-entries.ts';

/** Finds players, payments, bets, games, pages and actions. A text that begins with > finds actions alone. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [, go] = useLocation();
  const id = useId();
  const { entries, isBusy, hasFailed } = useEntries(text);
  // Hits can arrive above the chosen entry. Until one is chosen, the first entry is current.
  const current = Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === chosen),
  );
  // Enter opens the best match, so it waits for the hits unless an entry was chosen.
  const [awaited, setAwaited] = useState<{ isNewTab: boolean }>();
  const choose = (entry: Entry | undefined) => {
    setChosen(entry && keyOf(entry));
    setAwaited(undefined);
  };
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens the first entry once, when the search is over
  useEffect(() => {
    if (!awaited || isBusy) return;
    setAwaited(undefined);
    open(entries[0], awaited.isNewTab);
  }, [awaited, isBusy]);
  const enter = (isNewTab: boolean) => {
    if (isBusy && chosen === undefined) setAwaited({ isNewTab });
    else open(entries[current], isNewTab);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) choose(entries[(current + step + entries.length) % entries.length]);
    else if (event.key === 'Enter') enter(event.metaKey || event.ctrlKey);
    else return;
    event.preventDefault();
  };
  const change = (typed: string) => {
    setText(typed);
    choose(undefined);
  };
  const field = (
    <Field
      list={id}
      current={entries[current] && `${id}-${current}`}
      value={text}
      onChange={change}
      onKeyDown={onKeyDown}
    />
  );
  return (
    <Dialog title={TITLE} className="palette" onClose={onClose} head={field} foot={<Hints />}>
      <div ref={list} id={id} role="listbox" aria-label="Results" aria-busy={isBusy}>
        {entries.map((entry, index) => (
          <Row
            key={keyOf(entry)}
            id={`${id}-${index}`}
            of={entry}
            hasHead={entries[index - 1]?.group !== entry.group}
            isCurrent={index === current}
            onPoint={() => choose(entry)}
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

const keyOf = ({ group, to, title }: Entry): string => `${group} ${to} ${title}`;

const TITLE = 'Search or jump to';

type FieldProps = {
  /** Ids of the list and of its current row. */
  list: string;
  current: string | undefined;
  value: string;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

const Field = ({ list, current, value, onChange, onKeyDown }: FieldProps) => (
  <>
    <Icon name="search" size={20} />
    <input
      className="grow"
      role="combobox"
      aria-label={TITLE}
      aria-expanded="true"
      aria-controls={list}
      aria-activedescendant={current}
      placeholder="Name, email, ID, address or transaction hash"
      maxLength={200}
      value={value}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={onKeyDown}
    />
  </>
);

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
      <kbd>{COMMAND_KEY}</kbd> <kbd>↵</kbd> New tab
    </span>
    <span>
      <kbd>&gt;</kbd> Actions only
    </span>
  </span>
);
