import { type ReactNode, useState } from 'react';
import { ButtonLink } from '../../../kit/button.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { useOptionalMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { Feed, OwnFeed } from '../bets/feed.tsx';
import { PATHS } from '../bets/tabs.tsx';
import type { Kind } from '../bets/use-live-bets.ts';

const COUNT = 8;

/** The latest bets of all players, or of this one. */
export function HomeBets() {
  const isIn = useOptionalMe() !== undefined;
  const [at, setAt] = useState<Kind | 'MY'>('ALL');
  const { kinds, own, which } = words.live;
  const { ALL, ...others } = kinds;
  const choices = { ALL, ...(isIn && { MY: own }), ...others };
  const head = (sign: ReactNode) => (
    <header className="bets-head">
      <h2>
        <Icon name="activity" />
        {words.menu.live}
      </h2>
      {sign}
      <Segmented label={which} of={choices as Record<Kind | 'MY', string>} value={at} onChange={setAt} />
    </header>
  );
  return (
    <section aria-label={words.menu.live}>
      {at === 'MY' ? (
        <>
          {head(null)}
          <OwnFeed count={COUNT} />
        </>
      ) : (
        <Feed key={at} kind={at} count={COUNT}>
          {(sign, table) => (
            <>
              {head(sign)}
              {table}
            </>
          )}
        </Feed>
      )}
      <p className="bets-foot">
        <ButtonLink to={PATHS[at]} kind="ghost" size="sm">
          {words.catalogue.viewAll}
        </ButtonLink>
      </p>
    </section>
  );
}
