import './tabs.css';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

/**
 * Returns a ref for the current link of a bar. The bar is scrolled sideways so that the link is in its middle, again whenever `state`
 * changes.
 */
export function useCentred(state: string) {
  const current = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls after every change of the state
  useEffect(() => {
    const link = current.current;
    const bar = link?.parentElement;
    if (!link || !bar) return;
    const [of, within] = [link.getBoundingClientRect(), bar.getBoundingClientRect()];
    // Unlike `scrollIntoView`, this does not move the page.
    bar.scrollLeft += of.left + of.width / 2 - within.left - within.width / 2;
  }, [state]);
  return current;
}

/** Tabs, each with its own URL. `counts` shows a number beside a name. */
export function Tabs(props: {
  of: Readonly<Record<string, string>>;
  label: string;
  counts?: Readonly<Record<string, number>>;
}) {
  const { of, label, counts = {} } = props;
  const [at] = useLocation();
  const current = useCentred(at);
  const isAt = (to: string) => at === to.split('?')[0];
  return (
    <nav className="tabs" aria-label={label}>
      {Object.entries(of).map(([name, to]) => (
        <Link key={to} href={to} ref={isAt(to) ? current : null} aria-current={isAt(to) ? 'page' : undefined}>
          {name}
          {counts[name] !== undefined && <span className="dim">{counts[name]}</span>}
        </Link>
      ))}
    </nav>
  );
}
