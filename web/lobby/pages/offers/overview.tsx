import { Link } from 'wouter';
import { Page } from '../../../kit/page.tsx';
import { words } from '../../words.ts';
import { offerPages } from './parts.tsx';
import './offers.css';

/** Lists the offers and their requirements. */
export function Offers() {
  const { offers } = words;
  return (
    <Page title={offers.title}>
      <div className="stack">
        <p>{offers.honest}</p>
        <ul className="offers">
          {offerPages().map(({ part, title, href }) => (
            <li key={part}>
              <Link href={href} className="card tile-link">
                <strong>{title}</strong>
                <span className="dim">{offers[part].about}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </Page>
  );
}
