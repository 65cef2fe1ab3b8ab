import { Link, useLocation } from 'wouter';

/** Tabs, each with its own URL. */
export function Tabs({ of, label }: { of: Readonly<Record<string, string>>; label: string }) {
  const [at] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {Object.entries(of).map(([name, to]) => (
        <Link key={to} href={to} aria-current={at === to.split('?')[0] ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
