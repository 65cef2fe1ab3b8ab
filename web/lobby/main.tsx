import '../kit/base.css';
import './lobby.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { onSignedOut } from '../kit/api.ts';
import { Boundary } from '../kit/boundary.tsx';
import { CodePrompt } from '../kit/code.tsx';
import { Imported, lazily } from '../kit/load.tsx';
import { Refusal } from '../kit/note.tsx';
import { Loading } from '../kit/page.tsx';
import { queries, useRead, userId } from '../kit/query.ts';
import { showTheme } from '../kit/theme.ts';
import { Toasts } from '../kit/toast.tsx';
import { surviveTranslation } from '../kit/translated.ts';
import { Shell } from './frame/shell.tsx';
import { Entered, PAGES } from './menu.ts';
import { keepReferral } from './referral.ts';
import { noteSignedIn, noteSignedOut, wasSignedIn } from './session-end.ts';
import { loadWords } from './words.ts';

surviveTranslation(Node.prototype);
keepReferral(location.search);
showTheme();

const ME = 'GET /user/me';
const BASE = '/play';
/** Time between two requests while the server does not respond. */
const AGAIN_MS = 5000;

/** Some mails link to the site's home page. The fragment of such a link selects one of these pages. */
const FROM_MAILS: Readonly<Record<string, string>> = {
  '#sign-in': '/sign-in',
  '#forgot-password': '/forgot-password',
};

/** Dialogs about the account that mails and other sites lead to. */
const ACCOUNT = { '/sign-in': 'sign-in', '/sign-up': 'sign-up', '/forgot-password': 'forgot' } as const;

/** Clears the previous user's data and reads the current user again. A visitor without a session keeps the public data. */
function forgetAll(): void {
  if (queries.getQueryData([ME, {}]) === undefined) return;
  queries.removeQueries({ predicate: ({ queryKey: [op] }) => op !== ME });
  void queries.resetQueries({ queryKey: [ME] });
}

const NotFound = lazily(async () => (await import('./not-found.tsx')).NotFound);
const Player = lazily(async () => (await import('./player.tsx')).Player);
const Guarded = lazily(async () => (await import('./excluded.tsx')).Guarded);
// Loads the player's part of the frame while the request for the current user is under way.
if (wasSignedIn()) {
  void Player.preload();
  void Guarded.preload();
}

function Lobby() {
  const me = useRead(ME, {});
  useEffect(() => onSignedOut(forgetAll), []);
  // A player stays signed in while the server does not respond, for example during a restart.
  const isIn = me.data !== undefined && me.error?.status !== 401;
  const isOther = useIsOther(userId());
  const { refetch } = me;
  const isDown = me.error !== null && me.error.status !== 401;
  useEffect(() => {
    if (!isDown) return;
    const timer = setInterval(() => void refetch(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isDown, refetch]);
  useEffect(() => {
    if (isIn) noteSignedIn();
    else if (me.error?.status === 401) noteSignedOut();
  }, [isIn, me.error]);
  // Keeps showing the page while the user is read again after a 401. Otherwise the page would be remounted and send its requests again, in
  // an endless loop.
  const isUnknown = me.isPending && !me.isFetched;
  const frame = (
    <Shell ends={() => null} strip={null}>
      <Loading />
    </Shell>
  );
  if ((isUnknown && wasSignedIn()) || isOther) return frame;
  if (me.error && !isIn && isDown)
    return (
      <Shell>
        <Refusal of={me.error} onRetry={me.refetch} />
      </Shell>
    );
  // Visitors need not wait until the server has confirmed that there is no session.
  if (!isIn)
    return (
      <Shell>
        <Pages isIn={false} isUnknown={isUnknown} />
      </Shell>
    );
  return (
    <Imported fallback={frame}>
      <Player me={me.data!}>
        <Pages isIn />
      </Player>
    </Imported>
  );
}

/**
 * Returns true if another player has signed in since this page was opened. The page is then loaded again, so that nothing of the previous
 * player is left in its memory.
 */
function useIsOther(player: number | undefined): boolean {
  const first = useRef(player);
  first.current ??= player;
  const isOther = player !== undefined && player !== first.current;
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  return isOther;
}

function Pages({ isIn, isUnknown = false }: { isIn: boolean; isUnknown?: boolean }) {
  const [at] = useLocation();
  return (
    <Boundary at={at}>
      <Imported fallback={<Loading />}>
        <Switch>
          {PAGES.map(({ path, page: Content, isOpen }) => (
            <Route key={path} path={path}>
              {(params) => {
                if (!isIn && !isOpen) return isUnknown ? <Loading /> : <Entered />;
                const content = <Content params={params as Record<string, string>} />;
                return isIn ? <Guarded path={path}>{content}</Guarded> : content;
              }}
            </Route>
          ))}
          {Object.entries(ACCOUNT).map(([path, account]) => (
            <Route key={path} path={path}>
              <Redirect to={isIn ? '/games' : `/games?account=${account}`} replace />
            </Route>
          ))}
          <Route path="/wallet/identity">
            <Redirect to="/verification" replace />
          </Route>
          <Route path="/wallet/:part?">
            {({ part }) => <Redirect to={`/games?wallet=${part ?? 'overview'}`} replace />}
          </Route>
          <Route path="/">{() => <Redirect to={FROM_MAILS[location.hash] ?? '/games'} replace />}</Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Imported>
    </Boundary>
  );
}

/** Imports the page at this address. A page whose address has parameters is imported when it is shown. */
async function preloadPage(): Promise<void> {
  const path = location.pathname.slice(BASE.length).replace(/^\/?$/, '/games');
  await PAGES.find((page) => page.path === path)?.page.preload();
}

await loadWords();
// The page and its frame then appear together.
await preloadPage();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Boundary>
        <Router base={BASE}>
          <Lobby />
        </Router>
      </Boundary>
      <CodePrompt />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
