import { Page } from '../../../kit/page.tsx';
import { words } from '../../words.ts';
import { RewardTabs } from './parts.tsx';
import { Bonus, Promotions, ReadyRakeback } from './rewards-money.tsx';
import { ChallengeCard, Friends, Level, Race, TipsCard } from './rewards-play.tsx';

/** The player's own rewards: what can be claimed, and how far each programme has come. */
export function Rewards() {
  const { home } = words.offers;
  return (
    <Page title={home.title} filters={<RewardTabs />}>
      <div className="rewards">
        <ReadyRakeback />
        <Bonus />
        <div className="grid-2">
          <Race />
          <Level />
          <Promotions />
          <ChallengeCard />
          <Friends />
          <TipsCard />
        </div>
        <p className="lead sm">{home.honest}</p>
      </div>
    </Page>
  );
}
