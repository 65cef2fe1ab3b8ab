import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { GamePublic } from '../../../../client/call.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { takeFocus } from '../../../kit/page.tsx';
import { local } from '../../../kit/storage.ts';
import { useOverlay, useOverlayLink } from '../../frame/overlay.ts';
import { Star } from '../../game-tile.tsx';
import { asksFor } from '../../leaving.ts';
import { words } from '../../words.ts';

const THEATRE = 'theatre';

/** A running provider game with its bar. Theatre mode fills the width of the page. */
export function GameFrame({ url, game, isDemo }: { url: string; game: GamePublic; isDemo: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const [isTheatre, setTheatre] = useState(local.get(THEATRE) === 'true');
  const link = useOverlayLink();
  const t = words.catalogue;
  const toggleTheatre = () => {
    local.set(THEATRE, String(!isTheatre));
    setTheatre(!isTheatre);
  };
  const toggleFullScreen = () =>
    void (document.fullscreenElement ? document.exitFullscreen() : place.current?.requestFullscreen());
  return (
    <div ref={place} className={isTheatre ? 'running theatre' : 'running'}>
      <Frame url={url} name={game.name} />
      <footer className="line">
        <strong className="clip" translate="no">
          {game.name}
        </strong>
        <span className="sm dim clip grow">{isDemo ? t.inDemo : game.provider.name}</span>
        <Star game={game} isOnTile={false} />
        {!isDemo && (
          <ButtonLink to={link('wallet', 'deposit')} kind="ghost" icon="wallet" label={words.menu.wallet} />
        )}
        <Button
          kind="ghost"
          icon="rectangle-horizontal"
          className="wide-only"
          aria-label={t.theatre}
          aria-pressed={isTheatre}
          onClick={toggleTheatre}
        />
        {document.fullscreenEnabled && (
          <Button kind="ghost" icon="maximize" aria-label={t.fullScreen} onClick={toggleFullScreen} />
        )}
        <ButtonLink to="/games" kind="ghost" icon="x" label={t.leave} />
      </footer>
    </div>
  );
}

/** Rights of all games, which cannot read this page. */
const ALWAYS = 'allow-scripts allow-forms';
/** Further rights of games from the provider's origin: its own storage, windows such as the rules, and buttons that leave the page. */
const OF_PROVIDERS =
  'allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

/**
 * The game runs in a sandboxed frame and cannot read this page. A game's Home button works in one of three ways. It sends a message to this
 * page, it opens /play/leave in the frame (which sends the message), or it navigates the whole window. The sandbox allows the last one only
 * after a click, and only games from the provider's origin.
 */
function Frame({ url, name }: { url: string; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [, go] = useLocation();
  const wallet = useOverlay('wallet');
  const latest = useRef({ go, wallet });
  useEffect(() => {
    latest.current = { go, wallet };
  });
  const { origin } = new URL(url, window.location.href);
  const own = window.location.origin;
  const isForeign = origin !== own;
  // The button that started the game is gone. The keys now belong to the game.
  useEffect(() => takeFocus(frame.current), []);
  useEffect(() => {
    const hear = ({ data, origin: from, source }: MessageEvent<unknown>) => {
      // A sandboxed frame without `allow-same-origin` has the origin "null".
      const isGame = source === frame.current?.contentWindow && from === (isForeign ? origin : 'null');
      if (!isGame && from !== own) return;
      const wanted = asksFor(data);
      if (wanted === 'home') latest.current.go('/games');
      if (wanted === 'cashier') latest.current.wallet.open('deposit');
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [isForeign, origin, own]);
  return (
    <iframe
      ref={frame}
      className="frame"
      src={url}
      title={name}
      sandbox={isForeign ? `${ALWAYS} ${OF_PROVIDERS}` : ALWAYS}
      allow="fullscreen; autoplay"
      referrerPolicy="no-referrer"
    />
  );
}
