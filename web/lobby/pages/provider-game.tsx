import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { GamePublic, Refused } from '../../../client/call.ts';
import { Usd, When } from '../../kit/amount.tsx';
import { Facts, Page, Refusal } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { Button } from '../../kit/session.tsx';
import { useCurrency } from '../balances.ts';
import { asksToLeave } from '../leaving.ts';
import { isPlayHeld } from '../reality-check.tsx';
import { words } from '../words.ts';
import { Heart } from './catalogue.tsx';
import './games.css';

/** A provider game: its description and the frame in which it runs. */
export function ProviderGame({ params: { slug } }: { params: { slug: string } }) {
  const game = useRead('GET /casino/games/{slug}', { path: { slug } });
  return (
    <Page
      title={game.data?.name ?? words.catalogue.game}
      of={game}
      actions={game.data && <Heart game={game.data} />}
    >
      {(found) => <Launch key={found.slug} game={found} />}
    </Page>
  );
}

function Launch({ game }: { game: GamePublic }) {
  const { currencyId } = useCurrency();
  const launch = useAct('POST /casino/games/{slug}/launch');
  const t = words.catalogue;
  const begin = (demo: boolean) => {
    if (isPlayHeld()) return;
    const device = matchMedia('(pointer: coarse)').matches ? ('MOBILE' as const) : ('DESKTOP' as const);
    const returnUrl = `${window.location.origin}/play/leave`;
    const body = demo ? { demo, device, returnUrl } : { currencyId, device, returnUrl };
    void launch.run({ path: { slug: game.slug }, body });
  };
  return (
    <div className="stack">
      {launch.answered ? (
        <Frame url={launch.answered.url} name={game.name} />
      ) : (
        game.images[0] && <img className="cover" src={game.images[0]} alt="" />
      )}
      {launch.refused && <Why of={launch.refused} />}
      <div className="actions">
        <Button kind="main" isBusy={launch.isBusy} onClick={() => begin(false)}>
          {t.play(currencyId)}
        </Button>
        {game.info?.hasDemo && (
          <Button isBusy={launch.isBusy} onClick={() => begin(true)}>
            {t.demo}
          </Button>
        )}
      </div>
      <About game={game} />
    </div>
  );
}

/**
 * The game runs in a sandboxed frame and cannot read this page. A game's Home button works in one of three ways. It sends a message to this
 * page, it opens /play/leave in the frame (which sends the message), or it navigates the whole window. The sandbox allows the last one only
 * after a click.
 */
function Frame({ url, name }: { url: string; name: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [, go] = useLocation();
  const { origin } = new URL(url, window.location.href);
  const own = window.location.origin;
  const isForeign = origin !== own;
  useEffect(() => {
    const leave = ({ data, origin: from, source }: MessageEvent<unknown>) => {
      // A sandboxed frame without `allow-same-origin` has the origin "null".
      const isGame = source === frame.current?.contentWindow && from === (isForeign ? origin : 'null');
      if ((isGame || from === own) && asksToLeave(data)) go('/games');
    };
    window.addEventListener('message', leave);
    return () => window.removeEventListener('message', leave);
  }, [go, isForeign, origin, own]);
  const allowed = 'allow-scripts allow-forms allow-top-navigation-by-user-activation';
  return (
    <iframe
      ref={frame}
      className="frame"
      src={url}
      title={name}
      sandbox={isForeign ? `${allowed} allow-same-origin` : allowed}
      allow="fullscreen; autoplay"
      referrerPolicy="no-referrer"
    />
  );
}

const PROTECTION = /^(LIMIT_REACHED|SELF_EXCLUDED)$/;

/** Shows why the game could not be launched, the details of the error and possible next steps. */
function Why({ of }: { of: Refused }) {
  const hint = words.catalogue.why[of.code as keyof typeof words.catalogue.why];
  const details: Record<string, ReactNode> = {};
  for (const [name, value] of Object.entries(of.details)) {
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const isMoment = /^\d{4}-\d\d-\d\dT/.test(String(value));
    details[name] = isMoment ? <When at={String(value)} /> : value;
  }
  return (
    <div className="stack">
      <Refusal of={of} fields={of.fields} />
      {hint && <p>{hint}</p>}
      {Object.keys(details).length > 0 && <Facts of={details} />}
      {PROTECTION.test(of.code) && <Link href="/protection">{words.protect.limits}</Link>}
    </div>
  );
}

function About({ game: { provider, info } }: { game: GamePublic }) {
  const t = words.catalogue;
  return (
    <>
      {info?.description && <p>{info.description}</p>}
      <Facts
        of={{
          [t.provider]: provider.name,
          [t.rtp]: info?.rtp == null ? null : `${info.rtp} %`,
          [t.volatility]: info?.volatility ? t.volatilities[info.volatility] : null,
          [t.leastBet]: <Usd of={info?.minBetUsd} />,
          [t.mostBet]: <Usd of={info?.maxBetUsd} />,
          [t.mostWin]: info?.maxWinMultiplier == null ? null : `${info.maxWinMultiplier} ×`,
        }}
      />
    </>
  );
}
