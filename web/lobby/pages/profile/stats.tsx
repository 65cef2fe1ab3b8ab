import type { UserMyStatsDto } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Facts, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';

type Shown = Omit<UserMyStatsDto, 'wageredUsd' | 'profitUsd' | 'biggestWinUsd'> & {
  wageredUsd: string | null;
  profitUsd: string | null;
  biggestWinUsd: string | null;
};

/** A player's statistics. Figures that the player hides are missing. */
export function Stats({ of }: { of: Shown }) {
  const { stats } = words.account;
  return (
    <Facts
      of={{
        [stats.wagered]: <Usd of={of.wageredUsd} />,
        [stats.profit]: <Usd of={of.profitUsd} />,
        [stats.bets]: of.betCount.toLocaleString(words.kit.locale),
        [stats.wins]: of.winCount.toLocaleString(words.kit.locale),
        [stats.biggest]: <Usd of={of.biggestWinUsd} />,
        [stats.multiplier]: `${of.bestMultiplier} ×`,
        [stats.favourite]: of.favoriteGame?.name,
      }}
    />
  );
}

/** Another player's public profile. */
export function Player({ params: { username } }: { params: { username: string } }) {
  const { profile } = words.account;
  const player = useRead('GET /user/{username}/stats', { path: { username } });
  return (
    <Page title={username} of={player}>
      {(shown) => (
        <section className="card stack">
          {shown.avatar && (
            <img className="face" src={shown.avatar} alt={words.account.picture.alt} width={96} height={96} />
          )}
          {shown.isPrivate && <p>{profile.isPrivate}</p>}
          <Facts
            of={{ [profile.vipLevel]: shown.vipLevel, [profile.since]: <When at={shown.createdAt} /> }}
          />
          <Stats of={shown} />
        </section>
      )}
    </Page>
  );
}
