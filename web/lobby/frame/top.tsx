import './top.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Mark } from '../../kit/brand.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { words } from '../words.ts';
import { useOverlayLink } from './overlay.ts';

type TopProps = {
  isFolded: boolean;
  onFold: () => void;
  /** Session, purse and account of a player. Visitors see sign-in and sign-up. */
  pill: ReactNode;
  purse: ReactNode;
  ends: ReactNode;
};

/** The bar above every page. */
export function Top({ isFolded, onFold, pill, purse, ends }: TopProps) {
  const link = useOverlayLink();
  return (
    <header className="top">
      <Button
        kind="ghost"
        icon={isFolded ? 'panel-left-open' : 'panel-left-close'}
        aria-label={isFolded ? words.frame.unfold : words.frame.fold}
        aria-expanded={!isFolded}
        className="wide-only fold"
        onClick={onFold}
      />
      <Link href="/games" className="phone-only home" aria-label={words.menu.home}>
        <Mark size={28} />
      </Link>
      {pill}
      {purse}
      <nav className="ends" aria-label={words.frame.account}>
        <span className="wide-only">
          <ButtonLink to={link('show', 'search')} kind="ghost" icon="search" label={words.search.title} />
        </span>
        {ends ?? <Visitor />}
      </nav>
    </header>
  );
}

function Visitor() {
  const link = useOverlayLink();
  return (
    <>
      <span className="wide-only">
        <ButtonLink
          to={link('show', 'appearance')}
          kind="ghost"
          icon="globe"
          label={words.frame.appearance}
        />
      </span>
      <ButtonLink to={link('account', 'sign-in')} kind="ghost">
        {words.entry.signIn}
      </ButtonLink>
      <ButtonLink to={link('account', 'sign-up')} kind="main">
        {words.entry.signUp}
      </ButtonLink>
    </>
  );
}
