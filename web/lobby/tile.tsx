import './tile.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../kit/icon.tsx';

type TileProps = {
  slug: string;
  name: string;
  /** The game's picture. Own games have artwork without text, so their name is shown on it. */
  image: string | undefined;
  provider?: string;
  /** For example “RTP 99%”. */
  rtp?: string;
  /** A button for favourites, next to the link. */
  star?: ReactNode;
  onClick?: () => void;
};

/** A game of the catalogue. The whole tile is one link. */
export function Tile({ slug, name, image, provider, rtp, star, onClick }: TileProps) {
  const isOwn = image?.startsWith('/art/tile-') ?? true;
  return (
    <div className="tile">
      <Link href={`/games/${slug}`} {...(onClick && { onClick })}>
        {image && <img src={image} alt="" loading="lazy" />}
        {/* Screen readers may spell capitals, which the visible name has. */}
        {isOwn && (
          <span className="name" aria-hidden="true">
            {name}
          </span>
        )}
        <span className="hidden">{name}</span> {provider && <span className="hidden">{provider}</span>}{' '}
        {rtp && <span className="rtp">{rtp}</span>}
        <span className="play" aria-hidden="true">
          <Icon name="play" size={22} />
        </span>
      </Link>
      {star}
    </div>
  );
}
