import './phone.css';
import { Link, useLocation } from 'wouter';
import { Icon } from '../../kit/icon.tsx';
import { words } from '../words.ts';
import { BAR, isAt } from './navigation.ts';
import { useOverlayLink } from './overlay.ts';

/** The bar at the foot of phones. */
export function PhoneBar({ isExcluded }: { isExcluded: boolean }) {
  const [at] = useLocation();
  const link = useOverlayLink();
  const [home, ...others] = BAR.filter(({ name }) => name !== 'rewards' || !isExcluded).map(
    ({ name, icon, to }) => (
      <Link key={to} href={to} aria-current={isAt(at, to) ? 'page' : undefined}>
        <Icon name={icon} size={22} />
        {words.menu[name]}
      </Link>
    ),
  );
  return (
    <nav className="phone-bar" aria-label={words.frame.main}>
      {home}
      <Link href={link('show', 'search')}>
        <Icon name="search" size={22} />
        {words.kit.search}
      </Link>
      {others}
      <Link href={link('show', 'menu')}>
        <Icon name="menu" size={22} />
        {words.frame.menu}
      </Link>
    </nav>
  );
}
