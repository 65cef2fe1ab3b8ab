import type { GamePublic, ShortGameIdentity } from '../../client/call.ts';
import { Button } from '../kit/button.tsx';
import { percent } from '../kit/intl.ts';
import { useAct } from '../kit/query.ts';
import { useOptionalMe } from '../kit/session.tsx';
import { say } from '../kit/toast.tsx';
import { WITH_FAVOURITES } from './catalogue.ts';
import { Tile } from './tile.tsx';
import { words } from './words.ts';

/** Returns the address of a game's picture. */
export const pictureOf = ({ type, slug, images }: Pick<ShortGameIdentity, 'type' | 'slug' | 'images'>) =>
  type === 'HOUSE_GAME' && slug in words.games ? `/art/tile-${slug}.svg` : images[0];

/** A game of a list, with its RTP and the star of favourites. */
export function GameTile({ game, onClick }: { game: GamePublic; onClick?: () => void }) {
  const isIn = useOptionalMe() !== undefined;
  const { slug, name, type, provider, info } = game;
  return (
    <Tile
      slug={slug}
      name={name}
      image={pictureOf(game)}
      {...(type !== 'HOUSE_GAME' && { provider: provider.name })}
      {...(info?.rtp != null && { rtp: words.catalogue.rtpOf(percent(info.rtp)) })}
      {...(onClick && { onClick })}
      star={isIn && <Star game={game} />}
    />
  );
}

type StarProps = { game: Pick<GamePublic, 'slug' | 'name' | 'isFavorite'>; isOnTile?: boolean };

/** Adds a game to the player's favourites or removes it. */
export function Star({ game: { slug, name, isFavorite = false }, isOnTile = true }: StarProps) {
  const add = useAct('POST /casino/games/favorite/{slug}', { stale: WITH_FAVOURITES });
  const remove = useAct('DELETE /casino/games/favorite/{slug}', { stale: WITH_FAVOURITES });
  const press = async () => {
    const act = isFavorite ? remove : add;
    if (!(await act.run({ path: { slug } }))) say(words.catalogue.notKept, true);
  };
  return (
    <Button
      aria-pressed={isFavorite}
      aria-label={words.catalogue.favourite(name)}
      isBusy={add.isBusy || remove.isBusy}
      kind="ghost"
      size={isOnTile ? 'sm' : undefined}
      icon="star"
      className={isOnTile ? 'star' : 'star-of-game'}
      onClick={() => void press()}
    />
  );
}
