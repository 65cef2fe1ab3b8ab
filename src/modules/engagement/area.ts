import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { adminTipRoutes } from './admin-tips/routes.ts';
import { createAdminTips } from './admin-tips/service.ts';
import { adminTipBackofficeRoutes, adminTipStaffRoutes } from './admin-tips/staff.routes.ts';
import { affiliateRoutes } from './affiliates/routes.ts';
import { createAffiliates } from './affiliates/service.ts';
import {
  affiliateBackofficeRoutes,
  affiliateStaffRoutes,
  streamerStaffRoutes,
} from './affiliates/staff.routes.ts';
import { botActivityJobs } from './bot-activity/jobs.ts';
import { createBotActivities } from './bot-activity/service.ts';
import { botActivityStaffRoutes } from './bot-activity/staff.routes.ts';
import { DECIDE } from './challenges/queue.ts';
import { challengeRoutes } from './challenges/routes.ts';
import { createChallenges } from './challenges/service.ts';
import { challengeStaffRoutes } from './challenges/staff.routes.ts';
import { chatJobs } from './chat/jobs.ts';
import { createChat } from './chat/service.ts';
import { chatBackofficeRoutes, chatStaffRoutes } from './chat/staff.routes.ts';
import { comingSoonJobs } from './coming-soon/jobs.ts';
import { comingSoonRoutes } from './coming-soon/routes.ts';
import { createComingSoon } from './coming-soon/service.ts';
import { faqRoutes } from './faq/routes.ts';
import { createFaq } from './faq/service.ts';
import { faqBackofficeRoutes, faqStaffRoutes } from './faq/staff.routes.ts';
import { leaderboardRoutes } from './leaderboards/routes.ts';
import { createLeaderboards } from './leaderboards/service.ts';
import { leaderboardBackofficeRoutes, leaderboardStaffRoutes } from './leaderboards/staff.routes.ts';
import { createLiabilities } from './liabilities/service.ts';
import { createLimitWarnings } from './limit-warnings/service.ts';
import { promoRoutes } from './promo/routes.ts';
import { createPromo, WELCOME_BONUS } from './promo/service.ts';
import { promoStaffRoutes } from './promo/staff.routes.ts';
import { rakebackRoutes } from './rakeback/routes.ts';
import { createRakeback } from './rakeback/service.ts';
import { rakebackBackofficeRoutes, rakebackStaffRoutes } from './rakeback/staff.routes.ts';
import { createRewards } from './rewards/service.ts';
import { userStatsRoutes } from './user-stats/routes.ts';
import { createUserStats } from './user-stats/service.ts';
import { userStatsBackofficeRoutes, userStatsStaffRoutes } from './user-stats/staff.routes.ts';
import { userTipRoutes } from './user-tips/routes.ts';
import { createUserTips } from './user-tips/service.ts';
import { PAY_LEVELS } from './vip/progress.ts';
import { createVip } from './vip/service.ts';
import { vipApplicationRoutes } from './vip-applications/routes.ts';
import { createVipApplications } from './vip-applications/service.ts';
import { vipApplicationStaffRoutes } from './vip-applications/staff.routes.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games;

/** What later areas do for this one. */
type Handed = Pick<Parameters<typeof createVipApplications>[0], 'riskNotesOf'>;

export type Engagement = ReturnType<typeof createEngagement>;

/** What follows settled bets: statistics, warnings of limits, rewards; promotions, affiliates, tips and the chat. */
export function createEngagement(before: Before, handed: Handed) {
  const { db, databaseClock, metrics, siteConfig } = before;
  const promo = createPromo(before);
  const chat = createChat(before);
  const onConsumed = (consumer: string, bets: number) => metrics.consumerBets.inc({ consumer }, bets);
  return {
    userStats: createUserStats({ db, clock: databaseClock, onConsumed }),
    limitWarnings: createLimitWarnings({ db, onConsumed }),
    rewards: createRewards({ db, siteConfig, onConsumed }),
    rakeback: createRakeback(before),
    vip: createVip(before),
    vipApplications: createVipApplications({ ...before, ...handed, promo }),
    promo,
    affiliates: createAffiliates({ ...before, clock: databaseClock }),
    challenges: createChallenges({ ...before, onConsumed }),
    leaderboards: createLeaderboards({ ...before, onConsumed }),
    userTips: createUserTips({ ...before, publish: chat.addTipLine }),
    adminTips: createAdminTips(before),
    liabilities: createLiabilities(before),
    faq: createFaq(before),
    chat,
    comingSoon: createComingSoon(before),
    botActivity: createBotActivities({ ...before, log: before.log.named('bets') }),
  };
}

export const engagement: Area<Before & Engagement> = {
  routes: (s) => [
    ...userStatsRoutes(s.userStats),
    ...userStatsStaffRoutes(s.userStats),
    ...vipApplicationRoutes(s.vipApplications),
    ...vipApplicationStaffRoutes(s.vipApplications),
    ...rakebackRoutes(s.rakeback),
    ...rakebackStaffRoutes(s.rakeback),
    ...promoRoutes(s.promo),
    ...promoStaffRoutes(s.promo),
    ...affiliateRoutes(s.affiliates),
    ...affiliateStaffRoutes(s.affiliates),
    ...streamerStaffRoutes(s.affiliates),
    ...challengeRoutes(s.challenges),
    ...challengeStaffRoutes(s.challenges),
    ...leaderboardRoutes(s.leaderboards),
    ...leaderboardStaffRoutes(s.leaderboards),
    ...userTipRoutes(s.userTips),
    ...adminTipRoutes(s.adminTips),
    ...adminTipStaffRoutes(s.adminTips),
    ...faqRoutes(s.faq),
    ...faqStaffRoutes(s.faq),
    ...chatStaffRoutes(s.chat),
    ...comingSoonRoutes(s.comingSoon),
    ...botActivityStaffRoutes(s.botActivity),
  ],
  backofficeRoutes: (s) => [
    ...userStatsBackofficeRoutes(s.userStats),
    ...rakebackBackofficeRoutes(s.rakeback),
    ...affiliateBackofficeRoutes(s.affiliates),
    ...leaderboardBackofficeRoutes(s.leaderboards),
    ...adminTipBackofficeRoutes(s.adminTips),
    ...faqBackofficeRoutes(s.faq),
    ...chatBackofficeRoutes(s.chat),
  ],
  jobs: (s) => [
    { name: 'payment-stats.purge', everyMs: 3_600_000, run: () => s.userStats.purge() },
    { name: 'limit-warnings.purge', everyMs: 3_600_000, run: () => s.limitWarnings.purge() },
    { name: 'vip-applications.images', everyMs: 3_600_000, run: () => s.vipApplications.deleteImages() },
    // Looked for often, so that a day is counted soon after it has begun.
    { name: 'liabilities.count', everyMs: 300_000, run: () => s.liabilities.countDay() },
    { name: 'leaderboards.purge', everyMs: 86_400_000, run: () => s.leaderboards.purge() },
    ...chatJobs(s.chat),
    ...comingSoonJobs(s.comingSoon),
    ...botActivityJobs(s.botActivity),
  ],
  tasks: (s) => ({
    [PAY_LEVELS]: (payload) => s.vip.run(payload),
    [WELCOME_BONUS]: s.promo.welcome,
    ...s.leaderboards.tasks,
    [DECIDE]: s.challenges.run,
  }),
  consumers: (s) => [s.userStats, s.limitWarnings, s.rewards, s.leaderboards.consumer, s.challenges],
  start: (s) => Promise.all([s.faq.start(), s.botActivity.start()]),
  close: (s) => Promise.all([s.faq.close(), s.chat.close(), s.botActivity.close()]),
};
