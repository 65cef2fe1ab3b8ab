import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { useIsLive } from '../kit/live.ts';
import { queries, useAct } from '../kit/query.ts';
import { missingRight, useMe } from '../kit/session.tsx';
import { local } from '../kit/storage.ts';
import { focusRow } from '../kit/table.tsx';
import { PAGES } from './menu.ts';

/** The layout of every page: a menu with the pages that this account may open, and a link to the account. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [at] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes after navigation to another page
  useEffect(() => setOpen(false), [at]);
  return (
    <div className="shell">
      <a className="skip" href="#page">
        To the page
      </a>
      <div className={isOpen ? 'side open' : 'side'} id="menu">
        <Menu at={at} />
      </div>
      <div>
        <header className="bar">
          <button
            type="button"
            className="button menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            Menu
          </button>
          <Live />
          <ThemeSwitch />
          <Who />
        </header>
        {children}
      </div>
      <Keys />
    </div>
  );
}

function Menu({ at }: { at: string }) {
  const me = useMe();
  const shown = PAGES.filter(({ name, of }) => name && (!of || missingRight(me, of) === undefined));
  const groups = Map.groupBy(shown, ({ group = '' }) => group);
  return (
    <nav aria-label="Console">
      {[...groups].map(([group, entries]) => (
        <div key={group}>
          {group && <h2>{group}</h2>}
          {entries.map(({ path, name }) => (
            <Link key={path} href={path} aria-current={isAt(at, path) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

const isAt = (at: string, path: string) => at === path || (path !== '/' && at.startsWith(`${path}/`));

function Live() {
  const isLive = useIsLive();
  return <small className="dim">{isLive ? '● live' : '○ not live: reload to see what is new'}</small>;
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme);
  const other = theme === 'light' ? 'dark' : 'light';
  return (
    <button
      type="button"
      className="button ghost"
      onClick={() => {
        local.set('theme', other);
        document.documentElement.dataset.theme = other;
        setTheme(other);
      }}
    >
      {other === 'light' ? 'Light' : 'Dark'}
    </button>
  );
}

function Who() {
  const me = useMe();
  return (
    <>
      <span>{me.username}</span>
      <SignOut />
    </>
  );
}

export function SignOut() {
  const leave = useAct('DELETE /session/log-out/current', {
    onDone: () => void queries.resetQueries(),
  });
  return (
    <Button isBusy={leave.isBusy} onClick={() => void leave.run({})}>
      Sign out
    </Button>
  );
}

const KEYS = {
  '/': 'search in the list',
  j: 'next row',
  k: 'row before',
  Enter: 'open the row',
  '?': 'these keys',
};
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** Handles keyboard shortcuts. `?` lists them. */
function Keys() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') || event.defaultPrevented) return;
      if (event.key === '/') document.querySelector<HTMLElement>('.filters input')?.focus();
      else if (event.key === '?') setOpen(true);
      else if (event.key === 'j' || event.key === 'k') focusRow(document, event.key === 'j' ? 1 : -1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', act);
    return () => document.removeEventListener('keydown', act);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl className="facts">
        {Object.entries(KEYS).map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
