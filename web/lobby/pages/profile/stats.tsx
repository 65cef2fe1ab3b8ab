import '../account.css';
import type { UserMyStatsDto } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { money, month, multiplier, number } from '../../../kit/intl.ts';
import { Kpi } from '../../../kit/measures.tsx';
import { Note } from '../../../kit/note.tsx';
import { Card, Page } from '../../../kit/page.tsx';
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
    <div className="kpis">
      {of.wageredUsd !== null && (
        <Kpi label={stats.wagered}>
          <Usd of={of.wageredUsd} />
        </Kpi>
      )}
      {of.profitUsd !== null && (
        <Kpi label={stats.profit}>
          <span className="amount" title={`${of.profitUsd} USD`}>
            {money(of.profitUsd, 'USD', true)}
          </span>
        </Kpi>
      )}
      <Kpi label={stats.bets}>{number(of.betCount)}</Kpi>
      <Kpi label={stats.wins}>{number(of.winCount)}</Kpi>
      {of.biggestWinUsd !== null && (
        <Kpi label={stats.biggest}>
          <Usd of={of.biggestWinUsd} />
        </Kpi>
      )}
      <Kpi label={stats.multiplier}>{multiplier(of.bestMultiplier)}</Kpi>
      {of.favoriteGame && <Kpi label={stats.favourite}>{of.favoriteGame.name}</Kpi>}
    </div>
  );
}

/** Boxes in the place of the statistics. */
export const StatsSkeleton = () => (
  <div className="kpis">
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <Skeleton key={key} height={74} />
    ))}
  </div>
);

type WhoProps = { name: string; image: string | null; since: string; vipLevel: number };

/** Picture, name, and how long the player is here. */
export function Who({ name, image, since, vipLevel }: WhoProps) {
  const { profile } = words.account;
  return (
    <div className="line who-is">
      <Avatar name={name} image={image} size={72} />
      <div className="grow">
        <p className="line">
          <strong className="clip" translate="no">
            {name}
          </strong>
          {vipLevel > 0 && (
            <Badge tone="accent" icon="crown">
              {profile.vip(vipLevel)}
            </Badge>
          )}
        </p>
        <p className="sm dim">{profile.since(month(since))}</p>
      </div>
    </div>
  );
}

/** Another player's public profile. */
export function Player({ params: { username } }: { params: { username: string } }) {
  const { profile, stats } = words.account;
  const player = useRead('GET /user/{username}/stats', { path: { username } });
  return (
    <div className="narrow-page">
      <Page title={username} isTitleHidden of={player}>
        {(shown) => (
          <div className="stack">
            <Card>
              <Who
                name={shown.username}
                image={shown.avatar}
                since={shown.createdAt}
                vipLevel={shown.vipLevel}
              />
            </Card>
            {shown.isPrivate && <Note icon="eye-off">{profile.isPrivate}</Note>}
            <Card title={stats.title}>
              <Stats of={shown} />
            </Card>
          </div>
        )}
      </Page>
    </div>
  );
}
