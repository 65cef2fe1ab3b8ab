import './page.css';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { settings } from './api.ts';
import { Button } from './button.tsx';
import { Art, type ArtName, Badge, Skeleton } from './figures.tsx';
import { Refusal } from './note.tsx';
import { createStore } from './store.ts';
import { kit } from './words.ts';

type Reading<T> = { data: T | undefined; error: Refused | null; isPending: boolean; refetch: () => unknown };

type PageProps<T> = {
  title: string;
  /** The data of the page. If it is set, `children` is rendered once the data is loaded. */
  of?: Reading<T>;
  filters?: ReactNode;
  actions?: ReactNode;
  /** Hides the heading for all but screen readers, for pages that begin with a picture or a game. */
  isTitleHidden?: boolean;
  /** One sentence below the title. Search engines and link previews show it, too. */
  about?: string;
  children: ReactNode | ((data: T) => ReactNode);
};

/** The title of the page that is shown. */
export const shownTitle = createStore('');

/** A page with its title, filters and actions. While `of` is loading or has failed, the page shows that instead of `children`. */
export function Page<T>(props: PageProps<T>) {
  const { title, of, filters, actions, isTitleHidden = false, about, children } = props;
  useEffect(() => describe(title, about), [title, about]);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOn(heading);
  return (
    <main id="page" tabIndex={-1}>
      <header className={isTitleHidden ? 'hidden' : 'head'}>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p className="dim about">{about}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {filters}
      {of ? <Loaded of={of}>{children as (data: T) => ReactNode}</Loaded> : (children as ReactNode)}
    </main>
  );
}

/** Moves the focus to an element that replaces the focused one, so that screen readers read it. Use it as a `ref` with `tabIndex={-1}`. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus({ preventScroll: true });

/** The path of the page that is shown. Undefined until the first page is shown, which leaves the focus to the browser. */
let shownPath: string | undefined;

/**
 * Moves the focus to the heading of a page that the user has just opened, so that screen readers read it and Tab continues from there. The
 * same applies if a page replaced the element with the focus. A field of the page that has the focus keeps it.
 */
function useFocusOn(heading: RefObject<HTMLElement | null>): void {
  const isMounted = useRef(false);
  useEffect(() => {
    const { pathname } = window.location;
    const focused = document.activeElement;
    const isLost = !isMounted.current && focused === document.body;
    const isNew = pathname !== shownPath && !heading.current?.closest('main')?.contains(focused);
    if (shownPath !== undefined && (isLost || isNew)) takeFocus(heading.current);
    shownPath = pathname;
    isMounted.current = true;
  });
}

/** Sets the title and the description of the document. A page without a description has that of the site. */
function describe(title: string, about: string | undefined): void {
  document.title = `${title} – ${settings.brand.name}`;
  shownTitle.set(title);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="description"]');
  if (!meta) return;
  meta.dataset.site ??= meta.content;
  meta.content = about ?? meta.dataset.site;
}

type LoadedProps<T> = {
  of: Reading<T>;
  children: (data: T) => ReactNode;
  /** Boxes with the size of the content, shown while it loads. */
  skeleton?: ReactNode;
};

/** Renders `children` once the data is loaded. If a later request fails, the data stays on the screen. */
export function Loaded<T>({ of, children, skeleton }: LoadedProps<T>) {
  if (of.error && of.data === undefined) return <Refusal of={of.error} onRetry={of.refetch} />;
  if (of.isPending) return <Loading>{skeleton}</Loading>;
  return children(of.data as T);
}

/** Skeletons in the place of content that loads. They appear after 150 ms, because most responses arrive earlier. */
export const Loading = ({ children }: { children?: ReactNode }) => (
  <div className="loading" aria-busy="true">
    <span className="hidden">{kit.loading}</span>
    {children ?? (
      <>
        <Skeleton width="40%" height={20} />
        <Skeleton />
        <Skeleton width="70%" />
      </>
    )}
  </div>
);

type EmptyProps = {
  art?: ArtName;
  /** One short sentence. `children` says what will appear here and how. */
  title?: string;
  children?: ReactNode;
  /** One button. */
  action?: ReactNode;
};

/** Content that is not there yet. */
export const Empty = ({ art, title, children, action }: EmptyProps) => (
  <div className="empty">
    {art && <Art name={art} />}
    {title && <h3>{title}</h3>}
    {children && <p>{children}</p>}
    {action && <div className="actions">{action}</div>}
  </div>
);

type FactsProps = {
  of: Readonly<Record<string, ReactNode>>;
  /** Puts each value at the end of its name's line, for dialogs. */
  isRows?: boolean;
};

/** A list of names and values. */
export function Facts({ of, isRows = false }: FactsProps) {
  return (
    <dl className={isRows ? 'facts rows' : 'facts'}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="dim">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

type CardProps = { title?: string; actions?: ReactNode; children: ReactNode };

export function Card({ title, actions, children }: CardProps) {
  return (
    <section className="card">
      {(title || actions) && (
        <header>
          {title && <h2>{title}</h2>}
          {actions && <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

const GOOD = /^(ACTIVE|APPROVED|COMPLETED|SETTLED|PAID|FINISHED|VERIFIED|ENABLED|SENT|OPEN|HEALTHY|OK|YES)$/;
const BAD =
  /^(FAILED|REJECTED|CANCELLED|BANNED|ERROR|BLOCKED|FORFEITED|EXPIRED|LOST|REVERSED|DEGRADED|ROLLBACK)$/;

/** Shows a status code in words, with an icon and a colour. */
export function Status({ of }: { of: string | null | undefined }) {
  if (!of) return <span className="dim">–</span>;
  return <Badge tone={GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'warn'}>{words(of)}</Badge>;
}

let names: Readonly<Record<string, string>> = {};
/** Sets what is shown in place of codes whose words do not say what they mean. */
export const nameCodes = (all: typeof names): void => {
  names = all;
};

/** Converts a code to words: WAITING_FOR_APPROVAL → Waiting for approval; minBetUsd → Min bet usd. */
export function words(code: string): string {
  const name = names[code];
  if (name !== undefined) return name;
  const spaced = /[a-z]/.test(code) ? code.replace(/([A-Z])/g, ' $1') : code.replaceAll('_', ' ');
  const lower = spaced.trim().toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

export const YesNo = ({ of }: { of: boolean | null | undefined }) => <>{of ? `✓ ${kit.yes}` : kit.no}</>;

/** Text with a copy button. */
export function Copy({ text, label = kit.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <span className="copy">
      <code translate="no">{text}</code>
      <Button
        kind="ghost"
        size="sm"
        icon={isCopied ? 'check' : 'copy'}
        aria-label={isCopied ? kit.copied : label}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      />
      <span className="hidden" aria-live="polite">
        {isCopied && kit.copied}
      </span>
    </span>
  );
}

/** Formats structured data, such as settings, details or audit log entries. */
export const Json = ({ of }: { of: unknown }) => <pre className="json">{JSON.stringify(of, null, 2)}</pre>;
