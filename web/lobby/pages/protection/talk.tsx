import { Link, useLocation } from 'wouter';
import { Icon } from '../../../kit/icon.tsx';
import { words } from '../../words.ts';

/** Independent help. */
export function Talk() {
  const { help } = words.protection;
  const isOnHelp = useLocation()[0] === '/help';
  return (
    <section className="card stack tight talk">
      <h2 className="line">
        <Icon name="headset" /> {help.talk}
      </h2>
      <p className="sm dim">{help.talkHint}</p>
      <ul>
        {help.places.map(({ name, href, about }) => (
          <li key={href}>
            <a href={href} target="_blank" rel="noreferrer">
              {name}
            </a>
            <p className="xs faint">{about}</p>
          </li>
        ))}
      </ul>
      {!isOnHelp && (
        <p className="sm">
          <Link href="/help">{help.gambling}</Link>
        </p>
      )}
    </section>
  );
}
