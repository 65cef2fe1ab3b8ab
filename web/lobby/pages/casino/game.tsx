import './game.css';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { GamePublic, Refused } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { number, percent } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { useCurrency } from '../../balances.ts';
import { useGame, useGames } from '../../catalogue.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { GameTile, pictureOf, Star } from '../../game-tile.tsx';
import { NotFound } from '../../not-found.tsx';
import { isPlayHeld } from '../../play-hold.ts';
import { Shelf, TileSkeletons } from '../../shelf.tsx';
import { words } from '../../words.ts';
import { GameFrame } from './game-frame.tsx';
import { GameSkeleton } from './game-skeleton.tsx';

/** A provider game: its description, and the frame in which it runs. */
export function ProviderGame({ params: { slug } }: { params: { slug: string } }) {
  const game = useGame(slug);
  const t = words.catalogue;
  if (game.error?.status === 404) return <NotFound title={t.gone} hint={t.goneHint} />;
  return (
    <Page title={game.data?.name ?? t.game} isTitleHidden>
      <Loaded of={game} skeleton={<GameSkeleton />}>
        {(found) => <Launch key={found.slug} game={found} />}
      </Loaded>
    </Page>
  );
}

function Launch({ game }: { game: GamePublic }) {
  const launch = useAct('POST /casino/games/{slug}/launch');
  const [isDemo, setDemo] = useState(false);
  const begin = (currencyId?: string) => {
    if (isPlayHeld()) return;
    const demo = currencyId === undefined;
    setDemo(demo);
    const device = matchMedia('(pointer: coarse)').matches ? ('MOBILE' as const) : ('DESKTOP' as const);
    const returnUrl = `${window.location.origin}/play/leave`;
    const body = demo ? { demo, device, returnUrl } : { currencyId, device, returnUrl };
    void launch.run({ path: { slug: game.slug }, body });
  };
  if (launch.answered) return <GameFrame url={launch.answered.url} game={game} isDemo={isDemo} />;
  return (
    <div className="game-intro">
      {game.images[0] && <img className="cover" src={pictureOf(game)} alt="" />}
      <div className="stack">
        <div>
          <div className="line">
            {/* The heading of the page says the same. */}
            <p className="name grow" translate="no" aria-hidden="true">
              {game.name}
            </p>
            <Favourite game={game} />
          </div>
          <Link href={`/casino/providers/${game.provider.id}`} className="link" translate="no">
            {game.provider.name}
          </Link>
        </div>
        {launch.refused && <Why of={launch.refused} />}
        <Begin game={game} isBusy={launch.isBusy} onBegin={begin} />
        {game.info?.description && <p className="dim">{game.info.description}</p>}
        <About game={game} />
      </div>
      <MoreGames of={game} />
    </div>
  );
}

const SHOWN = 12;

/** Other games of the provider. */
function MoreGames({ of: { slug, provider } }: { of: GamePublic }) {
  const { data } = useGames({ providerId: provider.id, take: SHOWN });
  const others = data?.data.filter((one) => one.slug !== slug);
  if (others?.length === 0) return null;
  return (
    <Shelf title={provider.name} icon="cherry" to={`/casino/providers/${provider.id}`}>
      {others ? (
        others.map((one) => (
          <li key={one.slug}>
            <GameTile game={one} />
          </li>
        ))
      ) : (
        <TileSkeletons count={7} />
      )}
    </Shelf>
  );
}

function Favourite({ game }: { game: GamePublic }) {
  const isIn = useOptionalMe() !== undefined;
  return isIn ? <Star game={game} isOnTile={false} /> : null;
}

type BeginProps = {
  game: GamePublic;
  isBusy: boolean;
  /** Without a currency the game is played for free. */
  onBegin: (currencyId?: string) => void;
};

function Begin(props: BeginProps) {
  const isIn = useOptionalMe() !== undefined;
  return <div className="actions">{isIn ? <PlayButtons {...props} /> : <SignUpButtons />}</div>;
}

function SignUpButtons() {
  const link = useOverlayLink();
  return (
    <>
      <ButtonLink to={link('account', 'sign-up')} kind="main" size="lg">
        {words.catalogue.signUpToPlay}
      </ButtonLink>
      <ButtonLink to={link('account', 'sign-in')} size="lg">
        {words.entry.signIn}
      </ButtonLink>
    </>
  );
}

function PlayButtons({ game, isBusy, onBegin }: BeginProps) {
  const { currencyId } = useCurrency();
  const t = words.catalogue;
  return (
    <>
      <Button kind="main" size="lg" icon="play" isBusy={isBusy} onClick={() => onBegin(currencyId)}>
        {t.play(currencyId)}
      </Button>
      {game.info?.hasDemo && (
        <Button size="lg" isBusy={isBusy} onClick={() => onBegin()}>
          {t.demo}
        </Button>
      )}
    </>
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
    <div className="stack tight">
      <Refusal of={of} fields={of.fields} />
      {hint && <p>{hint}</p>}
      {Object.keys(details).length > 0 && <Facts of={details} />}
      {PROTECTION.test(of.code) && (
        <Link href="/protection" className="link">
          {words.protect.limits}
        </Link>
      )}
    </div>
  );
}

/** The facts that the provider publishes. Missing facts are left out. */
function About({ game: { info } }: { game: GamePublic }) {
  const t = words.catalogue;
  const facts: Record<string, ReactNode> = {};
  if (info?.rtp != null) facts[t.rtp] = percent(info.rtp);
  if (info?.volatility) facts[t.volatility] = t.volatilities[info.volatility];
  if (info?.minBetUsd != null) facts[t.leastBet] = <Usd of={info.minBetUsd} />;
  if (info?.maxBetUsd != null) facts[t.mostBet] = <Usd of={info.maxBetUsd} />;
  if (info?.maxWinMultiplier != null) facts[t.mostWin] = `${number(info.maxWinMultiplier)}×`;
  return Object.keys(facts).length === 0 ? null : <Facts of={facts} />;
}
