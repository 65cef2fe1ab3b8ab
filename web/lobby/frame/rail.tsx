import './rail.css';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Mark, Wordmark } from '../../kit/brand.tsx';
import { Icon } from '../../kit/icon.tsx';
import { words } from '../words.ts';
import { FOOT, GROUPS, isAt, type Place } from './navigation.ts';
import { useOverlayLink } from './overlay.ts';

/** `end`: at the end of the row, such as a count. */
type Entry = Place & { end?: ReactNode };

type RailProps = {
  /** The rakeback that a player can claim. */
  ready?: ReactNode;
  /** Shows only icons, with the names as tooltips. */
  isFolded?: boolean;
  /** Without rewards for excluded players. */
  isExcluded: boolean;
  /** Entries before those at the foot. */
  more?: readonly Entry[];
};

/** The main menu of wide screens. */
export function Rail(props: RailProps) {
  const link = useOverlayLink();
  return (
    <nav className="rail" aria-label={words.frame.main}>
      <Link href="/games" className="brand" title={words.menu.home}>
        <Mark />
        <Wordmark />
      </Link>
      <Link
        href={link('show', 'search')}
        className="find"
        title={props.isFolded ? words.search.title : undefined}
      >
        <Icon name="search" />
        <span>{words.search.title}</span>
        <kbd>/</kbd>
      </Link>
      <Places {...props} />
    </nav>
  );
}

/** The entries of the menu, in groups. */
export function Places({ ready, isFolded = false, isExcluded, more = [] }: RailProps) {
  const [at] = useLocation();
  const entry = (place: Entry) => (
    <Link
      key={place.to}
      href={place.to}
      className="place"
      title={isFolded ? words.menu[place.name] : undefined}
      aria-current={isAt(at, place.to) ? 'page' : undefined}
    >
      <Icon name={place.icon} />
      <span>{words.menu[place.name]}</span>
      {place.name === 'rakeback' && ready}
      {place.end}
    </Link>
  );
  return (
    <>
      {GROUPS.filter(({ isRewards }) => !isRewards || !isExcluded).map(({ title, to, places }) => (
        <div key={title ?? ''} className="group-of-places">
          {title && <h2>{to ? <Link href={to}>{words.menu[title]}</Link> : words.menu[title]}</h2>}
          {places.map(entry)}
        </div>
      ))}
      <div className="foot">{[...more, ...FOOT].map(entry)}</div>
    </>
  );
}
