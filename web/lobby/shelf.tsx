import './shelf.css';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../kit/button.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { number } from '../kit/intl.ts';
import { words } from './words.ts';

type ShelfProps = {
  title: string;
  icon: IconName;
  /** The page with all entries, and their number. */
  to?: string;
  count?: number | undefined;
  /** `<li>` elements. */
  children: ReactNode;
  /** Providers are wide and low. */
  kind?: 'tiles' | 'providers';
};

/** A heading and a row that scrolls sideways. Phones snap to the entries, wide screens also have arrows. */
export function Shelf({ title, icon, to, count, children, kind = 'tiles' }: ShelfProps) {
  const row = useRef<HTMLUListElement>(null);
  return (
    <section aria-label={title} className="shelf">
      <header>
        <h2>
          <Icon name={icon} />
          {title}
        </h2>
        {to && (
          <Link href={to} className="all">
            {words.catalogue.viewAll} <span className="hidden">{title}</span>
            {count !== undefined && <span className="faint">{number(count)}</span>}
          </Link>
        )}
        <Arrows row={row} />
      </header>
      <ul ref={row} className={`row of-${kind}`}>
        {children}
      </ul>
    </section>
  );
}

/** Scrolls a row by most of its width. */
function Arrows({ row }: { row: RefObject<HTMLUListElement | null> }) {
  const { isAtStart, isAtEnd } = useEdges(row);
  if (isAtStart && isAtEnd) return null;
  const move = (step: 1 | -1) => {
    const shown = row.current!;
    const direction = getComputedStyle(shown).direction === 'rtl' ? -step : step;
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
    shown.scrollBy({ left: direction * shown.clientWidth * 0.9, behavior });
  };
  return (
    <div className="arrows wide-only">
      <Button
        size="sm"
        icon="chevron-left"
        aria-label={words.kit.previous}
        disabled={isAtStart}
        onClick={() => move(-1)}
      />
      <Button
        size="sm"
        icon="chevron-right"
        aria-label={words.kit.next}
        disabled={isAtEnd}
        onClick={() => move(1)}
      />
    </div>
  );
}

function useEdges(row: RefObject<HTMLElement | null>) {
  const [edges, setEdges] = useState({ isAtStart: true, isAtEnd: true });
  useEffect(() => {
    const shown = row.current!;
    const look = () => {
      // Right-to-left rows have negative positions.
      const at = Math.abs(shown.scrollLeft);
      const next = { isAtStart: at < 4, isAtEnd: at + shown.clientWidth > shown.scrollWidth - 4 };
      setEdges((known) =>
        known.isAtStart === next.isAtStart && known.isAtEnd === next.isAtEnd ? known : next,
      );
    };
    const resized = new ResizeObserver(look);
    resized.observe(shown);
    shown.addEventListener('scroll', look, { passive: true });
    return () => {
      resized.disconnect();
      shown.removeEventListener('scroll', look);
    };
  }, [row]);
  return edges;
}

/** Boxes in the place of tiles that load. */
export const TileSkeletons = ({ count }: { count: number }) => (
  <>
    {Array.from({ length: count }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the boxes are all the same
      <li key={at} className="tile" aria-hidden="true">
        <span className="skeleton" />
      </li>
    ))}
  </>
);
