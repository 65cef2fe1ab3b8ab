import '../kit/base.css';
import './console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { type Answer, RIGHTS } from '../../client/call.ts';
import { onSignedOut } from '../kit/api.ts';
import { Boundary } from '../kit/boundary.tsx';
import { CodePrompt } from '../kit/code.tsx';
import { startLive } from '../kit/live.ts';
import { Imported, lazily } from '../kit/load.tsx';
import { Refusal } from '../kit/note.tsx';
import { Loading, nameCodes, Page } from '../kit/page.tsx';
import { queries, useRead, wantsFactor } from '../kit/query.ts';
import { knowRights, SignedIn } from '../kit/session.tsx';
import { showTheme } from '../kit/theme.ts';
import { Toasts } from '../kit/toast.tsx';
import { surviveTranslation } from '../kit/translated.ts';
import { FOLLOWS } from './follows.ts';
import { LABELS } from './labels.ts';
import { useMenu } from './navigation.tsx';
import { PAGES, subjectOf } from './pages.ts';
import { Shell } from './shell.tsx';

surviveTranslation(Node.prototype);
showTheme();
knowRights(RIGHTS);
nameCodes(LABELS);

const ME = 'GET /user/me';
const ACCOUNT = '/account';

const NotStaff = lazily(async () => (await import('./not-staff.tsx')).NotStaff);
const NotFound = lazily(async () => (await import('./not-found.tsx')).NotFound);
const SignIn = lazily(async () => (await import('./sign-in.tsx')).SignIn);

/**
 * Clears the previous user's data and reads the current user again. If the request for the current user itself has failed with 401, it is
 * not repeated.
 */
function forgetAll(): void {
  wantsFactor.set(false);
  queries.removeQueries({ predicate: ({ queryKey: [op] }) => op !== ME });
  if (queries.getQueryData([ME, {}]) !== undefined) void queries.resetQueries({ queryKey: [ME] });
}

function Console() {
  const me = useRead(ME, {});
  useEffect(() => onSignedOut(forgetAll), []);
  const isFactorMissing = wantsFactor.use();
  const [at] = useLocation();
  const isStaff = me.data?.isStaff === true && me.error === null;
  useEffect(() => (isStaff ? startLive(['admin'], FOLLOWS) : undefined), [isStaff]);
  if (me.isPending) return <Loading />;
  if (me.error?.status === 401)
    return (
      <Imported>
        <SignIn />
      </Imported>
    );
  if (me.error) return <Refusal of={me.error} onRetry={me.refetch} />;
  if (!isStaff)
    return (
      <Imported>
        <NotStaff name={me.data!.username} />
      </Imported>
    );
  return (
    <SignedIn me={me.data!}>
      <Shell>
        <Boundary at={at}>
          <Imported fallback={<Loading />}>
            {isFactorMissing ? <Missing me={me.data!} /> : <Pages />}
          </Imported>
        </Boundary>
      </Shell>
    </SignedIn>
  );
}

type Me = Answer<'GET /user/me'>;

function Pages() {
  return (
    <Switch>
      {PAGES.map(({ path, page: Content, isReview }) => (
        <Route key={path} path={path}>
          {(params: Readonly<Record<string, string>>) => (
            <Content key={isReview ? 'review' : subjectOf(params)} params={params} />
          )}
        </Route>
      ))}
      <Route path="/">
        <Home />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

const { page: Account } = PAGES.find(({ path }) => path === ACCOUNT)!;

/**
 * Shows the account page, the only page that works before a second factor is set up. After storing the recovery codes, the staff member can
 * continue to the other pages.
 */
function Missing({ me }: { me: Me }) {
  const [at, go] = useLocation();
  const [hadOne] = useState(me.mfaEnabled);
  useEffect(() => (at === ACCOUNT ? undefined : go(ACCOUNT, { replace: true })), [at, go]);
  if (!hadOne) return <Account params={{}} />;
  return (
    <Page title="Two-step verification">
      <p>You signed in without your second factor. Sign out, then sign in with it.</p>
    </Page>
  );
}

/** Opens the first menu page that the account may see. */
function Home() {
  const first = useMenu()[0]?.entries[0];
  return <Redirect to={first?.tab.path ?? ACCOUNT} replace />;
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Boundary>
        <Router base="/console">
          <Console />
        </Router>
      </Boundary>
      <CodePrompt />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
