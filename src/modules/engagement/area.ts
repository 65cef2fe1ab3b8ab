import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { adminTips } from './admin-tips/module.ts';
import { affiliates } from './affiliates/module.ts';
import { botActivity } from './bot-activity/module.ts';
import { challenges } from './challenges/module.ts';
import { chat } from './chat/module.ts';
import { comingSoon } from './coming-soon/module.ts';
import { faq } from './faq/module.ts';
import { leaderboards } from './leaderboards/module.ts';
import { liabilities } from './liabilities/module.ts';
import { limitWarnings } from './limit-warnings/module.ts';
import { promo } from './promo/module.ts';
import { rakeback } from './rakeback/module.ts';
import { rewards } from './rewards/module.ts';
import { userStats } from './user-stats/module.ts';
import { userTips } from './user-tips/module.ts';
import { vip } from './vip/module.ts';
import type { VipApplicationDeps } from './vip-applications/applications.ts';
import { vipApplications } from './vip-applications/module.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games;

/** Functions that this area needs from areas that are created later. */
type Handed = Pick<VipApplicationDeps, 'riskNotesOf'>;

/** The modules of this area, such as consumers of bets (statistics, limit warnings, rewards), promotions, affiliates and the chat. */
const modules = [
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
] as const;

export type Engagement = Handed & MadeBy<typeof modules>;

export const createEngagement = (before: Before & Handed): Engagement => ({
  riskNotesOf: before.riskNotesOf,
  ...createAll(modules, before),
});

export const engagement = areaOf<Before & Engagement>(modules);
