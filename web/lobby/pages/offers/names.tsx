import { Link } from 'wouter';
import { Icon } from '../../../kit/icon.tsx';
import { words } from '../../words.ts';
import { gameName } from './parts.tsx';

/** A player's name. Players who hide their names have no id. */
export const PlayerName = ({ of }: { of: { id: number | null; username: string } }) =>
  of.id === null ? (
    <span className="line faint">
      <Icon name="eye-off" size={14} />
      {words.offers.hidden}
    </span>
  ) : (
    <span className="clip" translate="no">
      {of.username}
    </span>
  );

const SHOWN = 8;

/** Links to games by their slugs. An empty list means all games. */
export function GameLinks({ slugs }: { slugs: readonly string[] }) {
  const { games } = words.offers;
  if (slugs.length === 0) return games.all;
  return (
    <span className="game-links">
      {slugs.slice(0, SHOWN).map((slug) => (
        <Link key={slug} href={`/games/${slug}`} className="link">
          {gameName(slug)}
        </Link>
      ))}
      {slugs.length > SHOWN && <span className="dim">{games.more(slugs.length - SHOWN)}</span>}
    </span>
  );
}
