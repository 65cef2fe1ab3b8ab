import './shell.css';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { settings } from '../kit/api.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Mark, Wordmark } from '../kit/brand.tsx';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Badge } from '../kit/figures.tsx';
import { Icon } from '../kit/icon.tsx';
import { useIsCut } from '../kit/live.ts';
import { Imported, lazily } from '../kit/load.tsx';
import { shownTitle, words } from '../kit/page.tsx';
import { Menu } from '../kit/pick/menu.tsx';
import { queries, useAct } from '../kit/query.ts';
import { useMe } from '../kit/session.tsx';
import { chooseTheme, useTheme } from '../kit/theme.ts';
import { COMMAND_KEY } from './command-key.ts';
import { Keys } from './keys.tsx';
import { placeOf } from './menu.ts';
import { Navigation } from './navigation.tsx';
import { Notices } from './notices.tsx';

const Palette = lazily(async () => (await import('./palette.tsx')).Palette);

type Open = 'menu' | 'palette' | 'keys';

/** The frame of every page: the menu, the place of the page, the search, and the account. */
export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  const [at] = useLocation();
  const close = () => setOpen(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes after navigation to another page
  useEffect(close, [at]);
  return (
    <div className="shell" data-environment={settings.environment}>
      <a className="skip" href="#page">
        Skip to content
      </a>
      <div className="side">
        <Link href="/" className="site" aria-label={`${settings.brand.name} console`}>
          <Mark size={24} />
          <Wordmark />
          <Badge>Console</Badge>
        </Link>
        <Navigation label="Console" />
      </div>
      <div className="content">
        <Top onOpen={setOpen} />
        {children}
      </div>
      {open === 'menu' && (
        <Dialog title="Menu" onClose={close} className="menu-sheet">
          <Navigation label="Menu" />
        </Dialog>
      )}
      {open === 'palette' && (
        <Imported>
          <Palette onClose={close} />
        </Imported>
      )}
      <Keys
        isOpen={open === 'keys'}
        onOpen={() => setOpen('keys')}
        onPalette={() => setOpen('palette')}
        onClose={close}
      />
    </div>
  );
}

const Top = ({ onOpen }: { onOpen: (what: Open) => void }) => (
  <header className="top">
    <Button
      kind="ghost"
      icon="menu"
      aria-label="Menu"
      className="narrow-only"
      onClick={() => onOpen('menu')}
    />
    <Crumbs />
    <button
      type="button"
      className="command"
      onClick={() => onOpen('palette')}
      onPointerEnter={Palette.preload}
    >
      <Icon name="search" size={16} />
      <span>Search or jump to…</span>
      <span aria-hidden="true" className="shortcut">
        <kbd>{COMMAND_KEY} K</kbd>
      </span>
    </button>
    <Environment />
    <Connection />
    <Notices />
    <ThemeButton />
    <Account onKeys={() => onOpen('keys')} />
  </header>
);

/** The group and the entry of the current page. On a page below the entry, the entry is a link, and the title of the page follows it. */
function Crumbs() {
  const [at] = useLocation();
  const title = shownTitle.use();
  const place = placeOf(at);
  if (!place) return <span className="crumbs" />;
  const { group, entry, tab } = place;
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      {group.name && <span className="faint wide-only">{group.name}</span>}
      {at === tab.path ? <span>{entry.name}</span> : <Link href={tab.path}>{tab.name}</Link>}
      {at !== tab.path && title !== tab.name && <span className="wide-only clip">{title}</span>}
    </nav>
  );
}

/** Names the environment, so that staff do not mistake production for another one. Production also has a red line above the page. */
function Environment() {
  const { environment } = settings;
  if (environment === undefined) return null;
  return (
    <span className="environment wide-only">
      <Icon name="server" size={13} />
      {words(environment)}
    </span>
  );
}

function Connection() {
  const isCut = useIsCut();
  return (
    <span role="status" className="connection">
      {isCut && (
        <Badge tone="warn" icon="wifi-off">
          Reconnecting…
        </Badge>
      )}
    </span>
  );
}

function ThemeButton() {
  const other = useTheme() === 'light' ? 'dark' : 'light';
  return (
    <Button
      kind="ghost"
      icon={other === 'light' ? 'sun' : 'moon'}
      aria-label={other === 'light' ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => chooseTheme(other)}
    />
  );
}

function Account({ onKeys }: { onKeys: () => void }) {
  const me = useMe();
  const signOut = useSignOut();
  return (
    <Menu
      label="Account"
      aria-label={`Account of ${me.username}`}
      className="button ghost only-icon account"
      head={
        <div className="account-head">
          <b>{me.username}</b>
          <small className="dim">{me.roles.join(', ')}</small>
        </div>
      }
      entries={[
        { text: 'My account', icon: 'user', to: '/account' },
        { text: 'Keyboard shortcuts', icon: 'keyboard', run: onKeys },
        'line',
        { text: 'Sign out', icon: 'log-out', run: signOut.run },
      ]}
    >
      <Avatar name={me.username ?? ''} image={me.avatar ?? null} size={24} />
    </Menu>
  );
}

function useSignOut() {
  const leave = useAct('DELETE /session/log-out/current', {
    onDone: () => void queries.resetQueries(),
  });
  return { isBusy: leave.isBusy, run: () => void leave.run({}) };
}

export function SignOut() {
  const { isBusy, run } = useSignOut();
  return (
    <Button isBusy={isBusy} onClick={run}>
      Sign out
    </Button>
  );
}
