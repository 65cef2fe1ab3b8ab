import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Answer } from '../../client/call.ts';
import { Amount } from '../kit/amount.tsx';
import { useIsLive } from '../kit/live.ts';
import { queries, useAct, useRead } from '../kit/query.ts';
import { Button } from '../kit/session.tsx';
import { local } from '../kit/storage.ts';
import { useBalances, useCurrency } from './balances.ts';
import { type Entry, PAGES } from './menu.ts';
import { minutesSince, RealityCheck } from './reality-check.tsx';
import { useSite } from './site.ts';
import { shortUsd, useSitting } from './sitting.ts';
import { chooseLanguage, LANGUAGES, type Language, languageNow, words } from './words.ts';

/** The layout of every page: menu, balance and the duration of the playing session. */
export function Shell({ me, children }: { me?: Answer<'GET /user/me'>; children: ReactNode }) {
  return (
    <div className="shell">
      <a className="skip" href="#page">
        {words.frame.toPage}
      </a>
      <header className="bar">
        <Link href="/games" className="brand">
          Croupier
        </Link>
        {me ? <Money /> : <span />}
        <nav aria-label={words.frame.account} className="account">
          {me ? <Who name={me.username ?? ''} /> : <Guest />}
          <Looks />
        </nav>
      </header>
      {me && <Sitting />}
      <Menu isIn={me !== undefined} />
      <Maintenance />
      {children}
    </div>
  );
}

/** The operator's announcement to all visitors. */
function Maintenance() {
  const message = useSite()?.maintenanceMessage;
  return message ? (
    <p className="card maintenance" role="status">
      {message}
    </p>
  ) : null;
}

const Guest = () => (
  <>
    <Link href="/sign-in">{words.entry.signIn}</Link>
    <Link href="/sign-up" className="button main">
      {words.entry.signUp}
    </Link>
  </>
);

function Who({ name }: { name: string }) {
  const leave = useAct('DELETE /session/log-out/current', { onDone: () => void queries.resetQueries() });
  return (
    <>
      <Bell />
      <Link href="/profile">{name}</Link>
      <Button isBusy={leave.isBusy} onClick={() => void leave.run({})}>
        {words.entry.signOut}
      </Button>
    </>
  );
}

/** The number of unread notifications. */
function Bell() {
  const { data = [] } = useRead('GET /notifications', {}, { staleMs: 60_000 });
  const fresh = data.filter(({ isAware }) => !isAware).length;
  return (
    <Link href="/notifications" className="bell" aria-label={words.frame.bell(fresh)}>
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <path
          fill="currentColor"
          d="M12 2a6 6 0 0 0-6 6v5l-2 3v1h16v-1l-2-3V8a6 6 0 0 0-6-6Zm-2.5 17a2.5 2.5 0 0 0 5 0Z"
        />
      </svg>
      {fresh > 0 && <strong>{fresh}</strong>}
    </Link>
  );
}

/** The balance for play and its currency. */
function Money() {
  const balances = useBalances();
  const { currencyId, amount, choose } = useCurrency();
  if (!balances.data) return <span />;
  return (
    <div className="money">
      <Link href="/wallet" aria-label={words.frame.wallet}>
        <Amount of={amount} />
      </Link>
      {balances.data.length === 0 ? (
        <small>{currencyId}</small>
      ) : (
        <select
          value={currencyId}
          aria-label={words.frame.currency}
          onChange={(event) => choose(event.target.value)}
        >
          {balances.data.map(({ currencyId: id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Duration and net result of the playing session, on every page. */
function Sitting() {
  const sat = useSitting();
  const isLive = useIsLive();
  useEveryMinute();
  if (!sat) return <p className="sitting dim">&nbsp;</p>;
  return (
    <>
      <p className="sitting">
        <span>{words.protect.time(minutesSince(sat.since))}</span>
        <span>{words.protect.net(shortUsd(sat.net))}</span>
        <span className="dim">{isLive ? `● ${words.frame.live}` : `○ ${words.frame.notLive}`}</span>
        <Link href="/protection">{words.protect.limits}</Link>
      </p>
      <RealityCheck sat={sat} />
    </>
  );
}

function useEveryMinute(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}

/** The menu in one row. On small screens the main pages are at the bottom and the others behind a button. */
function Menu({ isIn }: { isIn: boolean }) {
  const [at] = useLocation();
  const pages = PAGES.filter(({ name, isOpen }) => name && (isIn || isOpen));
  const link = ({ path, name, isMain }: Entry) => (
    <Link
      key={path}
      href={path}
      className={isMain ? 'in-bar' : undefined}
      aria-current={at === path || at.startsWith(`${path}/`) ? 'page' : undefined}
    >
      {words.menu[name!]}
    </Link>
  );
  return (
    <nav aria-label={words.frame.menu} className="menu">
      {pages.map(link)}
      <button type="button" className="quiet more" popoverTarget="more-pages">
        {words.frame.more}
      </button>
      <div key={at} id="more-pages" popover="auto">
        {pages.filter(({ isMain }) => !isMain).map(link)}
      </div>
    </nav>
  );
}

function Looks() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme);
  const other = theme === 'light' ? 'dark' : 'light';
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={words.frame[other]}
        title={words.frame[other]}
        onClick={() => {
          local.set('theme', other);
          document.documentElement.dataset.theme = other;
          setTheme(other);
        }}
      >
        {other === 'light' ? '☀' : '☾'}
      </button>
      <select
        value={languageNow()}
        aria-label={words.frame.language}
        onChange={(event) => chooseLanguage(event.target.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
