import '../kit/kit.css';
import './lobby.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Redirect, Route, Router, Switch } from 'wouter';
import { onSignedOut } from '../kit/api.ts';
import { CodePrompt } from '../kit/code.tsx';
import { startLive, useIsLive } from '../kit/live.ts';
import { Loading, Page, Refusal } from '../kit/page.tsx';
import { queries, refresh, useRead } from '../kit/query.ts';
import { SignedIn } from '../kit/session.tsx';
import { local } from '../kit/storage.ts';
import { Toasts } from '../kit/toast.tsx';
import { surviveTranslation } from '../kit/translated.ts';
import { Guarded } from './excluded.tsx';
import { heardBy, watchRefusals } from './exclusion.ts';
import { FOLLOWS } from './follows.ts';
import { Entered, PAGES } from './menu.ts';
import { keepReferral } from './referral.ts';
import { Shell } from './shell.tsx';
import { loadWords, words } from './words.ts';

surviveTranslation(Node.prototype);
keepReferral(location.search);
document.documentElement.dataset.theme = local.get('theme') ?? 'dark';

const ME = 'GET /user/me';

/** Some mails link to the site's home page. The fragment of such a link selects one of these pages. */
const FROM_MAILS: Readonly<Record<string, string>> = {
  '#sign-in': '/sign-in',
  '#forgot-password': '/forgot-password',
};

/** Clears the previous user's data and reads the current user again. */
function forgetAll(): void {
  queries.removeQueries({ predicate: ({ queryKey: [op] }) => op !== ME });
  if (queries.getQueryData([ME, {}]) !== undefined) void queries.resetQueries({ queryKey: [ME] });
}

function Lobby() {
  const me = useRead(ME, {});
  useEffect(() => onSignedOut(forgetAll), []);
  useEffect(watchRefusals, []);
  useEffect(() => heardBy(me.data?.id), [me.data?.id]);
  const isIn = me.data !== undefined && me.error === null;
  useEffect(() => (isIn ? startLive([], FOLLOWS) : undefined), [isIn]);
  // Reads the balances again when the socket opens, because no event reports changes between the first read and the opening of the socket.
  const isLive = useIsLive();
  useEffect(() => {
    if (isLive) void refresh('GET /accounting/balances');
  }, [isLive]);
  // Keeps showing the page while the user is read again after a 401. Otherwise the page would be remounted and send its requests again, in
  // an endless loop.
  if (me.isPending && !me.isFetched) return <Loading />;
  if (me.error && me.error.status !== 401) return <Refusal of={me.error} onRetry={me.refetch} />;
  if (!isIn)
    return (
      <Shell>
        <Pages isIn={false} />
      </Shell>
    );
  return (
    <SignedIn me={me.data!}>
      <Shell me={me.data!}>
        <Pages isIn />
      </Shell>
    </SignedIn>
  );
}

function Pages({ isIn }: { isIn: boolean }) {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        {PAGES.map(({ path, page: Content, isOpen }) => (
          <Route key={path} path={path}>
            {(params) => {
              if (!isIn && !isOpen) return <Entered />;
              const content = <Content params={params as Record<string, string>} />;
              return isIn ? <Guarded path={path}>{content}</Guarded> : content;
            }}
          </Route>
        ))}
        <Route path="/">{() => <Redirect to={FROM_MAILS[location.hash] ?? '/games'} replace />}</Route>
        <Route>
          <Page title={words.page.missing}>{words.page.missingHint}</Page>
        </Route>
      </Switch>
    </Suspense>
  );
}

await loadWords();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base="/play">
        <Lobby />
      </Router>
      <CodePrompt />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
