import './hero.css';
import { ButtonLink } from '../../../kit/button.tsx';
import { useAllProviders, useGames } from '../../catalogue.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { useSite } from '../../site.ts';
import { words } from '../../words.ts';

const PICTURES = ['mines', 'dice', 'plinko'] as const;

/** Tells visitors what this is. Figures come from the catalogue. */
export function Hero() {
  const t = words.home.hero;
  const link = useOverlayLink();
  const originals = useGames({ category: 'HOUSE_GAME', take: 20 }).data?.total;
  const providers = useAllProviders().data?.filter(({ id }) => id !== 0).length;
  const age = useSite()?.minimumAge;
  return (
    <article className="promo hero">
      <div className="fan" aria-hidden="true">
        {PICTURES.map((name) => (
          <img key={name} src={`/art/tile-${name}.svg`} alt="" />
        ))}
      </div>
      <h2>{t.title}</h2>
      <p>
        {/* The second sentence continues the first one. */}
        {originals ? t.originals(originals) : ' '} {originals && providers ? t.providers(providers) : ''}
      </p>
      <footer>
        <ButtonLink to={link('account', 'sign-up')} kind="main" size="lg">
          {words.entry.signUp}
        </ButtonLink>
        <ButtonLink to="/casino/originals" size="lg">
          {t.play}
        </ButtonLink>
        {/* The line is there before the age is known. */}
        <small>{age === undefined ? '\u00a0' : t.adults(age)}</small>
      </footer>
    </article>
  );
}
