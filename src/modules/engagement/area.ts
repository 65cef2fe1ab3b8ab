import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { adminTips } from './admin-tips/module.ts';
import { affiliates } from './affiliates/module.ts';
import { createAffiliates } from './affiliates/service.ts';
import { botActivity } from './bot-activity/module.ts';
import { createBotActivities } from './bot-activity/service.ts';
import { createChallenges } from './challenges/consumer.ts';
import { challenges } from './challenges/module.ts';
import { chat } from './chat/module.ts';
import { createChat } from './chat/service.ts';
import { comingSoon } from './coming-soon/module.ts';
import { createFaqCache } from './faq/cache.ts';
import { faq } from './faq/module.ts';
import { leaderboards } from './leaderboards/module.ts';
import { createLeaderboards } from './leaderboards/service.ts';
import { liabilities } from './liabilities/module.ts';
import { createLimitWarnings } from './limit-warnings/consumer.ts';
import { limitWarnings } from './limit-warnings/module.ts';
import { promo } from './promo/module.ts';
import { createPromo } from './promo/service.ts';
import { rakeback } from './rakeback/module.ts';
import { createRewards } from './rewards/consumer.ts';
import { rewards } from './rewards/module.ts';
import { userStats } from './user-stats/module.ts';
import { createUserStats } from './user-stats/service.ts';
import { userTips } from './user-tips/module.ts';
import { vip } from './vip/module.ts';
import type { VipApplicationDeps } from './vip-applications/applications.ts';
import { vipApplications } from './vip-applications/module.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games;

/** Functions of later areas. */
type Handed = Pick<VipApplicationDeps, 'riskNotesOf'>;

export type Engagement = ReturnType<typeof createEngagement>;

/** The services of this area: bet consumers (statistics, limit warnings, rewards), promotions, affiliates and the chat. */
export function createEngagement(before: Before, handed: Handed) {
  const { db, databaseClock, metrics, siteConfig } = before;
  const onConsumed = (consumer: string, bets: number) => metrics.consumerBets.inc({ consumer }, bets);
  return {
    userStats: createUserStats({ db, clock: databaseClock, onConsumed }),
    limitWarnings: createLimitWarnings({ db, onConsumed }),
    rewards: createRewards({ db, siteConfig, onConsumed }),
    ...handed,
    promo: createPromo(before),
    affiliates: createAffiliates(before),
    challenges: createChallenges({ db, onConsumed }),
    leaderboards: createLeaderboards({ ...before, onConsumed }),
    faq: createFaqCache(before),
    chat: createChat(before),
    botActivity: createBotActivities({ ...before, log: before.log.named('bets') }),
  };
}

export const engagement = areaOf<Before & Engagement>([
  userTips,
  faq,
  comingSoon,
  adminTips,
  rakeback,
  vip,
  vipApplications,
  chat,
  botActivity,
  promo,
  limitWarnings,
  liabilities,
  rewards,
  userStats,
  affiliates,
  challenges,
  leaderboards,
]);
