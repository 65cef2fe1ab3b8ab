import './shell.css';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Boundary } from '../../kit/boundary.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Imported, lazily } from '../../kit/load.tsx';
import { Note } from '../../kit/note.tsx';
import { local } from '../../kit/storage.ts';
import { useHasEnded } from '../session-end.ts';
import { useSite } from '../site.ts';
import { loadSection, words } from '../words.ts';
import { useOverlay, useOverlayLink } from './overlay.ts';
import { PhoneBar } from './phone.tsx';
import { Rail } from './rail.tsx';
import { Top } from './top.tsx';

const Footer = lazily(async () => (await import('./footer.tsx')).Footer);
const Above = lazily(async () => (await import('./above.tsx')).Above);
const ChatPanel = lazily(async () => {
  const [{ ChatPanel: Panel }] = await Promise.all([import('./chat-panel.tsx'), loadSection('club')]);
  return Panel;
});

export type ChatState = { isChatOpen: boolean; onChat: () => void };

type ShellProps = {
  isIn?: boolean;
  /** Excluded players see no rewards. */
  isExcluded?: boolean;
  /** The player's parts of the frame. */
  pill?: ReactNode;
  /** On phones. Null reserves its place while it loads. */
  strip?: ReactNode;
  purse?: ReactNode;
  ready?: ReactNode;
  ends?: (chat: ChatState) => ReactNode;
  children: ReactNode;
};

/** The frame of every page: rail, top bar, page, chat, and what is open above them. */
export function Shell(props: ShellProps) {
  const { isIn = false, isExcluded = false, pill, strip, purse, ready, ends, children } = props;
  const [isFolded, setFolded] = useState(local.get('rail') === 'folded');
  const [isChatOpen, setChatOpen] = useState(false);
  const fold = () => {
    local.set('rail', isFolded ? 'open' : 'folded');
    setFolded(!isFolded);
  };
  // Chat needs the width of the rail.
  const isNarrow = isFolded || isChatOpen;
  return (
    <div className={isNarrow ? 'shell narrow' : 'shell'}>
      <a className="skip" href="#page">
        {words.frame.toPage}
      </a>
      <Rail ready={ready} isFolded={isNarrow} isExcluded={isExcluded} />
      <Top
        isFolded={isNarrow}
        onFold={isChatOpen ? () => setChatOpen(false) : fold}
        pill={pill}
        purse={purse}
        ends={ends?.({ isChatOpen, onChat: () => setChatOpen(!isChatOpen) })}
      />
      {strip !== undefined && (
        <aside className="strip-place" aria-label={words.menu.protection}>
          {strip}
        </aside>
      )}
      <div className="content">
        <Offline />
        {!isIn && <Ended />}
        <Maintenance />
        {children}
        <Imported>
          <Footer isExcluded={isExcluded} />
        </Imported>
      </div>
      {isChatOpen && isIn && (
        <Boundary>
          <Imported>
            <ChatPanel onClose={() => setChatOpen(false)} />
          </Imported>
        </Boundary>
      )}
      <PhoneBar isExcluded={isExcluded} />
      <Opened isIn={isIn} isExcluded={isExcluded} />
      <Keys />
    </div>
  );
}

/** Loads what is open above the page only when something is. */
function Opened(props: { isIn: boolean; isExcluded: boolean }) {
  const opened = [useOverlay('account'), useOverlay('wallet'), useOverlay('show')];
  const isOpen = opened.some(({ value }) => value !== undefined);
  return isOpen ? (
    <Imported>
      <Above {...props} />
    </Imported>
  ) : null;
}

/** `/` opens the search, unless the user types. */
function Keys() {
  const { open } = useOverlay('show');
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open('search');
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [open]);
  return null;
}

const subscribe = (listener: () => void) => {
  const names = ['online', 'offline'];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};

function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return isOnline ? null : (
    <p className="banner" role="status">
      <Icon name="wifi-off" size={16} />
      <strong>{words.frame.offline}</strong> {words.frame.offlineHint}
    </p>
  );
}

/** Tells visitors whose session has ended, and leads them back in. */
function Ended() {
  const hasEnded = useHasEnded();
  const link = useOverlayLink();
  return hasEnded ? (
    <div className="banner ended" role="status">
      <Icon name="log-out" size={16} />
      <p className="grow">
        <strong>{words.entry.ended}</strong> {words.entry.endedHint}
      </p>
      <ButtonLink to={link('account', 'sign-in')} size="sm">
        {words.entry.signIn}
      </ButtonLink>
    </div>
  ) : null;
}

/** The operator's announcement to all visitors. */
function Maintenance() {
  const message = useSite()?.maintenanceMessage;
  return message ? (
    <div className="announcement" role="status">
      <Note kind="warn">{message}</Note>
    </div>
  ) : null;
}
