import { Link } from 'wouter';
import { settings } from '../../kit/api.ts';
import { Wordmark } from '../../kit/brand.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { useSite } from '../site.ts';
import { LANGUAGES, languageNow, words } from '../words.ts';
import { GROUPS } from './navigation.ts';
import { useOverlayLink } from './overlay.ts';

/** Links at the end of every page, with what the law requires. */
export function Footer({ isExcluded }: { isExcluded: boolean }) {
  const site = useSite();
  const link = useOverlayLink();
  const age = site?.minimumAge ?? 18;
  return (
    <footer className="site-foot">
      <div className="columns">
        <div className="about">
          <Wordmark />
          <p>{words.footer.about}</p>
        </div>
        {GROUPS.filter(({ title, isRewards }) => title && !(isRewards && isExcluded)).map(
          ({ title, places }) => (
            <div key={title}>
              <h2>{words.menu[title!]}</h2>
              {places.slice(0, 4).map(({ name, to }) => (
                <Link key={to} href={to} className="item">
                  {words.menu[name]}
                </Link>
              ))}
            </div>
          ),
        )}
        <div>
          <h2>{words.footer.support}</h2>
          <Link href="/help" className="item">
            {words.menu.help}
          </Link>
          <Link href="/fairness" className="item">
            {words.menu.fairness}
          </Link>
          <Link href="/protection" className="item">
            {words.menu.protection}
          </Link>
        </div>
        <Legal />
      </div>
      <div className="line wide-line">
        <span className="age" aria-hidden="true">
          {age}+
        </span>
        <span className="grow">
          {settings.brand.name}. {words.footer.adults(age)}
        </span>
        <ButtonLink to={link('show', 'appearance')} kind="line" size="sm" icon="globe">
          {LANGUAGES[languageNow()]}
        </ButtonLink>
      </div>
    </footer>
  );
}

function Legal() {
  const site = useSite();
  const links = [
    [words.footer.terms, site?.termsUrl],
    [words.footer.privacy, site?.privacyUrl],
    [words.footer.responsible, site?.responsibleGamblingUrl],
  ] as const;
  const known = links.filter(([, url]) => url);
  if (known.length === 0) return null;
  return (
    <div>
      <h2>{words.footer.legal}</h2>
      {known.map(([text, url]) => (
        <a key={text} href={url!} className="item">
          {text}
        </a>
      ))}
    </div>
  );
}
