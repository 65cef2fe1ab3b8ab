import { type ReactNode, useEffect, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { kit } from './words.ts';

type Reading<T> = { data: T | undefined; error: Refused | null; isPending: boolean; refetch: () => unknown };

type PageProps<T> = {
  title: string;
  /** The data of the page. If it is set, `children` is rendered once the data is loaded. */
  of?: Reading<T>;
  filters?: ReactNode;
  actions?: ReactNode;
  children: ReactNode | ((data: T) => ReactNode);
};

/** A page with its title, filters and actions. While `of` is loading or has failed, the page shows that instead of `children`. */
export function Page<T>({ title, of, filters, actions, children }: PageProps<T>) {
  useEffect(() => {
    document.title = `${title} – Croupier`;
  }, [title]);
  return (
    <main id="page" tabIndex={-1}>
      <header className="head">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {filters}
      {of ? <Loaded of={of}>{children as (data: T) => ReactNode}</Loaded> : (children as ReactNode)}
    </main>
  );
}

/** Renders `children` once the data is loaded. */
export function Loaded<T>({ of, children }: { of: Reading<T>; children: (data: T) => ReactNode }) {
  if (of.error) return <Refusal of={of.error} onRetry={of.refetch} />;
  if (of.isPending) return <Loading />;
  return children(of.data as T);
}

/** Renders nothing for a short time, because most responses arrive before a loading message is needed. */
export function Loading() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="dim loading" aria-busy="true">
      {isLate ? kit.loading : ' '}
    </p>
  );
}

export const Empty = ({ children }: { children: ReactNode }) => <p className="dim empty">{children}</p>;

type RefusalProps = {
  of: Refused;
  onRetry?: () => unknown;
  /** Errors for fields that the form does not show. They are shown here instead. */
  fields?: readonly { path: string; message: string }[];
};

/** Shows the server's error message. For errors with status 5xx it adds the request id, which support needs. */
export function Refusal({ of, onRetry, fields = [] }: RefusalProps) {
  return (
    <div className="refusal" role="alert">
      <p>{kit.refusal(of)}</p>
      {fields.map(({ path, message }) => (
        <p key={`${path} ${message}`}>
          {path} {message}
        </p>
      ))}
      {of.requestId !== undefined && (of.status >= 500 || of.status === 0) && (
        <p className="dim">
          {kit.request} {of.requestId}
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={() => onRetry()}>
          {kit.again}
        </button>
      )}
    </div>
  );
}

/** A list of names and values. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="dim">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
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

/** Shows a status as text with a symbol, so that it can be recognised without colours. */
export function Status({ of }: { of: string | null | undefined }) {
  if (!of) return <span className="dim">–</span>;
  const tone = GOOD.test(of) ? 'good' : BAD.test(of) ? 'bad' : 'open';
  const mark = { good: '✓', bad: '✕', open: '●' }[tone];
  return (
    <span className={`status ${tone}`}>
      <span aria-hidden="true">{mark}</span> {words(of)}
    </span>
  );
}

/** Converts a code to words: WAITING_FOR_APPROVAL → Waiting for approval; minBetUsd → Min bet usd. */
export function words(code: string): string {
  const spaced = /[a-z]/.test(code) ? code.replace(/([A-Z])/g, ' $1') : code.replaceAll('_', ' ');
  const lower = spaced.trim().toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

export const YesNo = ({ of }: { of: boolean | null | undefined }) => <>{of ? `✓ ${kit.yes}` : kit.no}</>;

/** Text with a copy button. */
export function Copy({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <span className="copy">
      <code>{text}</code>
      <button
        type="button"
        className="quiet"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {isCopied ? kit.copied : kit.copy}
      </button>
    </span>
  );
}

/** Formats structured data, such as settings, details or audit log entries. */
export const Json = ({ of }: { of: unknown }) => <pre className="json">{JSON.stringify(of, null, 2)}</pre>;
